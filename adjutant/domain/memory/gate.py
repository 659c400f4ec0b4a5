"""DOMAIN. The write gate: what does not become a note, and why. The reason never repeats a secret."""

import base64
import re
import tomllib
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate
from urllib.parse import quote

from adjutant.app import App
from adjutant.errors import MemoryRefused
from adjutant.language.pack import cached
from adjutant.records import layers
from adjutant.records.layers import Layer
from adjutant.screening.characters import letters_seen, without_controls, without_hidden, without_invisible
from adjutant.screening.screen import screen
from adjutant.secret_names import SECRETS, label
from adjutant.store import package
from adjutant.store.own_secrets import Blotter, own_secrets
from adjutant.store.tree import LAYERS

MAX_CHARS = 2000
SHINGLE = 8  # words in a row that nobody writes twice by chance
LEAST_WORDS = 4  # a whole text of fewer words is nobody's
SHORTEST_SECRET = 6
NONE: Mapping[str, str] = {}
KEYS, PHRASES = "secrets.toml", "phrases.toml"

_WHOLE_KEY = re.compile(r"(?s)-----BEGIN (?:[A-Z ]+ )?PRIVATE KEY.*?(?:-----END [A-Z ]*-----|\Z)")
_CARD = re.compile(r"(?<!\d)[2-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}(?!\d)")
_WORD = re.compile(r"\w+")


class Gate:
    """Looks at texts on their way to a note. `own`: {value: name} of secrets; `pages`: (path, text) of the layers."""

    def __init__(self, own: Mapping[str, str], pages: Iterable[tuple[str, str]]) -> None:
        self._own, self._pages = own, list[tuple[str, list[int], str]]()  # path, ends of lines, the words in a row
        for path, text in pages:
            lines = [" ".join(["", *_words(line)]) for line in text.split("\n")]
            self._pages.append((path, list(accumulate(map(len, lines))), f"{''.join(lines)} "))

    def admit(self, text: str, trust: str) -> str:
        """The text as it may be kept, or at least repeat a note. Raises MemoryRefused with the reason."""
        kept = clean(text)
        if not any(char.isalnum() for char in kept):
            raise MemoryRefused("refused: the text is empty", "write what to keep, in a sentence")
        if len(kept) > MAX_CHARS:
            fix = "keep the one thing that counts; a long text belongs in a knowledge base"
            raise MemoryRefused(f"refused: {len(kept)} characters, {MAX_CHARS} are allowed", fix)
        self.refuse_secrets(text)
        if trust == "untrusted":
            _refuse_orders(text)
        return kept

    def refuse_secrets(self, text: str) -> None:
        """Raises MemoryRefused for a text that holds a secret, and does not repeat it."""
        if kind := secret_in(text, self._own):
            raise MemoryRefused(f"refused: it holds {kind}", "what is kept gets into prompts; keep secrets in .env")

    def heading(self, text: str, trust: str) -> str:
        """A heading as it may stand in a title; "" for one that may not."""
        try:
            return self.admit(text, trust)
        except MemoryRefused:
            return ""

    def find_lifted(self, text: str) -> str:
        """Why this may not be kept as a new note: it stands in a layer of the prompt. "" when it does not."""
        words = _words(text)
        size = min(max(len(words), LEAST_WORDS), SHINGLE)
        for at in range(len(words) - size + 1):
            run = f" {' '.join(words[at : at + size])} "
            for path, ends, page in self._pages:
                if (found := page.find(run)) >= 0:
                    return f"it stands in {path}:{bisect_right(ends, found) + 1} already, which every prompt holds"
        return ""


def _refuse_orders(text: str) -> None:
    hits = [(hit.line, hit.reason) for hit in screen(text)]
    if order := _patterns(PHRASES)["standing"].search(without_invisible(text)):
        hits.append((text.count("\n", 0, order.start()) + 1, "says what to do from then on"))
    if hits:
        why = "line {} reads like an instruction to the assistant ({})".format(*hits[0])
        raise MemoryRefused(f"refused: {why}", "say what you learnt from it in your own words")


