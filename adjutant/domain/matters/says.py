"""DOMAIN. What a sentence of the notes says by its words: that somebody is waited for, that something is left to do.

Few phrases tell a plain sentence from another, the rest is judged: sentences.json weighs its words, learnt from those
of many hands (bench/judging). That is never certain: it chooses lines for an answer, marked as what the notes say.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise

from adjutant.domain.matters.cues import CuePhrases, cues
from adjutant.domain.matters.fact import Kind
from adjutant.domain.matters.lines import MatterLine, is_slot
from adjutant.language import judging
from adjutant.language.dates import Date
from adjutant.language.judging import Judge
from adjutant.language.pack import cached, listed, packs
from adjutant.language.phrases import matcher
from adjutant.language.words import day_names, tokens, words

PLACE = ("domain", "matters", "sentences.json")
NONE, DONE = "none", "done"
KINDS: Mapping[str, Kind] = {"event": "appointment", "waiting": "waiting", "stuck": "problem"}
DUTIES = ("promised", "todo", "owed", "waiting", "pay")  # what is late when its day has gone
TELLING = 9  # words of a sentence that tells of something
LIKELY = 0.42  # of a sentence, that speaks for one kind among ten
OPEN, FAINT = 0.5, 0.01  # for any that is open; the least of what names a day that is asked for
SURE, LEAST, HINTED = 0.6, 5, 0.02  # for what names no day to come; words of it; for what holds a word of state


@cached(1)
def load() -> Judge:
    """The weights of sentences that come with the package. Raises OSError, msgspec.DecodeError."""
    return judging.read(*PLACE)


def judge(text: str, today: date, code: str = "", days: Sequence[Date] | None = None) -> dict[str, float]:
    """How likely a sentence is of each kind: waiting owed promised todo event pay unpaid stuck, done or none."""
    return load().shares(judging.features(text, today, code, days))


def is_open(shares: dict[str, float]) -> float:
    """How likely a sentence says that something is open, of whatever kind."""
    return 1 - shares[NONE] - shares[DONE]


def kind_of(said: MatterLine, day: Date | None, today: date, code: str) -> Kind | None:
    """What a line is that names a day to come, or none, where it is judged to say that something is open. A short one
    may be a title as well as news ("Critical Role is on Thursday"): it is nothing but a thing and its day."""
    if len(said.words) < (TELLING if day else LEAST) or said.text.rstrip().endswith(("?", ":")):
        return "appointment" if day is not None and is_slot(said, day, today) else None
    shares = judge(said.text, today, code) if day else _judge_undated(said.text, today, code)
    if is_open(shares) < (OPEN if day else SURE):
        return None
    return KINDS.get(max(shares.keys() - {NONE, DONE}, key=shares.__getitem__), "deadline" if day else "task")


def is_hinted(text: str, today: date, code: str) -> bool:
    """Whether a sentence with a word of state and without a day may say that something is open: a story does not."""
    return is_open(_judge_undated(text, today, code)) >= HINTED


def _judge_undated(text: str, today: date, code: str) -> dict[str, float]:
    shares = judge(text, today, code)
    shares[NONE] += shares.pop("event")  # an event on no day is none to come
    return shares


def says(text: str, kind: str, today: date, shares: dict[str, float] | None = None) -> float:
    """How likely a sentence says this, 1 where one of a few phrases says so, 0 for hardly. `shares`: as it was judged,
    None for not yet."""
    if (kind == "waiting" and _waits(text)) or (kind == "owed" and matcher("questions", "answer").first(text)):
        return 1.0
    if kind == "waiting" and _is_left_to_me(text):
        return 0.0
    shares = judge(text, today) if shares is None else shares
    share, least = (is_open(shares), OPEN) if kind == "open" else (shares[kind], LIKELY)
    return share if share >= least else 0.0


def _waits(text: str) -> bool:
    """Whether a phrase says that somebody is waited for: whoever it names begins with a capital."""
    found = matcher("matters", "waiting").first(text)
    named = found is not None and not any(_is_nobody(name) for name in found.slots.values())
    return named and not text.rstrip().endswith("?")


def _is_nobody(name: str) -> bool:
    return name[:1].islower() or any(word in cues().own for word in words(name))


def _is_left_to_me(text: str) -> bool:
    """Whether a duty is said in the passive and names nobody who has it: "the parcel has to be collected"."""
    said = words(text)
    for must, undergo, doer in _passives():
        duty = next((place + length for place, length in must.find(said)), len(said))
        if any(place >= duty for place, _ in undergo.find(said)):
            written = [text[each.start : each.end] for each in tokens(text)]
            names = (other for one, other in pairwise(written) if one in doer and other[0].isupper())
            waits = cues().labels["waiting"].find(said[:duty])
            return not waits and day_names(0).issuperset(map(str.lower, names))
    return False


@cached(1)
def _passives() -> list[tuple[CuePhrases, CuePhrases, frozenset[str]]]:
    """By language: words of duty, what makes them passive, and what names who has the duty."""
    lists = ([listed("matters", name, code) for name in ("must", "undergo", "doer")] for code in packs())
    return [(CuePhrases(must), CuePhrases(undergo), doer) for must, undergo, doer in lists]
