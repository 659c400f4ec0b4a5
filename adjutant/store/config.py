"""FILES. adjutant.yaml: parsed strictly by its marks, validated against the table, compiled to a cache."""

from __future__ import annotations

import json
import os

from adjutant.errors import AdjutantError, ConfigInvalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

    from adjutant.store.files import Files
    from adjutant.store.settings import Setting

MAX_BYTES = 256 * 1024
MAX_DEPTH = 12
NAME = "adjutant.yaml"
CURRENCY = "USD"  # of a price that names none: most price lists are in it


class Folder:
    """A folder that settings name: its path, whose word its files are (operator or untrusted), patterns left out."""

    __slots__ = ("exclude", "path", "trust")

    def __init__(self, path: str, trust: str = "", exclude: Iterable[str] = ()) -> None:
        self.path, self.trust, self.exclude = path, trust or "untrusted", tuple(exclude)


class Config:
    """The validated settings by dotted name; each getter states the type that the table already guarantees."""

    def __init__(
        self,
        values: dict[str, Any],
        judgements: dict[str, dict[str, Any]],
        specialists: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        """`judgements` and `specialists`: {name: {field: value}}."""
        self.values, self.judgements, self.specialists = values, judgements, specialists or {}

    def text(self, name: str) -> str:
        """A string."""
        value = self.values[name]
        assert isinstance(value, str), name
        return value

    def text_or_none(self, name: str) -> str | None:
        """A string, or None for null."""
        return None if self.values[name] is None else self.text(name)

    def whole(self, name: str) -> int:
        """An int."""
        value = self.values[name]
        assert isinstance(value, int), name
        return value

    def whole_or_none(self, name: str) -> int | None:
        """An int, or None for null."""
        return None if self.values[name] is None else self.whole(name)

    def number(self, name: str) -> float:
        """A float (seconds, as a rule)."""
        value = self.values[name]
        assert isinstance(value, int | float), name
        return float(value)

    def flag(self, name: str) -> bool:
        """A bool."""
        value = self.values[name]
        assert isinstance(value, bool), name
        return value

    def addresses(self, name: str) -> tuple[str, ...]:
        """A list of URLs; () for null."""
        value = self.values[name]
        assert value is None or isinstance(value, list), name
        return tuple(value or ())

    def prices(self) -> dict[str, dict[str, Any]]:
        """llm.prices: {beginning of a model's name: {in, out, currency}}, money per million tokens."""
        value = self.values["llm.prices"]
        assert isinstance(value, dict)
        return value

    def folders(self, name: str) -> tuple[Folder, ...]:
        """A list of folders: path as written (absolute or relative to the instance), trust, patterns left out."""
        value = self.values[name]
        assert isinstance(value, list), name
        entries = [each if isinstance(each, dict) else {"path": each} for each in value]
        return tuple(Folder(each["path"], each.get("trust", ""), each.get("exclude", ())) for each in entries)

    def paths(self, name: str) -> tuple[str, ...]:
        """A list of names, or the paths of a list of folders, as written."""
        return tuple(folder.path for folder in self.folders(name))


def load(files: Files) -> Config:
    """The compiled cache if it was made from these very bytes, else the file. Raises ConfigInvalid, IoFailed."""
    try:
        raw = files.read(files.tree.config, MAX_BYTES)
    except FileNotFoundError:
        message = f"{NAME} is missing in {files.tree.root}"
        raise ConfigInvalid(message, "`adjutant init DIR` makes an instance") from None
    except AdjutantError as error:
        if error.code == "file.damaged":
            raise ConfigInvalid(error.message) from error
        raise
    cached = _cached(files, raw)
    if cached is not None:
        return cached
    config = parse(raw)
    _compile(files, raw, config)
    return config


def _stamp() -> str:
    """The release of the table: a compiled config of another one is not trusted."""
    here = os.path.dirname(__file__)
    try:
        return "/".join(str(os.stat(f"{here}/{name}.py").st_mtime_ns) for name in ("settings", "config", "cron"))
    except OSError:
        return ""


def _cached(files: Files, raw: bytes) -> Config | None:
    try:
        data = json.loads(files.read(files.tree.config_cache))
        if data["stamp"] == _stamp() and data["raw"].encode() == raw:
            return Config(data["values"], data["judgements"], data["specialists"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, AdjutantError):
        pass  # a cache that cannot be used is simply not used
    return None


def _compile(files: Files, raw: bytes, config: Config) -> None:
    try:
        made = {
            "stamp": _stamp(),
            "values": config.values,
            "judgements": config.judgements,
            "specialists": config.specialists,
            "raw": raw.decode(),
        }
        files.replace(files.tree.config_cache, json.dumps(made))
    except (OSError, AdjutantError, UnicodeDecodeError):
        pass  # failing to write a cache is no error


def parse(raw: bytes) -> Config:
    """Validates the bytes of adjutant.yaml. Raises ConfigInvalid with file, line and the nearest valid key."""
    from adjutant.store import marked_yaml, settings  # yaml costs 18 ms: only when the file changed

    try:
        root = marked_yaml.mapping(raw, NAME, max_depth=MAX_DEPTH)
    except marked_yaml.Broken as error:
        raise ConfigInvalid(str(error)) from error
    table = {setting.name: setting for setting in settings.TABLE}
    values = {name: setting.default for name, setting in table.items()}
    maps: dict[str, dict[str, dict[str, Any]]] = {}
    for key, node in root.items():
        if key == "judgements":
            maps[key] = _map(key, node, settings.fields_of, settings.JUDGEMENTS)
        elif key == "specialists":
            maps[key] = _specialists(node)
        else:
            _walk(key, node, table, values)
    _together(values, root)
    return Config(values, maps.get("judgements", {}), maps.get("specialists", {}))


def _walk(name: str, node: Any, table: dict[str, Setting], values: dict[str, Any]) -> None:
    if name in table:
        values[name] = _value(table[name], node, name)
        return
    inner = [key for key in table if key.startswith(f"{name}.")]
    if not inner:
        raise _unknown(name, node, {key for full in table for key in _prefixes(full)} | {"judgements", "specialists"})
    if node.is_null:
        return
    if not node.is_mapping:
        raise ConfigInvalid(f"{NAME}:{node.line}: `{name}` must be a mapping, not {node.shown}")
    for key, child in node.items():
        _walk(f"{name}.{key}", child, table, values)


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[: n + 1]) for n in range(len(parts))]