def for_app(app: App) -> Gate:
    """The gate of an instance. Raises FileDamaged for a layer that cannot be read, IoFailed."""
    pages: list[Layer] = [layers.read(app.files, app.config, name) for name in LAYERS]
    own = own_secrets(app.files, app.secret, app.environment)
    return Gate(own, [(page.path, page.text) for page in pages if not page.missing])


@cached(2)
def _patterns(file: str) -> dict[str, re.Pattern[str]]:
    kinds = tomllib.loads(package.text("domain", "memory", file))
    return {kind: re.compile("|".join(forms)) for kind, forms in kinds.items()}


def secret_in(text: str, own: Mapping[str, str] = NONE) -> str:
    """What kind of secret a text holds, "" for none. `own`: {value: name} of secrets, found in other spellings too."""
    plain = unicodedata.normalize("NFKC", without_invisible(without_controls(text)))
    together = "".join(plain.split())
    for value, name in own.items():
        data = value.encode("utf-8", "replace")
        coded = base64.b64encode(data).decode().rstrip("="), data.hex()
        spellings = (value, quote(value, safe=""), *coded, value[::-1])
        if any(each in plain or (len(value) >= 12 and each in together) for each in spellings):
            return f"one of this instance's own secrets ({name})"
    for kind, pattern in _patterns(KEYS).items():
        if pattern.search(plain):
            return kind
    for match in _patterns(PHRASES)["assigned"].finditer(plain):
        if _is_secret(match["value"], match["sign"] or ""):
            return "a password or key"
    return "the number of a card" if any(_is_card(match.group()) for match in _CARD.finditer(plain)) else ""


def without_keys(text: str) -> tuple[str, list[str]]:
    """(the text with every key in it replaced by what it is, what was taken out). A password in prose stays."""
    text, count = _WHOLE_KEY.subn("<a private key>", text)
    found = ["a private key"] if count else []
    for kind, pattern in _patterns(KEYS).items():
        text, count = pattern.subn(f"<{kind}>", text)
        found += [kind] if count else []
    return text, found


def clean(text: str) -> str:
    """A text as notes keep it: no control or hidden characters, no blanks at line ends or around it."""
    plain = without_hidden(without_controls(text))
    return "\n".join(line.rstrip() for line in plain.split("\n")).strip()


def _is_secret(value: str, sign: str) -> bool:
    """`is hunter2` is one, `: required` is none, nor is `=<your key>`; what else follows `password=` is one."""
    value = value.rstrip(".!?:)")
    if len(value) < 4 or _patterns(PHRASES)["placeholder"].fullmatch(value):
        return False
    mixed = any(char.isdigit() for char in value) or any(not char.isalnum() and char not in "-_'/=" for char in value)
    return sign in ("=", ":=", "=>") or (mixed and (bool(sign) or value.isdigit() or len(value) >= SHORTEST_SECRET))


def _is_card(number: str) -> bool:
    """Whether the check digit of a card's number is right (ISO/IEC 7812-1, Luhn)."""
    digits = [int(char) for char in number if char.isdigit()]
    doubled = (digit if at % 2 else 2 * digit - 9 * (digit > 4) for at, digit in enumerate(digits))
    return sum(doubled) % 10 == 0


def _words(text: str) -> list[str]:
    return _WORD.findall(letters_seen(without_controls(text)).replace("_", " "))


SHORTEST_PART = 6  # characters; a shorter value would blot out ordinary words


class Blots(Blotter):
    """Whatever must stand nowhere (store/own_secrets), and of this instance's own secrets each part."""

    def __init__(self, app: App) -> None:
        """Raises FileDamaged, IoFailed."""
        found = own_secrets(app.files, app.secret, app.environment)
        parts = [part for name in SECRETS for part in label(name, app.secret(name) or "").items()]
        found |= {text: name for name, text in parts if len(text) >= SHORTEST_PART}
        super().__init__(lambda: found)

    own = Blotter.text

    def message(self, text: str) -> tuple[str, list[str]]:
        """(what may be kept of an operator's message, what was taken out of it): keys of any service, too."""
        plain = self.own(text)
        kept, kinds = without_keys(plain)
        return kept, ["a secret of this instance"] * (plain != text) + kinds
