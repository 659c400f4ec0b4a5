"""FILES. The values in adjutant.yaml: each read from its text as written, and refused with its line."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from adjutant.errors import ConfigInvalid
from adjutant.store import cron
from adjutant.store.tree import CONFIG as NAME

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from adjutant.store.settings import Setting

CURRENCY = "USD"  # of a price that names none: most price lists are in it


def refusal(line: int, name: str, what: str, fix: str = "") -> ConfigInvalid:
    """The error for a value, with its place."""
    return ConfigInvalid(f"{NAME}:{line}: `{name}` {what}", fix, details={"line": line, "key": name})


def read_value(setting: Setting, node: Any, name: str) -> Any:
    """The Python value of a scalar, from its text as written: YAML 1.1's own ideas of 22:00 and no never apply."""
    if node.is_null and setting.kind == "prices":
        return {}
    if node.is_null and setting.optional:
        return None
    if setting.kind in _LISTS and not node.is_null:
        return _LISTS[setting.kind](setting, node, name)

    def wrong(what: str, why: str = "") -> ConfigInvalid:
        return refusal(node.line, name, f"must be {what}, not {node.shown}{why}")

    if not node.is_scalar or node.is_null:
        raise wrong(_wanted(setting))
    text: str = node.text
    if setting.kind == "redis" and ("@" in text or "password=" in text):  # not shown: the password would be
        raise refusal(node.line, name, "must hold no user or password; put the whole URL into REDIS_URL in .env")
    try:
        value: Any = _CONVERT[setting.kind](text)
    except ValueError as error:
        raise wrong(_wanted(setting), f": {error}" if setting.kind == "cron" else "") from None
    if setting.choices and value not in setting.choices:
        raise wrong(" | ".join(setting.choices) + _meant(setting, text))
    low, high = setting.low, setting.high
    if (low is not None and value < low) or (high is not None and value > high):
        raise wrong(_wanted(setting))
    return value


def _wanted(setting: Setting) -> str:
    what = _WANTED.get(setting.kind, "a text")
    if setting.low is not None and setting.high is not None:
        what += f" from {setting.low:g} to {setting.high:g}"
    elif setting.low is not None:
        what += f" of at least {setting.low:g}"
    return what + (" or null" if setting.optional else "")


def _elements(node: Any, name: str, what: str) -> Iterator[Any]:
    """The elements of a list. Raises ConfigInvalid for anything else, with the way to write one value as a list."""
    if not node.is_list:
        fix = f"write it as `[{node.text}]`" if node.is_scalar and node.text else ""
        raise refusal(node.line, name, f"must be a list{what}, not {node.shown}", fix)
    yield from node.elements()


def _folders(setting: Setting, node: Any, name: str) -> list[str | dict[str, Any]]:
    """A list of folders, each a path or a mapping; what is none is named by its own line."""
    found: dict[str, str | dict[str, Any]] = {}
    for item in _elements(node, name, " of paths"):
        entry = dict(item.items()) if item.is_mapping else {"path": item}
        if unknown := entry.keys() - {"path", "trust", "exclude"}:
            raise refusal(item.line, name, f"knows no `{min(unknown)}`; known here: path, trust, exclude")
        path, trust, exclude = (entry.get(key) for key in ("path", "trust", "exclude"))
        text = path.text if path is not None and path.is_scalar and not path.is_null else ""
        if text in found or text.startswith("~") or not _is_text(text):
            again = " (it is there already)" if text in found else ""
            what = f"holds paths, relative to the instance or starting with /, not {item.shown}{again}"
            raise refusal(item.line, name, what)
        rest: dict[str, Any] = {}
        if trust is not None:
            if trust.text not in setting.choices:
                raise refusal(trust.line, name, f"has `trust: {' | '.join(setting.choices)}`, not {trust.shown}")
            rest["trust"] = trust.text
        if exclude is not None:
            words = list(exclude.elements()) if exclude.is_list else []
            if not exclude.is_list or any(
                not word.is_scalar or word.is_null or not _is_text(word.text) for word in words
            ):
                what = f"has `exclude:` with a list of gitignore patterns, not {exclude.shown}"
                raise refusal(exclude.line, name, what)
            rest |= {"exclude": [word.text for word in words]} if words else {}
        found[text] = {"path": text, **rest} if rest else text
    return list(found.values())


def _meant(setting: Setting, text: str) -> str:
    import difflib  # only on this error path

    close = difflib.get_close_matches(text, setting.choices, n=1)
    return f" (did you mean `{close[0]}`?)" if close else ""


