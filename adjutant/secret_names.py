"""GROUND. The names under which secrets stand in the environment or in .env; their values stay with `wire`."""

from __future__ import annotations

SECRETS = (
    "TELEGRAM_BOT_TOKEN",
    "TELEGRAM_CHAT_ID",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "TYPESENSE_API_KEY",
    "REDIS_URL",
)
# The only place a key from the environment is sent to. Any other address gets a key only from .env.
HOMES = {
    "TELEGRAM_BOT_TOKEN": "https://api.telegram.org",
    "TELEGRAM_CHAT_ID": "https://api.telegram.org",
    "OPENAI_API_KEY": "https://api.openai.com",
    "ANTHROPIC_API_KEY": "https://api.anthropic.com",
}


def is_home(name: str, address: str) -> bool:
    """True if `address` is on the official host of this secret, over HTTPS.

    It compares text up to the first slash, so no two URL parsers can disagree about the host.
    """
    return name in HOMES and f"{address.lower()}/".startswith(f"{HOMES[name]}/")


def labelled(name: str, value: str) -> dict[str, str]:
    """{what to call it: text} of all that must stand nowhere: the value and, of an address, the password in it."""
    if "://" not in value:
        return {name: value}
    from urllib.parse import unquote, urlsplit  # only where an address is set

    try:
        written = urlsplit(value).password or ""
    except ValueError:
        written = ""
    found = {name: value, f"{name} password": unquote(written)}
    if written != unquote(written):
        found[f"{name} password, as written"] = written
    return {label: text for label, text in found.items() if text}
