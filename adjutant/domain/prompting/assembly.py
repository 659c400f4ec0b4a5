"""DOMAIN. A turn's prompt as a value: its parts in their one order, what each costs, and what had to be left out."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

from adjutant.errors import ConfigInvalid, UsageError
from adjutant.records.sections import PARTS, close_tags, section, tokens, tokens_of

BETWEEN = "\n\n"
SHORT_SHA = 20


class Part(NamedTuple):
    """One part as it stands in the prompt, tags included; `tier` says how often it is expected to change."""

    name: str
    tier: str
    text: str
    tokens: int
    sha256: str


def part(name: str, tier: str, text: str) -> Part:
    """The part of a text that is already between its tags."""
    return Part(name, tier, text, tokens(text), sha256(text.encode()).hexdigest())


class Retrieved(NamedTuple):
    """Something found for this message: the part it belongs to, its block there, how well it fits (within one answer);
    and the passage itself, where it stands, whose word it is, the collection that `id` is one of."""

    part: str
    id: str
    text: str
    score: float
    path: str = ""
    anchor: str = ""
    passage: str = ""
    trust: str = ""
    collection: str = ""


class PastMessage(NamedTuple):
    """An earlier message of the conversation: who spoke (operator or agent), and what."""

    role: str
    text: str


class Assembly(NamedTuple):
    """All parts in order; which contract stands in it; the ids of what was found; the messages as they are sent.
    `left_out`: how many found passages and earlier messages had no room."""

    parts: tuple[Part, ...]
    contract_version: int
    contract_hash: str
    retrieved: tuple[str, ...]
    history: tuple[PastMessage, ...]
    message: str
    left_out: tuple[int, int] = (0, 0)

    @property
    def text(self) -> str:
        return BETWEEN.join(each.text for each in self.parts)

    @property
    def system(self) -> str:
        return BETWEEN.join(each.text for each in self.parts if each.name not in ("history", "message"))

    @property
    def tokens(self) -> int:
        return sum(each.tokens for each in self.parts)

    @property
    def sha(self) -> str:
        return sha256(self.text.encode()).hexdigest()[:SHORT_SHA]


class PromptLimits(NamedTuple):
    """`prompt.max_tokens`, `prompt.weather_tokens`, `turn.history_messages`."""

    prompt: int
    weather: int
    messages: int


def assemble(
    standing: Sequence[Part],
    contract: tuple[int, str],
    message: str,
    limits: PromptLimits,
    *,
    briefing: str = "",
    found: Iterable[Retrieved] = (),
    history: Sequence[PastMessage] = (),
) -> Assembly:
    """`standing` (core to heart), what was found, as much of the conversation as there is room for, then the message.
    Cut are the oldest messages, then what fits least; nothing above ever is. Raises ConfigInvalid where the layers
    alone are over `prompt.max_tokens`, UsageError where the message does not fit."""
    layers = sum(each.tokens for each in standing)
    if layers > limits.prompt:
        what = f"adjutant.yaml: `prompt.max_tokens: {limits.prompt}`, and core and layers alone take {layers}"
        raise ConfigInvalid(what, "raise it, or shorten a layer: `adjutant prompt layers` shows what each takes")
    said = close_tags(message)
    last = [part("message", "", section("message", said))] if said else []
    room = limits.prompt - layers - sum(each.tokens for each in last)
    if room < 0:
        what = f"the message takes {last[0].tokens} tokens, and {limits.prompt - layers} are left for it"
        raise UsageError(what, "send less of it, put it into a file of workspace/, or raise `prompt.max_tokens`")
    shown, kept, dropped = _weather(briefing, list(found), min(limits.weather, room))
    room -= sum(each.tokens for each in shown)
    talk, past = _history(history, room, limits.messages)
    parts, left_out = (*standing, *shown, *talk, *last), (dropped, len(history) - len(past))
    return Assembly(parts, *contract, kept, past, said, left_out)


def _weather(briefing: str, found: list[Retrieved], room: int) -> tuple[list[Part], tuple[str, ...], int]:
    opening = section("briefing", briefing)
    if opening and tokens(opening) > room:
        opening = ""
    best = sorted(found, key=lambda each: -each.score)
    while True:
        told = {name: BETWEEN.join(each.text for each in best if each.part == name) for name in PARTS}
        texts = {"briefing": opening} | {name: section(name, inside) for name, inside in told.items() if inside}
        parts = [part(name, "weather", text) for name, text in texts.items() if text]
        if not best or sum(each.tokens for each in parts) <= room:
            return parts, tuple(each.id for each in best), len(found) - len(best)
        best.pop()


def _history(history: Sequence[PastMessage], room: int, most: int) -> tuple[list[Part], tuple[PastMessage, ...]]:
    past, chars = list[PastMessage](), len(section("history", "-")) - 1 - len(BETWEEN)
    latest = (PastMessage(each.role, close_tags(each.text)) for each in reversed(history[-most:] if most else ()))
    for each in (each for each in latest if each.text):
        chars += len(BETWEEN) + len(f"{each.role}: {each.text}")
        if tokens_of(chars) > room:
            break
        past.insert(0, each)
    lines = BETWEEN.join(f"{each.role}: {each.text}" for each in past)
    return ([part("history", "", section("history", lines))] if past else []), tuple(past)
