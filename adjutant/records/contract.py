"""RECORDS. The behaviour contract as a value: the words a directive may have, its file, hash and block."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import namedtuple
from functools import cached_property
from importlib import import_module

from adjutant.errors import FileDamaged
from adjutant.store import jsonl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from adjutant.store.files import Files

TYPES = ("KEEP", "MORE", "LESS", "STOP", "START")
AGAINST = ("LESS", "STOP")
SHORTEST, LONGEST = 4, 320
# What no text may hold: controls and line breaks; what turns, hides or joins letters; tags, fillers and selectors.
# Spelled out here since `status` reads a contract too; a test holds it against prompting/characters.
_HIDDEN = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
# Patterns as text: `re` compiles one when it is first needed, and ASCII needs none.
_CONTROL = "[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]"
# U+FE0F asks for an emoji's colours: telephones set it, and behind anything else it has no business.
_UNSEEN = f"[{_HIDDEN}]|(?<![0-9#*\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff])\ufe0f"
_BLANKS = "[\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+"
_CLOSING = " .!?;:"
_NO_TEXT = "\ufffd"  # what decoding leaves of bytes that are no text


def collapse(text: str) -> str:
    """`text` with one blank for every run of blanks and tabs, none around it."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    return re.sub(_BLANKS, " ", text).strip(" ")


def find_hidden(text: str) -> str:
    """What a collapsed text holds that no directive may, "" for nothing."""
    if text.isascii() and text.isprintable():
        return ""
    if _NO_TEXT in text:
        return "bytes that are no UTF-8"
    if re.search(_CONTROL, text):
        return "control characters or an unusual line break"
    return "characters that cannot be seen" if re.search(_UNSEEN, text) else ""


def without_hidden(text: str) -> str:
    """`text` without what `find_hidden` finds."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNSEEN, "", re.sub(_CONTROL, "", text)).replace(_NO_TEXT, "")


def problem(text: str) -> str:
    """Why a collapsed text is no directive's, "" when it is one."""
    short = f"too short, {len(text)} of at least {SHORTEST} characters" if len(text) < SHORTEST else ""
    long = f"too long, {len(text)} of at most {LONGEST} characters" if len(text) > LONGEST else ""
    return find_hidden(text) or short or long


def normal(text: str) -> str:
    """The normalised text: NFKC, blanks collapsed, closing marks away, casefolded; marks alone are kept."""
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    return (plain.rstrip(_CLOSING) or plain).casefold()


SOURCES = ("operator", "daily-review")
FIX = "restore the file, or move it away: `adjutant behavior apply` makes it anew from state/behavior/history.jsonl"
_ESCAPED = str.maketrans(
    {"&": "&amp;", **{char: f"&#x{ord(char):X};" for char in "＜＞﹤﹥‹›˂˃ᐸᐳ❮❯❰❱〈〉⟨⟩"}, "<": "&lt;", ">": "&gt;"}
)


class Directive(
    namedtuple(
        "Directive",
        "id type text source created_at expires message confidence evidence candidate promoted_at",
        defaults=("operator", "", "", "", None, (), "", ""),
    )
):
    """One rule. `source`: operator or daily-review; times are ISO-8601, "" for none. `expires`: the last day it holds.
    `message`: the id of the message that set it. The last four come with a promoted one: `confidence` 0 to 1,
    `evidence` rows with a `quote`."""

    @property
    def line(self) -> str:
        return f"{self.type}: {self.text}"

    @property
    def against(self) -> bool:
        return self.type in AGAINST

    def row(self) -> dict[str, Any]:
        """The directive as its file and every result have it: the first five always, the others where they say any."""
        told = zip(_KEYS, self, strict=True)
        found = {key: value for at, (key, value) in enumerate(told) if at < _ALWAYS or value not in ("", None, ())}
        return found | ({"evidence": list(self.evidence)} if self.evidence else {})


_KEYS = tuple({"created_at": "createdAt", "promoted_at": "promotedAt"}.get(name, name) for name in Directive._fields)
_ALWAYS = 5


