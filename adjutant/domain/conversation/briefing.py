"""DOMAIN. The briefing: what happened since, made by code; it opens a session, and one that was silent for long.

What it names came from files that anybody may have written: all of it stands in one fence, as data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from hashlib import sha256

from adjutant.app import App, plural
from adjutant.clock import Clock
from adjutant.domain.matters.picture import Picture, sections
from adjutant.domain.recall.classify import UNCATEGORISED
from adjutant.domain.telling import message, standing
from adjutant.errors import AdjutantError, Stopped
from adjutant.records import insights, ledger
from adjutant.records.conversation import ConversationMessage
from adjutant.screening.fence import Fence, clean_line
from adjutant.screening.screen import screen
from adjutant.store import jsonl

SILENCE = timedelta(hours=6)
LINE = 150  # characters
NAMED, SLOG = 3, 5  # lines of one kind at most
OPEN = 15  # lines of what is open, with the one that counts the rest
MOST = 1100  # characters of the other lines; with what stands around them about 300 tokens
LOG_BYTES = 256 * 1024  # of the ledger and the work log, from their end
STAGES = ("pulse", "review")
LEFT_OUT = "- a line that reads like an instruction is left out"


def is_due(past: Sequence[ConversationMessage], clock: Clock) -> bool:
    """Nothing was said yet in this session, or nothing for six hours."""
    if not past:
        return True
    try:
        last = clock.parse(past[-1].ts)
    except ValueError:
        return True
    return clock.now() - last >= SILENCE


def compose(app: App, concept: str, picture: Picture | None = None) -> str:
    """The last pulse and review, pending insights, notices nobody got, the newest lines of the work log on `concept`
    (of any, for a message that is about none), and what is open in `picture` with its ids, where that could be drawn.
    The same text for the same files on the same day.

    What cannot be read is named in its line. Raises Stopped.
    """
    lines: list[str] = []
    kinds: tuple[tuple[str, Callable[[App], list[str]]], ...] = (
        ("the last runs", _runs),
        ("pending insights", _insights),
        ("notices", _notices),
        ("work log", lambda app: _slog(app, concept)),
    )
    for name, kind in kinds:
        try:
            lines += kind(app)
        except Stopped:
            raise
        except AdjutantError as error:
            lines.append(_line(f"{name}: cannot be read: {error.message}"))
    while len(lines) > 1 and sum(len(line) + 1 for line in lines) > MOST:
        lines.pop()
    lines += _opens(picture) if picture is not None else []
    for hit in screen("\n".join(lines)):
        lines[hit.line - 1] = LEFT_OUT
    text = "\n".join(lines)
    return Fence(sha256(text.encode("utf-8", "replace")).hexdigest()[:12]).wrap(text, "the instance's own records")


def _runs(app: App) -> list[str]:
    last = ledger.read_last(app.files)
    times = last["last"] if last else {}
    found = jsonl.tail(app.files, app.tree.actions, LOG_BYTES)
    lines = []
    for stage in STAGES:
        when = _moment(times.get(stage))
        record = next((each for each in reversed(found) if each.get("type") == stage), None) if when else None
        lines.append(_line(f"last {stage}: {when or 'never'}{_what(record)}"))
    return lines


def _what(record: dict[str, object] | None) -> str:
    """What a run came to, from its line in the ledger: how many matters, and the gravest of them."""
    if record is None:
        return ""
    told = "" if record.get("status", "completed") == "completed" else f", {record['status']}"
    for key, one, first in (("issues_found", "issue", "worst"), ("recommendations", "recommendation", "first")):
        if isinstance(matters := record.get(key), list):
            named = f", the {first}: {matters[0]}" if matters else ""
            return f"{told}, {plural(len(matters), one)}{named}"
    return told


def _insights(app: App) -> list[str]:
    good, damaged = insights.pending(app.files)
    good.sort(key=lambda each: -_grave(each.severity))
    lines = [f"{each.severity}: {each.title} ({each.kb}, {each.name})" for each in good]
    bad = [_line(f"damaged: insights/pending/{name}") for name, _ in damaged[:1]]
    return (_tell("pending insight", lines) or ["pending insights: none"]) + bad


def _notices(app: App) -> list[str]:
    held = standing.held_back(app.files, app.clock)
    lines = [f"{each['outcome']}: {each.get('text')}" for each in reversed(held)]
    return _tell("notice", lines, " that nobody got")


def _opens(picture: Picture) -> list[str]:
    """What is open, by urgency, a line each with its id: at most OPEN lines."""
    today, shown = picture.now.date(), [each for each in picture.shown() if each.certain or each.listed]
    parts = sections(shown, today)
    every = [*parts.late, *parts.near, *parts.week, *parts.waiting, *parts.new, *parts.rest]
    if not every:
        return []
    several = len({each.kb for each in every}) > 1
    named = message.first(every, OPEN - 1 if len(every) + bool(parts.older) < OPEN else OPEN - 2)
    lines = [f"open: {len(shown)}", *(f"- {message.line(each, today, several=several)}" for each in named)]
    left = len(shown) - len(named)
    return [*lines, f"{left} more: `adjutant today --all`"] if left else lines


def _slog(app: App, concept: str) -> list[str]:
    found = [
        each
        for each in jsonl.tail(app.files, app.tree.slog, LOG_BYTES)
        if isinstance(each.get("text"), str)
        and (concept == UNCATEGORISED or f"{each.get('concept')}/".startswith(f"{concept}/"))
    ]
    return [_line(f"log {_moment(each.get('ts'))}: {each['text']}") for each in reversed(found[-SLOG:])]


def _tell(one: str, lines: Sequence[str], which: str = "") -> list[str]:
    """How many there are, and the first NAMED of them a line each; nothing where there are none."""
    if not lines:
        return []
    more = f", the first {NAMED}" if len(lines) > NAMED else ""
    return [f"{plural(len(lines), one)}{which}{more}:", *(_line(line, "- ") for line in lines[:NAMED])]


def _grave(severity: str) -> int:
    return insights.RANK.get(severity, 0)


def _moment(told: object) -> str:
    """A time to the minute; "" for none."""
    return told[:16].replace("T", " ") if isinstance(told, str) else ""


def _line(text: str, mark: str = "") -> str:
    return mark + clean_line(text, LINE)
