"""OPINION. Whether a quiet zone would mute what nobody called useless; such a one is not suggested."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from adjutant.app import plural
from adjutant.errors import AdjutantError, Stopped
from adjutant.language.stems import telling
from adjutant.records import insights, marks, matters_log
from adjutant.records.finding import USELESS_NOTICES, Quote
from adjutant.records.fingerprint import fingerprint
from adjutant.records.suggestion import Change
from adjutant.replay import hearts
from adjutant.replay.sides import Copy, one_line

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.judgements.material import Issue

NAMED = 2  # of the others
ALIKE = 0.5  # of the words that are a matter's own: so many stand in a notice of it


def why_refused(app: App, cause: str, change: Change | None, evidence: Iterable[Quote]) -> str:
    """Why a quiet zone for useless notices is not suggested: by today's look it would mute other open matters, too. ""
    where it may be, and for whatever is no such zone. Raises Stopped."""
    if cause != USELESS_NOTICES or change is None:
        return ""
    try:
        found, known = hearts.find_muted(Copy(app, change)), _called_useless(app)
    except Stopped:
        raise
    except AdjutantError as error:
        return f"what else it would mute cannot be told: {one_line(error.message)}"
    notices = [(label.removeprefix("["), _words(title)) for label, title in _parts(evidence)]
    common = frozenset.intersection(*(words for _, words in notices)) if notices else frozenset[str]()
    others: list[Issue] = []
    for each in found:
        own = _words(each.title) - common  # what a notice of it does not say alike of all of them
        told = any(label == each.kb and len(own & words) >= ALIKE * len(own) for label, words in notices)
        if not told and not known & {fingerprint(each.kb, cited.path, cited.quote) for cited in each.cited}:
            others.append(each)
    if not others:
        return ""
    named = ", ".join(f'"{one_line(each.title, 60)}" of {each.kb}' for each in others[:NAMED])
    more = f" and {plural(len(others) - NAMED, 'other')}" if len(others) > NAMED else ""
    return f"no word is theirs alone: it would also mute what is open now, {named}{more}"


def _parts(evidence: Iterable[Quote]) -> list[tuple[str, str]]:
    """(label, title) of each notice `[kb] title, …`."""
    return [(each.text.partition("] ")[0], each.text.partition("] ")[2]) for each in evidence if each.text]


def _words(title: str) -> frozenset[str]:
    return frozenset(each for each in telling(title) if not each[0].isdigit())


def _called_useless(app: App) -> set[str]:
    """The fingerprints of all quotes of the matters that were called useless last. Raises FileDamaged, IoFailed."""
    found: set[str] = set()
    for line, name in marks.useless(app.files).items():
        found.add(line)
        try:
            found |= insights.load(app.files, name).prints()
        except (FileNotFoundError, AdjutantError):
            continue  # deleted or damaged since: its own fingerprint tells
    called, known = marks.last(app.files), matters_log.read(app.files)
    named = (known[id] for id, mark in called.items() if mark["state"] == "useless" and id in known)
    return found | {fingerprint(each.kb, each.path, each.quote) for each in named}