class Contract(namedtuple("Contract", "version generated_at directives")):
    """All rules that hold. `version` rises by one with each change, 0 is no contract; `hash` is over what they say."""

    @cached_property
    def hash(self) -> str:
        """20 hex digits of SHA-256 over the canonical JSON of sorted (type, normalised text)."""
        said = sorted([each.type, normal(each.text)] for each in self.directives)
        return digest(json.dumps(said, ensure_ascii=False, separators=(",", ":")))[:20]


def id_of(type: str, text: str) -> str:
    """The id of a directive: the same words have the same on any machine."""
    return f"{type.lower()}-{digest(f'{type} {normal(text)}')[:8]}"


def digest(text: str) -> str:
    """SHA-256 in hex, without OpenSSL: hashlib costs `status` five milliseconds."""
    module = import_module("_sha2" if sys.version_info >= (3, 12) else "_sha256")
    return str(module.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


EMPTY = Contract(0, "", ())


def read(files: Files) -> Contract:
    """The contract of an instance, EMPTY without a file. Raises FileDamaged with the reason, IoFailed."""
    found = jsonl.read_object(files, files.tree.contract)
    if found is None:
        return EMPTY
    try:
        version, made, rows, hash = (found.get(key) for key in ("version", "generatedAt", "directives", "hash"))
        if len(found) != 4 or type(version) is not int or version < 1 or not isinstance(made, str):
            raise ValueError("not a behaviour contract (version, generatedAt, directives, hash)")
        if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
            raise ValueError("`directives` is no list of directives")
        contract = Contract(version, made, tuple(map(directive_of, rows)))
        if len({each.id for each in contract.directives}) < len(rows):
            raise ValueError("two directives have one id")
        if contract.hash != hash:
            why = f"the hash is {contract.hash}, not {str(hash)[:40]}"
            raise ValueError(f"{why}: it was not changed by the behaviour verbs")
    except ValueError as error:
        raise FileDamaged(f"{files.tree.relative(files.tree.contract)}:1: {error}", FIX) from None
    return contract


def past(contract: Contract, day: str) -> tuple[Directive, ...]:
    """The directives whose last day was before `day`, YYYY-MM-DD."""
    return tuple(each for each in contract.directives if each.expires and each.expires < day)


def text_of(contract: Contract) -> str:
    """The text of the contract's file."""
    row = {"version": contract.version, "generatedAt": contract.generated_at}
    row |= {"directives": [each.row() for each in contract.directives], "hash": contract.hash}
    return json.dumps(row, ensure_ascii=False, indent=1) + "\n"


def block(contract: Contract) -> str:
    """The block of a prompt, "" for a contract that says nothing. Each directive is one line that opens no tag."""
    if not contract.directives:
        return ""
    lines = [f"- {each.type}: {escape(each.text)}\n" for each in contract.directives]
    head = f'<BEHAVIOR_CONTRACT version="{contract.version}" hash="{contract.hash}">\n'
    return f"{head}{''.join(lines)}</BEHAVIOR_CONTRACT>"


def escape(text: str) -> str:
    """`text` without angle brackets and what looks like them."""
    return text.translate(_ESCAPED)


def directive_of(row: Mapping[str, Any]) -> Directive:
    """A directive from its row. Raises ValueError that says what is wrong with it."""
    given = dict(zip(Directive._fields, map(row.get, _KEYS), strict=True))
    confidence, evidence = given.pop("confidence"), given.pop("evidence")
    texts = {name: value for name, value in given.items() if value is not None}
    needed = texts.keys() >= set(Directive._fields[:_ALWAYS])
    if not needed or row.keys() - set(_KEYS) or not all(isinstance(value, str) for value in texts.values()):
        raise ValueError("a directive lacks a field, has one that none has, or one that is no text")
    if row["type"] not in TYPES or row["source"] not in SOURCES or not row["id"]:
        raise ValueError("a directive without id, of unknown type or source")
    if not row["text"] or find_hidden(row["text"]) or collapse(row["text"]) != row["text"]:
        raise ValueError(f"the text of {row['id'][:40]} is none that a directive may have")
    if not isinstance(evidence, list | None) or not (confidence is None or type(confidence) in (int, float)):
        raise ValueError(f"the confidence or evidence of {row['id'][:40]} is none")
    return Directive(**texts, confidence=confidence, evidence=tuple(evidence or ()))
