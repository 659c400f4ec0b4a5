"""GROUND. Secrets: their names in the environment and in .env, KEY=value lines, and where each may be sent."""

import re

SECRETS = (
    *("TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"),
    *("TYPESENSE_API_KEY", "REDIS_URL", "ADJUTANT_NOTIFY_URLS"),
)
PLACES = "ADJUTANT_NOTIFY_URLS"  # addresses of channels, with blanks between them: any part may be a key
SHORTEST_PART = 8
# The only place a key from the environment is sent to. Any other address gets a key only from .env.
HOMES = {
    "TELEGRAM_BOT_TOKEN": "https://api.telegram.org",
    "TELEGRAM_CHAT_ID": "https://api.telegram.org",
    "OPENAI_API_KEY": "https://api.openai.com",
    "ANTHROPIC_API_KEY": "https://api.anthropic.com",
}


def is_home(name: str, address: str) -> bool:
    """True if `address` is on the official host of this secret, over HTTPS. It compares text up to the first slash, so
    no two URL parsers can disagree about the host."""
    return name in HOMES and f"{address.lower()}/".startswith(f"{HOMES[name]}/")


def label(name: str, value: str) -> dict[str, str]:
    """{what to call it: text} of all that must stand nowhere: the value and, of an address, the password in it."""
    if "://" not in value:
        return {name: value}
    if name == PLACES:
        return {name: value} | _parts(value)
    from urllib.parse import unquote, urlsplit  # only where an address is set

    try:
        written = urlsplit(value).password or ""
    except ValueError:
        written = ""
    found = {name: value, f"{name} password": unquote(written)}
    if written != unquote(written):
        found[f"{name} password, as written"] = written
    return {label: text for label, text in found.items() if text}


def _parts(value: str) -> dict[str, str]:
    """{what to call it: text} of each address and of all in it that is no plain word, host or number."""
    from urllib.parse import unquote  # as above

    found: dict[str, str] = {}
    for url in value.split():
        user, _, _ = url.partition("://")[2].rpartition("@")
        written = [url, user.rpartition(":")[2]]
        written += [part for part in re.split(r"[/:@?&=#,]", url) if len(part) >= SHORTEST_PART and _odd(part)]
        for text in (*written, *map(unquote, written)):
            if text and text not in found.values():
                found[f"{PLACES} part {len(found) + 1}"] = text
    return found


def _odd(part: str) -> bool:
    """Whether it looks like a key: digits among letters, or both cases."""
    return not re.fullmatch(r"[a-z]+|[A-Z]?[a-z]*|\d+|[\w-]+(?:\.[\w-]+)+", part)


def is_loopback(host: str) -> bool:
    """Whether it is this machine."""
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def list_hearers(address: str) -> list[str]:
    """The other machines that this address names without TLS: whoever is on the way there reads a key that is sent."""
    scheme, _, rest = address.partition("://")
    if scheme.lower() not in ("http", "redis", "ntfy", "gotify", "matrix"):
        return []
    from urllib.parse import urlsplit  # only for such an address

    found = []
    for place in re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].split(","):
        try:
            found.append(urlsplit(f"//{place}").hostname or place)
        except ValueError:
            found.append(place)
    return [host for host in found if not is_loopback(host)]


def parse_env(text: str) -> dict[str, str]:
    """{key: value}: comments, `export `, and one pair of quotes around a value are understood."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        line = line.strip().removeprefix("export ")
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found[key.strip()] = unquote_value(value.strip())
    return found


def unquote_value(value: str) -> str:
    """A value without the pair of quotes around it."""
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"" else value


def host_of(address: str) -> str:
    """The host in an address, "" when it has none."""
    from urllib.parse import urlsplit  # only where something is built that goes over a network

    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
