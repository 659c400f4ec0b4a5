"""OPINION. Whether a quiet zone would mute what nobody called useless; such a one is not suggested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjutant.app import plural
from adjutant.errors import AdjutantError, Stopped
from adjutant.records import insights, marks, matters_log
from adjutant.records.finding import USELESS_NOTICES
from adjutant.records.fingerprint import fingerprint
from adjutant.records.suggestion import Change
from adjutant.replay import hearts
from adjutant.replay.sides import Copy, one_line

if TYPE_CHECKING:
    from adjutant.app import App

NAMED = 2  # of the others


def why_refused(app: App, cause: str, change: Change | None) -> str:
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
    others = [
        each for each in found if not known & {fingerprint(each.kb, cited.path, cited.quote) for cited in each.cited}
    ]
    if not others:
        return ""
    named = ", ".join(f'"{one_line(each.title, 60)}" of {each.kb}' for each in others[:NAMED])
    more = f" and {plural(len(others) - NAMED, 'other')}" if len(others) > NAMED else ""
    return f"no word is theirs alone: it would also mute what is open now, {named}{more}"


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
