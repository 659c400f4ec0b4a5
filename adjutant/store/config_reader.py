"""FILES. adjutant.yaml parsed strictly: each value read by its Setting from its text as written, or refused by line."""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from adjutant.errors import ConfigInvalid
from adjutant.store import cron, marked_yaml, settings
from adjutant.store.marked_yaml import Node
from adjutant.store.settings import Setting
from adjutant.store.tree import CONFIG as NAME

Fields = dict[str, dict[str, Any]]


CURRENCY = "USD"  # of a price that names none: most price lists are in it
PRICE_FIX = "write it as `gpt-4o-mini: {in: 0.15, out: 0.6, currency: USD}`"


class Wrong(Exception):
    """A value that is refused: its line and key, and what to do; the message names no file."""

    def __init__(self, line: int, key: str, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.line, self.key, self.fix = line, key, fix


def refuse(line: int, key: str, what: str, fix: str = "") -> Wrong:
    """What is raised for the value of a key, "" for the whole."""
    return Wrong(line, key, f"`{key}` {what}" if key else what, fix)


def refuse_unknown(node: Node, name: str, siblings: Iterable[str]) -> Wrong:
    """What is raised for a key that is none of `siblings`; it names the nearest."""
    known = sorted(siblings)
    hint = _find_near(name.rpartition(".")[2], known) or f"known here: {', '.join(known)}"
    return Wrong(node.key_line, name, f"unknown key `{name}`; {hint}")


def _find_near(text: str, known: Sequence[str]) -> str:
    import difflib  # only on error paths

    close = difflib.get_close_matches(text, known, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else ""


def read_fields(
    node: Node, known: Iterable[Setting], name: str = "", needed: Iterable[str] = (), fix: str = ""
) -> dict[str, Any]:
    """{field: value} of a mapping that has these fields at most, and all `needed` ones. Raises Wrong."""
    if not node.is_mapping:
        raise refuse(node.line, name, f"must be a mapping, not {node.shown}", fix)
    fields, found = {setting.name: setting for setting in known}, dict[str, Any]()
    for key, value in node.items():
        full = f"{name}.{key}" if name else key
        if key not in fields:
            raise refuse_unknown(value, full, fields)
        found[key] = read_value(fields[key], value, full)
    for key in needed:
        if key not in found:
            raise refuse(node.line, f"{name}.{key}" if name else key, "is missing", fix)
    return found


def read_value(setting: Setting, node: Node, name: str) -> Any:
    """The Python value of a node, of its text as written: YAML has its own ideas of 22:00 and no. Raises Wrong."""
    if node.is_null and setting.optional:
        return None
    if setting.kind == "prices":
        return {} if node.is_null else _read_prices(node, name)
    if setting.kind in _ELEMENTS:
        return _read_list(setting, node, name)

    def wrong(what: str, why: str = "") -> Wrong:
        return refuse(node.line, name, f"must be {what}, not {node.shown}{why}")

    if not node.is_scalar or node.is_null:
        raise wrong(_tell_wanted(setting))
    if setting.kind == "redis" and ("@" in node.text or "password=" in node.text):  # not shown: the password would be
        raise refuse(node.line, name, "must hold no user or password; put the whole URL into REDIS_URL in .env")
    try:
        value = _SCALARS[setting.form][1](node.text)
    except ValueError as error:
        raise wrong(_tell_wanted(setting), f": {error}" if setting.kind == "cron" else "") from None
    if setting.choices and value not in setting.choices:
        raise wrong(_tell_wanted(setting), f"; {near}" if (near := _find_near(node.text, setting.choices)) else "")
    low, high = setting.low, setting.high
    if (low is not None and value < low) or (high is not None and value > high):
        raise wrong(_tell_wanted(setting))
    return value


def _tell_wanted(setting: Setting) -> str:
    what, low, high = " | ".join(setting.choices) or _SCALARS[setting.form][0], setting.low, setting.high
    if low is not None:
        what += f" of at least {low:g}" if high is None else f" from {low:g} to {high:g}"
    return what + (" or null" if setting.optional else "")


def _read_list(setting: Setting, node: Node, name: str) -> list[Any]:
    """A list without repetitions; of names and patterns, one alone is a list too."""
    what, alone, read = _ELEMENTS[setting.kind]
    what = " | ".join(setting.choices) if setting.choices and setting.kind != "folders" else what
    items = list(node.elements()) if node.is_list else None
    if alone and items is None and node.is_scalar:  # of these null is an empty list
        items = [] if node.is_null else [node]
    if items is None or (not items and setting.optional):
        fix = f"write it as `[{node.text}]`" if node.is_scalar and node.text else ""
        allowed = f"a list of {what}{' or null' if setting.optional else ''}"
        raise refuse(node.line, name, f"must be {allowed}, not {node.shown}", fix)
    found: dict[str, Any] = {}
    for item in items:
        shown = "one with a user or password" if setting.kind == "urls" and "@" in item.text else item.shown
        try:
            value = read(setting, item, name)
        except ValueError:
            near = _find_near(item.text, setting.choices)
            told = f"is a list of {what}, and {shown} is none of these{near and f'; {near}'}"
            raise refuse(item.line, name, told) from None
        key = value["path"] if isinstance(value, dict) else value
        if key in found:
            raise refuse(item.line, name, f"is a list of {what}, and {shown} is there already")
        found[key] = value
    return list(found.values())


def _read_word(setting: Setting, item: Node, name: str) -> str:
    _require(item.is_scalar and item.text in (setting.choices or (item.text,)))
    return _read_text(item.text)


def _read_bare_url(setting: Setting, item: Node, name: str) -> str:
    _require(re.fullmatch(r"https?://[^\s@]*", item.text))
    return item.text.rstrip("/")


def _read_folder(setting: Setting, item: Node, name: str) -> str | dict[str, Any]:
    """A path, or a mapping of it and whose word its files are, and what of it is left out."""
    if not item.is_mapping:
        _require(item.is_scalar and not item.is_null)
        return _read_path(item.text)
    trust = Setting("trust", "", "", choices=setting.choices)
    fields = (Setting("path", "", "", kind="path"), trust, Setting("exclude", [], "", kind="patterns"))
    found = read_fields(item, fields, name, needed=("path",))
    return found if len(found) > 1 else str(found["path"])


def _read_prices(node: Node, name: str) -> dict[str, dict[str, Any]]:
    """{model: {in, out, currency}}; the two numbers are money per million tokens, of the prompt and of the reply."""
    fields = (Setting("in", 0.0, "", 0), Setting("out", 0.0, "", 0), Setting("currency", CURRENCY, ""))
    if not node.is_mapping:
        raise refuse(node.line, name, f"must be a mapping of models, not {node.shown}", PRICE_FIX)
    return {
        model: {"currency": CURRENCY, **read_fields(child, fields, f"{name}.{model}", ("in", "out"), PRICE_FIX)}
        for model, child in node.items()
    }


# -- texts as values: each raises ValueError for one that is none --------------------------------------------


def _require(right: object) -> None:
    if not right:
        raise ValueError


def _match(pattern: str, convert: Callable[[str], Any] = str) -> Callable[[str], Any]:
    """Reads what a pattern matches from beginning to end."""

    def read(text: str) -> Any:
        _require(re.fullmatch(pattern, text))
        return convert(text)

    return read


def _read_zone(text: str) -> str:
    import zoneinfo  # only when the file changed

    try:
        return str(zoneinfo.ZoneInfo(text))
    except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise ValueError(text) from error


def _read_text(text: str) -> str:
    _require(text.strip() and all(ord(c) >= 32 for c in text))
    return text


def _read_path(text: str) -> str:
    _require(not text.startswith("~"))
    return _read_text(text)


_SCALARS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "str": ("a text", _read_text),
    "prose": ("a text", lambda text: " ".join(text.split())),
    "path": ("a path, relative to the instance or starting with /", _read_path),
    "int": ("a whole number", _match(r"[+-]*[0-9]+", int)),
    "float": ("a number", _match(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", float)),
    "bool": ("true or false", _match("[tT]rue|[fF]alse", lambda text: text.lower() == "true")),
    "time": ('a time "HH:MM"', _match("([01]?[0-9]|2[0-3]):[0-5][0-9]", lambda text: text.zfill(5))),
    "zone": ("an IANA time zone such as Europe/Oslo", _read_zone),
    "url": ("a URL that starts with http:// or https://", _match(r"https?://\S*", lambda text: text.rstrip("/"))),
    "redis": ("a URL such as redis://127.0.0.1:6379/0", _match(r"(?:rediss?|unix)://\S*")),
    "kb": ("a name of a-z, 0-9, _ and -, at most 63 characters", _match("[a-z0-9][a-z0-9_-]{0,62}")),
    "cron": ('a cron time such as "0 9 * * 1-5"', lambda text: text if cron.fields(text) else ""),
    # cron starts us elsewhere than a person does: a path that begins in neither / nor ~ would name two programs
    "program": ("a name, or a path that begins with / or ~/", _match("[^/]*|~?/.*", _read_text)),
}
# What a list is of, whether one alone may stand for it, and how each element is read.
_ELEMENTS: dict[str, tuple[str, bool, Callable[[Setting, Node, str], Any]]] = {
    "words": ("names", False, _read_word),
    "names": ("names", True, _read_word),
    "patterns": ("gitignore patterns", True, _read_word),
    "urls": ("URLs that start with http:// or https://", False, _read_bare_url),
    "folders": ("paths, relative to the instance or starting with /", False, _read_folder),
}


MAX_DEPTH = 12


def read(raw: bytes) -> tuple[dict[str, Any], Fields, Fields]:
    """(values by dotted name, judgements, specialists). Raises ConfigInvalid with file, line and the nearest key."""
    try:
        return _read(marked_yaml.mapping(raw, NAME, max_depth=MAX_DEPTH))
    except marked_yaml.Broken as error:
        raise ConfigInvalid(str(error)) from error
    except Wrong as error:
        details = {"line": error.line, "key": error.key}
        raise ConfigInvalid(f"{NAME}:{error.line}: {error}", error.fix, details=details) from error


def _read(root: Node) -> tuple[dict[str, Any], Fields, Fields]:
    table = {setting.name: setting for setting in settings.TABLE}
    values = {name: setting.default for name, setting in table.items()}
    readers, maps = {"judgements": _read_judgements, "specialists": _read_specialists}, dict[str, Fields]()
    for key, node in root.items():
        if key not in readers:
            _walk(key, node, table, values)
        elif not node.is_null:
            maps[key] = readers[key](node)
    _check_together(values, root)
    return values, maps.get("judgements", {}), maps.get("specialists", {})


def _walk(name: str, node: Node, table: dict[str, Setting], values: dict[str, Any]) -> None:
    if name in table:
        values[name] = read_value(table[name], node, name)
        return
    if not any(key.startswith(f"{name}.") for key in table):
        above = name.rpartition(".")[0]
        known = [key.removeprefix(f"{above}.").partition(".")[0] for key in table if f".{key}".startswith(f".{above}")]
        raise refuse_unknown(node, name, {*known, *(() if above else ("judgements", "specialists"))})
    if not node.is_null:
        for key, child in _items(node, name):
            _walk(f"{name}.{key}", child, table, values)


def _items(node: Node, name: str) -> list[tuple[str, Node]]:
    if not node.is_mapping:
        raise refuse(node.line, name, f"must be a mapping, not {node.shown}")
    return list(node.items())


def _read_judgements(node: Node) -> Fields:
    found: Fields = {}
    for name, child in _items(node, "judgements"):
        if name not in settings.JUDGEMENTS:
            raise refuse_unknown(child, f"judgements.{name}", settings.JUDGEMENTS)
        found[name] = read_fields(child, settings.fields_of("judgements", name), f"judgements.{name}")
    return found


def _read_specialists(node: Node) -> Fields:
    """Every field of each specialist. A workload has one owner, a name is one that files and roles can bear."""
    known = settings.fields_of("specialists")
    defaults = {setting.name: setting.default for setting in known}
    found: Fields = {}
    owners: dict[str, str] = {}
    for name, child in _items(node, "specialists"):
        key = f"specialists.{name}"
        given = read_fields(child, known, key)
        if name in settings.CONDUCTORS or not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", name):
            why = "is the conductor's own" if name in settings.CONDUCTORS else "must be 1 to 40 of a-z, 0-9, - and _"
            raise Wrong(child.key_line, key, f"the name of specialist `{name[:60]}` {why}")
        folder = os.path.normpath(given.get("workspace", f"workspace/{name}"))
        if not folder.startswith("workspace/"):
            raise refuse(child.line, f"{key}.workspace", "must be a folder in workspace/")
        found[name] = {**defaults, **given, "workspace": folder}
        for workload in found[name]["workloads"]:
            if owners.setdefault(workload, name) != name:
                raise refuse(child.line, workload, f"belongs to `{owners[workload]}` already")
    return found


def _check_together(values: dict[str, Any], root: Node) -> None:
    needs = (
        ("notifications.channel", ("command",), "notifications.command", ""),
        ("notifications.fallback", ("command",), "notifications.command", ""),
        ("llm.backend", settings.BACKENDS[1:], "llm.models.cheap", ", the model to ask"),
        ("retrieval.backend", ("typesense",), "typesense.nodes", ", the servers to ask"),
    )
    for name, given, needed, what in needs:
        value = next((each for each in given if each == values[name] or each in (values[name] or ())), None)
        if value is not None and not values[needed]:
            raise Wrong(_find_line(root, name), name, f"`{name}: {value}` needs `{needed}`{what}")
    name, auto = "notifications.fallback", "evolution.auto_apply"
    if values["notifications.channel"] in values[name]:
        raise refuse(_find_line(root, name), name, "names the channel that it is to replace")
    if values[auto]:
        what = f"`{auto}: true` is refused: what the agent is told to do is changed by a person, who has read the diff"
        fix = "set it to false; `adjutant evolve accept ID` applies a suggestion"
        raise Wrong(_find_line(root, auto), auto, what, fix)


def _find_line(root: Node, name: str) -> int:
    """Where a dotted key stands, or the nearest above it that does."""
    line, node = 1, root
    for part in name.split("."):
        if not node.is_mapping or part not in (below := dict(node.items())):
            break
        node = below[part]
        line = node.key_line
    return line
