"""FILES. .env: KEY=value lines, as shells and containers write them."""

from __future__ import annotations


def parse(text: str) -> dict[str, str]:
    """{key: value}: comments, `export `, and one pair of quotes around a value are understood."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        line = line.strip().removeprefix("export ")
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found[key.strip()] = unquoted(value.strip())
    return found


def unquoted(value: str) -> str:
    """A value without the pair of quotes around it."""
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"" else value