def _unknown(name: str, node: Any, known: set[str]) -> ConfigInvalid:
    import difflib  # only on this error path

    head, _, last = name.rpartition(".")
    siblings = {key.rpartition(".")[2] for key in known if key.rpartition(".")[0] == head}
    close = difflib.get_close_matches(last, siblings, n=1, cutoff=0.5)
    hint = f"; did you mean `{close[0]}`?" if close else f"; known here: {', '.join(sorted(siblings))}"
    details = {"line": node.key_line, "key": name}
    return ConfigInvalid(f"{NAME}:{node.key_line}: unknown key `{name}`{hint}", details=details)


def _map(
    section: str,
    node: Any,
    known: Callable[[str], Iterable[Setting]],
    names: Collection[str] = (),
) -> dict[str, dict[str, Any]]:
    """{name: {field: value}} of a section whose names are free, or limited to `names`; `known` fields of each."""
    if node.is_null:
        return {}
    if not node.is_mapping:
        raise ConfigInvalid(f"{NAME}:{node.line}: `{section}` must be a mapping, not {node.shown}")
    found: dict[str, dict[str, Any]] = {}
    for name, child in node.items():
        if names and name not in names:
            raise _unknown(f"{section}.{name}", child, {f"{section}.{each}" for each in names})
        if not child.is_mapping:
            raise ConfigInvalid(f"{NAME}:{child.line}: `{section}.{name}` must be a mapping, not {child.shown}")
        found[name] = {}
        fields = {setting.name: setting for setting in known(name)}
        for key, value in child.items():
            if key not in fields:
                raise _unknown(f"{section}.{name}.{key}", value, {f"{section}.{name}.{each}" for each in fields})
            found[name][key] = _value(fields[key], value, f"{section}.{name}.{key}")
    return found