def _words(setting: Setting, node: Any, name: str) -> list[str]:
    """A list of names, none twice; with `choices`, of these only. Of the kind `names`, one name is a list too."""
    wanted = f" of {' | '.join(setting.choices)}" if setting.choices else " of names"
    found: list[str] = []
    alone = setting.kind == "names" and node.is_scalar and not node.is_null
    for item in [node] if alone else _elements(node, name, wanted):
        text = item.text
        if not item.is_scalar or not _is_text(text) or text in found or text not in (setting.choices or (text,)):
            said = " there twice" if text and text in found else f" not one of them{_meant(setting, str(text))}"
            raise refusal(item.line, name, f"is a list{wanted}, and {item.shown} is{said}")
        found.append(text)
    return found


def _urls(setting: Setting, node: Any, name: str) -> list[str]:
    """A list of URLs, one at least; each is named by its own line when it is none, or holds a password."""
    items = list(node.elements()) if node.is_list else []
    if not items:
        raise refusal(node.line, name, f"must be a list of URLs or null, not {node.shown}")
    found: list[str] = []
    for item in items:
        text = item.text.rstrip("/") if item.is_scalar else ""
        if "@" in text or text in found or not text.startswith(("http://", "https://")) or len(text.split()) != 1:
            shown = "one with a user or password" if "@" in text else item.shown
            raise refusal(item.line, name, f"holds URLs that start with http:// or https://, each once, not {shown}")
        found.append(text)
    return found


def _prices(setting: Setting, node: Any, name: str) -> dict[str, dict[str, Any]]:
    """{model: {in, out, currency}}; the two numbers are money per million tokens, of the prompt and of the reply."""

    def wrong(line: int, key: str, what: str) -> ConfigInvalid:
        return refusal(line, key, what, "write it as `gpt-4o-mini: {in: 0.15, out: 0.6, currency: USD}`")

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
        price: dict[str, Any] = {}
        for part in ("in", "out"):
            try:
                price[part] = _float(given[part].text)
                good = price[part] >= 0
            except (KeyError, ValueError):
                good = False
            if not good:
                shown = given[part].shown if part in given else "nothing"
                raise wrong(child.line, f"{key}.{part}", f"must be a number of at least 0, not {shown}")
        price["currency"] = given["currency"].text if "currency" in given else CURRENCY
        if not 1 <= len(price["currency"].strip()) <= 8 or not price["currency"].isprintable():
            raise wrong(child.line, f"{key}.currency", f"must be a short name such as EUR, not {child.shown}")
        found[model] = price
    return found


def _int(text: str) -> int:
    _require(text.lstrip("+-").isascii() and text.lstrip("+-").isdigit())
    return int(text)


def _float(text: str) -> float:
    _require(bool(text) and text[-1].isascii() and not text[-1].isalpha())
    value = float(text)
    _require(math.isfinite(value))
    return value


def _bool(text: str) -> bool:
    _require(text in ("true", "false", "True", "False"))
    return text.lower() == "true"


def _time(text: str) -> str:
    found = re.fullmatch(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", text)
    _require(found is not None)
    return text.zfill(5)


def _zone(text: str) -> str:
    import zoneinfo  # only when the file changed

    try:
        zoneinfo.ZoneInfo(text)
    except (zoneinfo.ZoneInfoNotFoundError, OSError) as error:
        raise ValueError(text) from error
    return text


def _url(text: str, schemes: tuple[str, ...] = ("http://", "https://")) -> str:
    _require(text.startswith(schemes) and not any(map(str.isspace, text)))
    return text.rstrip("/")


def _redis(text: str) -> str:
    _url(text, ("redis://", "rediss://", "unix://"))
    return text


def _cron(text: str) -> str:
    cron.fields(text)
    return text


def _text(text: str) -> str:
    _require(_is_text(text))
    return text


def _program(text: str) -> str:
    """cron starts us elsewhere than a person does: a path that begins in neither / nor ~ would name two programs."""
    _require("/" not in text or text.startswith(("/", "~/")))
    return _text(text)


def _is_text(text: str) -> bool:
    return bool(text.strip()) and all(ord(c) >= 32 for c in text)


def _require(right: bool) -> None:
    if not right:
        raise ValueError


_LISTS = {"folders": _folders, "words": _words, "names": _words, "urls": _urls, "prices": _prices}
_WANTED = {
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
}
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
