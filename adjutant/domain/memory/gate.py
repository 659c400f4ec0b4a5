"""DOMAIN. The write gate: what does not become a note, and why. The reason never repeats a secret."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import quote

from adjutant.domain.prompting import layers
from adjutant.domain.prompting.characters import letters_seen, without_controls, without_hidden, without_invisible
from adjutant.domain.prompting.layers import Layer
from adjutant.domain.prompting.screen import screen
from adjutant.errors import MemoryRefused
from adjutant.secret_names import SECRETS, labelled
from adjutant.store.config import Config
from adjutant.store.files import Files
from adjutant.store.tree import LAYERS

MAX_CHARS = 2000
SHINGLE = 8  # words in a row that nobody writes twice by chance
LEAST_WORDS = 4  # a whole text of fewer words is nobody's
SHORTEST_SECRET = 6

_KINDS = (
    ("a private key", r"-----(?:BEGIN|END) (?:[A-Z ]+ )?PRIVATE KEY|\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    ("a block of encoded data, which may be a key", r"(?m)(?:^[ \t>]*[A-Za-z0-9+/]{60,76}[ \t]*$\n?){4}"),
    ("an AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|(?i:aws_secret_access_key)\s*[=:]\s*\S{20,}"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}"),
    ("a GitLab token", r"\bgl(?:pat|dt|rt)-[\w-]{18,}"),
    ("an Anthropic key", r"\bsk-ant-[\w-]{16,}"),
    ("an OpenAI key", r"\bsk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}"),
    ("a Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}"),
    ("a Slack token", r"\bxox[abeprs]-[\w-]{10,}|hooks\.slack\.com/services/[\w/]{20,}"),
    ("a Google key", r"\bAIza[\w-]{35}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"),
    ("a bot token", r"\b\d{8,10}:[A-Za-z0-9_-]{35}\b"),
    ("a registry token", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{30,}|\bdckr_pat_[\w-]{20,}|\bhf_[A-Za-z0-9]{30,}"),
    ("a cloud token", r"\bdo[opr]_v1_[0-9a-f]{40,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bSK[0-9a-f]{32}\b"),
    ("a signed token", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{6,}"),
    ("a bearer token", r"(?i)\bbearer\s+(?=\S*\d)[A-Za-z0-9._~+/-]{16,}"),
    ("a password in an address", r"\b[a-z][a-z0-9+.-]*://[^\s:/@]*:(?!\*|<|\$|x{3})[^\s/@]{3,}@"),
)
_WHOLE_KEY = re.compile(r"(?s)-----BEGIN (?:[A-Z ]+ )?PRIVATE KEY.*?(?:-----END [A-Z ]*-----|\Z)")
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_WORDS = (r"pass(?:word|wd|phrase|code|wort|ord)|kennwort|pwd|pin(?:-?code|-?kode)?|secret|token|credential"
          r"|api[ _-]?key|access[ _-]?key|secret[ _-]?key|auth[ _-]?token|client[ _-]?secret")
_ASSIGNED = re.compile(rf"(?i)(?:\b|_)(?:{_WORDS})\b[\"'`]?\s*(?:(?P<sign>[:=]{{1,2}}|=>)|\b(?:is|er|ist|lautet)\b)\s*"
                       r"[\"'`“]?(?P<value>[^\s\"'`”,;]+)")
_PLACEHOLDER = re.compile(r"(?i)[<\[{(].*|\$.*|%.*|x{3,}|\*{2,}|\.{2,}|_+|env[:.].*|none|null|true|false")
_WORD = re.compile(r"\w+")


class Line(NamedTuple):
    """Where a run of words stands in a layer: its path, the line of its first word."""

    path: str
    line: int


class Gate:
    """Looks at texts on their way to a note. `own`: values of secrets; `pages`: (path, text) of the prompt's layers."""

    def __init__(self, own: Iterable[str], pages: Iterable[tuple[str, str]]) -> None:
        self._own = tuple(own)
        self._runs: dict[tuple[str, ...], Line] = {}
        self._pages: list[tuple[str, list[tuple[str, int]]]] = []
        for path, text in pages:
            words = [(word, number) for number, line in enumerate(text.split("\n"), start=1) for word in _words(line)]
            self._pages.append((path, words))
            for at in range(len(words) - SHINGLE + 1):
                run = tuple(word for word, _ in words[at : at + SHINGLE])
                self._runs.setdefault(run, Line(path, words[at][1]))

    def admit(self, text: str, trust: str) -> str:
        """The text as it may be kept, or at least repeat a note. Raises MemoryRefused with the reason."""
        kept = cleaned(text)
        if not any(char.isalnum() for char in kept):
            raise MemoryRefused("refused: an empty note", "say what to do differently from now on")
        if len(kept) > MAX_CHARS:
            raise MemoryRefused(f"refused: {len(kept)} characters, {MAX_CHARS} are allowed",
                                "keep the one thing to do differently; a long text belongs into a knowledge base")
        self.refuse_secrets(text)
        if trust == "untrusted" and (hits := screen(text)):
            raise MemoryRefused(f"refused: line {hits[0].line} reads like an instruction to the assistant "
                                f"({hits[0].reason})", "say what you learnt from it in your own words")
        return kept

    def refuse_secrets(self, text: str) -> None:
        """Raises MemoryRefused for a text that holds a secret, and does not repeat it."""
        kind = secret_in(text, self._own)
        if kind:
            raise MemoryRefused(f"refused: it holds {kind}", "notes become part of prompts; keep secrets in .env")

    def heading(self, text: str, trust: str) -> str:
        """A heading as it may stand in a title; "" for one that may not."""
        try:
            return self.admit(text, trust)
        except MemoryRefused:
            return ""

    def lifted(self, text: str) -> str:
        """Why this may not be kept as a new note: it stands in a layer of the prompt. "" when it does not."""
        words = _words(text)
        if LEAST_WORDS <= len(words) < SHINGLE:
            found = next((line for path, page in self._pages if (line := _stands(words, path, page))), None)
        else:
            runs = (tuple(words[at : at + SHINGLE]) for at in range(len(words) - SHINGLE + 1))
            found = next((self._runs[run] for run in runs if run in self._runs), None)
        return f"it stands in {found.path}:{found.line} already, which every prompt holds" if found else ""