def _specialists(node: Any) -> dict[str, dict[str, Any]]:
    """Every field of each specialist. A workload has one owner, a name is one that files and roles can bear."""
    from adjutant.store import settings

    found = _map("specialists", node, lambda name: settings.SPECIALIST_FIELDS)
    owners: dict[str, str] = {}
    for name, child in node.items() if found else ():
        if name in settings.CONDUCTORS or not _is_name(name):
            why = "is the conductor's own" if name in settings.CONDUCTORS else "must be 1 to 40 of a-z, 0-9, - and _"
            raise ConfigInvalid(f"{NAME}:{child.key_line}: the name of specialist `{name[:60]}` {why}")
        fields = {setting.name: setting.default for setting in settings.SPECIALIST_FIELDS}
        found[name] = {**fields, "workspace": f"workspace/{name}", **found[name]}
        folder = os.path.normpath(found[name]["workspace"])
        if not folder.startswith("workspace/"):
            raise ConfigInvalid(f"{NAME}:{child.line}: `specialists.{name}.workspace` must be a folder in workspace/")
        found[name]["workspace"] = folder
        for workload in found[name]["workloads"]:
            if workload in owners:
                raise ConfigInvalid(f"{NAME}:{child.line}: `{workload}` belongs to `{owners[workload]}` already")
            owners[workload] = name
    return found


def _value(setting: Setting, node: Any, name: str) -> Any:
    """The Python value of a scalar, from its text as written: YAML 1.1's own ideas of 22:00 and no never apply."""

    def wrong(what: str, why: str = "") -> ConfigInvalid:
        return ConfigInvalid(
            f"{NAME}:{node.line}: `{name}` must be {what}, not {node.shown}{why}",
            details={"line": node.line, "key": name},
        )

    if node.is_null and setting.kind == "prices":
        return {}
    if node.is_null:
        if setting.optional:
            return None
        raise wrong(_wanted(setting))
    if setting.kind == "folders":
        return _folders(setting, node, name)
    if setting.kind == "urls":
        return _urls(node, name)
    if setting.kind == "words":
        return _words(setting, node, name)
    if setting.kind == "prices":
        return _prices(node, name)
    if not node.is_scalar:
        raise wrong(_wanted(setting))
    text: str = node.text
    if setting.kind == "redis" and ("@" in text or "password=" in text):  # not shown: the password would be
        raise ConfigInvalid(
            f"{NAME}:{node.line}: `{name}` must hold no user or password; put the whole URL into REDIS_URL in .env",
            details={"line": node.line, "key": name},
        )
    try:
        value: Any = _CONVERT[setting.kind](text)
    except ValueError as error:
        raise wrong(_wanted(setting), f": {error}" if setting.kind == "cron" else "") from None
    if setting.choices and value not in setting.choices:
        import difflib  # only on this error path

        close = difflib.get_close_matches(text, setting.choices, n=1)
        raise wrong(" | ".join(setting.choices) + (f" (did you mean `{close[0]}`?)" if close else ""))
    low, high = setting.low, setting.high
    if (low is not None and value < low) or (high is not None and value > high):
        raise wrong(_wanted(setting))
    return value


def _wanted(setting: Setting) -> str:
    what = {
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "time": 'a time "HH:MM"',
        "zone": "an IANA time zone such as Europe/Oslo",
        "url": "a URL that starts with http:// or https://",
        "path": "a path",
        "folders": "a list of paths",
        "cron": 'a cron time such as "0 9 * * 1-5"',
        "program": "a name, or a path that begins with / or ~/",
        "redis": "a URL such as redis://127.0.0.1:6379/0",
    }.get(setting.kind, "a text")
    if setting.low is not None and setting.high is not None:
        what += f" from {setting.low:g} to {setting.high:g}"
    elif setting.low is not None:
        what += f" of at least {setting.low:g}"
    return what + (" or null" if setting.optional else "")


