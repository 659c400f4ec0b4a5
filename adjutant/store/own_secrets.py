"""FILES. The values that must stand nowhere: in no note, work log, index, prompt, notice, or file that git tracks."""

from __future__ import annotations

import json
import re

from adjutant.secret_names import SECRETS, label, parse_env, unquote_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from adjutant.store.files import Files

SHORTEST, SHORTEST_OF_OTHERS = 6, 8
SHORTEST_SOUGHT = 8  # in whole files, where a shorter one would be found in ordinary words
SHORTEST_PHRASE = 12  # letters alone: what is shorter is a word such as `postgres`
_NAMED_SO = re.compile(
    r"(?i)token|secret|passw|passphrase|passcode|credential|(?:api|access|private)key"
    r"|(?:^|_)(?:pass|pw|pwd|key|dsn|auth|cookie)(?:_|$)"
)
_LOCATION = re.compile(r"(?:~|\.{0,2})/.*|[A-Za-z]:\\.*")
_RELATIVE = re.compile(r"[\w.-]+(?:/[\w.-]+)+/?")
_PLAIN_PART = re.compile(r"[^\W\d_]+\d{0,2}|\d+")
_BETWEEN_WORDS = re.compile(r"[-_./:@, +]+")


def own_secrets(files: Files, secret: Callable[[str], str | None], environment: Mapping[str, str]) -> dict[str, str]:
    """{value: name} of what must stand nowhere: our own secrets, what .env sets that is no common word, number or path,
    and what the environment calls a token, key or password. Raises FileDamaged, IoFailed."""
    written = list(parse_env(files.find_text(files.tree.env) or "").items())
    written += [(name, unquote_value(value.partition(" #")[0].strip())) for name, value in written]
    ours = [(name, secret(name) or "") for name in SECRETS] + [each for each in written if each[0] in SECRETS]
    found: dict[str, str] = {}
    for value, name in _without_addresses(written).items():
        if name not in SECRETS and len(value) >= SHORTEST_OF_OTHERS and not _is_ordinary(value):
            found[value] = name
    others = [each for each in (*written, *environment.items()) if not _LOCATION.fullmatch(each[1])]
    for value, name in _without_addresses(others).items():
        is_word = value.isalpha() and len(value) < SHORTEST_PHRASE
        if name not in SECRETS and _NAMED_SO.search(name) and len(value) >= SHORTEST_OF_OTHERS and not is_word:
            found[value] = name
    return found | {value: name for value, name in _without_addresses(ours).items() if len(value) >= SHORTEST}


def _without_addresses(values: Iterable[tuple[str, str]]) -> dict[str, str]:
    """{value: name}; of an address only the password in it."""
    labels = ((name, value, *each) for name, value in values for each in label(name, value).items())
    return {text: name for name, value, called, text in labels if called != name or "://" not in value}


def _is_ordinary(value: str) -> bool:
    """Whether it is made of words and numbers as a host, an address of mail, a zone, a model's name and a date are."""
    parts = [part for part in _BETWEEN_WORDS.split(value) if part]
    plain = all(map(_PLAIN_PART.fullmatch, parts)) if len(parts) > 1 else value.isalpha()
    return plain or bool(_RELATIVE.fullmatch(value))


class Blotter:
    """Puts its name in place of each secret. `secrets`: {value: name}, asked for at the first use."""

    def __init__(self, secrets: Callable[[], Mapping[str, str]]) -> None:
        self._secrets = secrets
        self._known: list[tuple[str, str]] | None = None

    def _all(self) -> list[tuple[str, str]]:
        if self._known is None:  # the longest first, as one may hold another
            self._known = sorted(self._secrets().items(), key=lambda each: -len(each[0]))
        return self._known

    def text(self, text: str) -> str:
        for value, name in self._all():
            text = text.replace(value, f"<{name}>")
        return text

    def blot(self, text: str) -> str:
        """What is printed, JSON among it."""
        return self.data(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def data(self, data: bytes) -> bytes:
        """The bytes of a file without them, as JSON spells them too. Figures stay: in a record they are numbers."""
        for value, name in self._all():
            if not value.lstrip("-").isdigit():
                for form in {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}:
                    data = data.replace(form.encode("utf-8", "replace"), f"<{name}>".encode())
        return data