def for_instance(files: Files, config: Config, secret: Callable[[str], str | None]) -> Gate:
    """The gate of an instance. Raises FileDamaged for a layer that cannot be read, IoFailed."""
    pages: list[Layer] = [layers.read(files, config, name) for name in LAYERS]
    return Gate(own_secrets(secret), [(page.path, page.text) for page in pages if not page.missing])


def own_secrets(secret: Callable[[str], str | None]) -> list[str]:
    """The values that must stand nowhere; of an address only the password in it."""
    values = {name: secret(name) or "" for name in SECRETS}
    found = [text for name, value in values.items() for label, text in labelled(name, value).items()
             if label != name or "://" not in value]
    return [text for text in found if len(text) >= SHORTEST_SECRET]


def secret_in(text: str, own: Iterable[str] = ()) -> str:
    """What kind of secret a text holds, "" for none. `own`: values of secrets, found in other spellings too."""
    plain = without_invisible(without_controls(text))
    together = "".join(plain.split())
    for value in own:
        if any(spelled in plain or (len(value) >= 12 and spelled in together) for spelled in _spellings(value)):
            return "one of this instance's own secrets"
    for kind, pattern in _PATTERNS:
        if pattern.search(plain):
            return kind
    for match in _ASSIGNED.finditer(plain):
        if _is_secret(match["value"], match["sign"] or ""):
            return "a password or key"
    return ""


def without_keys(text: str) -> tuple[str, list[str]]:
    """(the text with every key in it replaced by what it is, what was taken out). A password in prose stays."""
    text, count = _WHOLE_KEY.subn("<a private key>", text)
    found = ["a private key"] if count else []
    for kind, pattern in _PATTERNS:
        text, count = pattern.subn(f"<{kind}>", text)
        found += [kind] if count else []
    return text, found


def cleaned(text: str) -> str:
    """A text as notes keep it: no control or hidden characters, no blanks at line ends or around it."""
    plain = without_hidden(without_controls(text))
    return "\n".join(line.rstrip() for line in plain.split("\n")).strip()


def _is_secret(value: str, sign: str) -> bool:
    """`is hunter2` is one, `: required` is none, nor is `=<your key>`; what else follows `password=` is one."""
    value = value.rstrip(".!?)")
    if len(value) < 4 or _PLACEHOLDER.fullmatch(value):
        return False
    mixed = any(char.isdigit() for char in value) or any(not char.isalnum() and char not in "-_'/" for char in value)
    return "=" in sign or (mixed and (bool(sign) or value.isdigit() or len(value) >= SHORTEST_SECRET))


def _spellings(value: str) -> tuple[str, ...]:
    data = value.encode("utf-8", "replace")
    return value, quote(value, safe=""), base64.b64encode(data).decode().rstrip("="), data.hex(), value[::-1]


def _words(text: str) -> list[str]:
    return _WORD.findall(letters_seen(without_controls(text)).replace("_", " "))


def _stands(words: list[str], path: str, page: list[tuple[str, int]]) -> Line | None:
    """Where these words stand one after the other on a page."""
    size = len(words)
    for at in range(len(page) - size + 1):
        if page[at][0] == words[0] and [word for word, _ in page[at : at + size]] == words:
            return Line(path, page[at][1])
    return None