def _folders(setting: Setting, node: Any, name: str) -> list[str | dict[str, Any]]:
    """A list of folders, each a path or a mapping; what is none is named by its own line."""

    def wrong(line: int, what: str, fix: str = "") -> ConfigInvalid:
        return ConfigInvalid(f"{NAME}:{line}: `{name}` {what}", fix, details={"line": line, "key": name})

    if not node.is_list:
        fix = f"write it as `[{node.text}]`" if node.is_scalar and node.text else ""
        raise wrong(node.line, f"must be a list of paths, not {node.shown}", fix)
    found: list[str | dict[str, Any]] = []
    paths: set[str] = set()
    for item in node.elements():
        entry = dict(item.items()) if item.is_mapping else {"path": item}
        if unknown := entry.keys() - {"path", "trust", "exclude"}:
            raise wrong(item.line, f"knows no `{min(unknown)}`; known here: path, trust, exclude")
        path = entry.get("path")
        text = path.text if path is not None and path.is_scalar and not path.is_null else ""
        if text in paths or text.startswith("~") or not _is_text(text):
            again = " (it is there already)" if text in paths else ""
            raise wrong(item.line, f"holds paths, relative to the instance or starting with /, not {item.shown}{again}")
        paths.add(text)
        trust = entry.get("trust")
        if trust is not None and trust.text not in setting.choices:
            raise wrong(trust.line, f"has `trust: {' | '.join(setting.choices)}`, not {trust.shown}")
        exclude = entry.get("exclude")
        words = list(exclude.elements()) if exclude is not None and exclude.is_list else []
        if exclude is not None and (not exclude.is_list or not all(map(_is_pattern, words))):
            raise wrong(exclude.line, f"has `exclude:` with a list of gitignore patterns, not {exclude.shown}")
        rest: dict[str, Any] = {"trust": trust.text} if trust is not None else {}
        rest |= {"exclude": [word.text for word in words]} if words else {}
        found.append({"path": text, **rest} if rest else text)
    return found


def _is_pattern(node: Any) -> bool:
    return bool(node.is_scalar and not node.is_null and _is_text(node.text))


def _words(setting: Setting, node: Any, name: str) -> list[str]:
    """A list of names, none twice; with `choices`, of these only."""
    wanted = f" of {' | '.join(setting.choices)}" if setting.choices else ""
    if not node.is_list:
        raise ConfigInvalid(
            f"{NAME}:{node.line}: `{name}` must be a list{wanted or ' of names'}, not {node.shown}",
            f"write it as `[{node.text}]`" if node.is_scalar and node.text else "",
            details={"line": node.line, "key": name},
        )
    found: list[str] = []
    for item in node.elements():
        text = item.text
        wrong = setting.choices and text not in setting.choices
        if not item.is_scalar or not _is_text(text) or text in found or wrong:
            again = " (it is there already)" if text and text in found else ""
            raise ConfigInvalid(
                f"{NAME}:{item.line}: `{name}` is a list{wanted or ' of names'}, and {item.shown} is none{again}",
                details={"line": item.line, "key": name},
            )
        found.append(text)
    return found


def _urls(node: Any, name: str) -> list[str]:
    """A list of URLs, one at least; each is named by its own line when it is none, or holds a password."""
    items = list(node.elements()) if node.is_list else []
    if not items:
        raise ConfigInvalid(
            f"{NAME}:{node.line}: `{name}` must be a list of URLs or null, not {node.shown}",
            details={"line": node.line, "key": name},
        )
    found: list[str] = []
    for item in items:
        text = item.text.rstrip("/") if item.is_scalar else ""
        if "@" in text or text in found or not text.startswith(("http://", "https://")) or len(text.split()) != 1:
            shown = "one with a user or password" if "@" in text else item.shown
            raise ConfigInvalid(
                f"{NAME}:{item.line}: `{name}` holds URLs that start with http:// or https://, each once, not {shown}",
                details={"line": item.line, "key": name},
            )
        found.append(text)
    return found


def _prices(node: Any, name: str) -> dict[str, dict[str, Any]]:
    """{model: {in, out, currency}}; the two numbers are money per million tokens, of the prompt and of the reply."""

    def wrong(line: int, key: str, what: str) -> ConfigInvalid:
        return ConfigInvalid(
            f"{NAME}:{line}: `{key}` {what}",
            "write it as `gpt-4o-mini: {in: 0.15, out: 0.6, currency: USD}`",
            details={"line": line, "key": key},
        )

    if not node.is_mapping:
        raise wrong(node.line, name, f"must be a mapping of models, not {node.shown}")
    found: dict[str, dict[str, Any]] = {}
    for model, child in node.items():
        key = f"{name}.{model}"
        if not child.is_mapping:
            raise wrong(child.line, key, f"must be `{{in: …, out: …}}`, not {child.shown}")
        given = dict(child.items())
        if unknown := given.keys() - {"in", "out", "currency"}:
            raise wrong(child.line, key, f"knows no `{min(unknown)}`; known here: in, out, currency")
        price: dict[str, Any] = {"in": 0.0, "out": 0.0, "currency": CURRENCY}
        for part in ("in", "out"):
            try:
                price[part] = _float(given[part].text) if part in given else -1.0
            except ValueError:
                price[part] = -1.0
            if price[part] < 0:
                shown = given[part].shown if part in given else "nothing"
                raise wrong(child.line, f"{key}.{part}", f"must be a number of at least 0, not {shown}")
        if "currency" in given:
            price["currency"] = given["currency"].text
            if not 1 <= len(price["currency"].strip()) <= 8 or not price["currency"].isprintable():
                raise wrong(child.line, f"{key}.currency", f"must be a short name such as EUR, not {child.shown}")
        found[model] = price
    return found


def _redis(text: str) -> str:
    if not text.startswith(("redis://", "rediss://", "unix://")) or any(c.isspace() for c in text):
        raise ValueError(text)
    return text


def _int(text: str) -> int:
    if not text.lstrip("+-").isascii() or not text.lstrip("+-").isdigit():
        raise ValueError(text)
    return int(text)


def _float(text: str) -> float:
    value = float(text) if text and text[-1].isascii() and not text[-1].isalpha() else float("nan")
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(text)
    return value


def _bool(text: str) -> bool:
    if text not in ("true", "false", "True", "False"):
        raise ValueError(text)
    return text.lower() == "true"


def _time(text: str) -> str:
    hour, colon, minute = text.partition(":")
    ok = colon and hour.isdigit() and minute.isdigit() and len(hour) in (1, 2) and len(minute) == 2 and text.isascii()
    if not ok or int(hour) > 23 or int(minute) > 59:
        raise ValueError(text)
    return f"{int(hour):02d}:{minute}"


def _zone(text: str) -> str:
    import zoneinfo  # only when the file changed

    try:
        zoneinfo.ZoneInfo(text)
    except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise ValueError(text) from error
    return text


def _url(text: str) -> str:
    if not text.startswith(("http://", "https://")) or any(c.isspace() for c in text):
        raise ValueError(text)
    return text.rstrip("/")


def _cron(text: str) -> str:
    from adjutant.store import cron  # only when the file changed

    cron.fields(text)
    return text


def _is_name(text: str) -> bool:
    """A name that files and roles can bear."""
    return 1 <= len(text) <= 40 and text[0] not in "-_" and not text.strip("abcdefghijklmnopqrstuvwxyz0123456789-_")


def _is_text(text: str) -> bool:
    return bool(text.strip()) and all(ord(c) >= 32 for c in text)


def _text(text: str) -> str:
    if not _is_text(text):
        raise ValueError(text)
    return text


def _program(text: str) -> str:
    """cron starts us elsewhere than a person does: a path that begins in neither / nor ~ would name two programs."""
    if "/" in text and not text.startswith(("/", "~/")):
        raise ValueError(text)
    return _text(text)


_CONVERT = {
    "str": _text,
    "path": _text,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "time": _time,
    "zone": _zone,
    "url": _url,
    "redis": _redis,
    "cron": _cron,
    "program": _program,
}


def _together(values: dict[str, Any], root: Any) -> None:
    """What is impossible only in combination."""

    def needs(name: str, value: str, needed: str, what: str = "") -> None:
        if values[name] == value and not values[needed]:
            raise ConfigInvalid(f"{NAME}:{_line(root, name)}: `{name}: {values[name]}` needs `{needed}`{what}")

    needs("notifications.channel", "command", "notifications.command")
    if values["llm.backend"] != "offline":
        needs("llm.backend", values["llm.backend"], "llm.models.cheap", ", the model to ask")
    needs("retrieval.backend", "typesense", "typesense.nodes", ", the servers to ask")
    if values["evolution.auto_apply"]:
        raise ConfigInvalid(
            f"{NAME}:{_line(root, 'evolution.auto_apply')}: `evolution.auto_apply: true` is refused: what the agent is "
            "told to do is changed by a person, who has read the diff",
            "set it to false; `adjutant evolve accept ID` applies a suggestion",
        )


def _line(root: Any, name: str) -> int:
    """Where a dotted key stands, or the nearest above it that does."""
    line, node = 1, root
    for part in name.split("."):
        node = dict(node.items()).get(part) if node is not None and node.is_mapping else None
        line = node.key_line if node is not None else line
    return line


def defaults() -> Config:
    """The table's own values, for verbs that must work while adjutant.yaml is broken."""
    from adjutant.store import settings

    return Config({setting.name: setting.default for setting in settings.TABLE}, {})
