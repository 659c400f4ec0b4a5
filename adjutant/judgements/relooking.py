"""OPINION. Knowledge bases as runs once saw them, looked at again under another heart or other word lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from adjutant.domain.knowledge import look as looking
from adjutant.domain.knowledge.lexicon import Lexicon
from adjutant.domain.knowledge.look import MAX_LINE, replacement
from adjutant.domain.knowledge.passages import KbFile, KbScan
from adjutant.domain.knowledge.signals import QUOTE_CHARS, Signal
from adjutant.judgements.material import RANK, Line
from adjutant.records import registry
from adjutant.records.heart import Heart
from adjutant.records.registry import KnowledgeBase

if TYPE_CHECKING:
    from adjutant.judgements.copying import Copy

MOST_LINES = 200_000  # of a file; a record that was edited may name any number
Place = tuple[str, int]  # path and line
Texts = dict[str, dict[int, str]]


class View(NamedTuple):
    """What the rules look at a knowledge base with."""

    heart: Heart
    lexicon: Lexicon


class Shown(NamedTuple):
    """What a run recorded of a knowledge base: the lines shown, the signals code saw, under which heart, when."""

    kb: str
    description: str
    lines: Sequence[Line]
    signals: Sequence[Signal]
    heart: Heart
    when: datetime


class Looked(NamedTuple):
    """The signals that count, before and after; `muted`: {place: why} of those that are left alone after."""

    was: list[Signal]
    now: list[Signal]
    muted: dict[Place, str]


class OutOfTime(Exception):
    """No time is left for another look."""


class Looks:
    """Looks again, each text once a day and view. A text that is still as it was shown is read whole, one that changed
    since from the lines on record."""

    def __init__(self, copy: Copy, was: View, now: View) -> None:
        """Raises FileDamaged (the registry), IoFailed."""
        self._config, self._budget, self._was, self._now = copy.config, copy.budget, was, now
        self.kbs = {kb.name: kb for kb in registry.load(copy.app.files)}
        self.rebuilt: set[tuple[str, str]] = set()  # (knowledge base, path) of texts that are not what they were
        self._scans: dict[str, dict[str, KbFile]] = {}
        self._seen: dict[tuple[object, ...], list[Signal]] = {}

    def again(self, shown: Shown) -> Looked:
        """The signals of a recorded look, before and after. What only lies in lines that no record has stays as it
        was. Raises OutOfTime."""
        kb = self.kbs.get(shown.kb) or KnowledgeBase(shown.kb, "", "", shown.description)
        files = self._basis(kb, shown)
        recorded = worth_raising(shown.signals)
        then = self._look(kb, files, View(shown.heart, self._was.lexicon), shown.when)
        was, now = (self._look(kb, files, view, shown.when) for view in (self._was, self._now))
        return Looked(_carried(recorded, then, was), _carried(recorded, then, now), _muted(now))

    def today(self, kb: KnowledgeBase, now: datetime) -> Looked:
        """The signals of what lies in the folder now. Raises OSError where it cannot be read, OutOfTime."""
        files = list(self._scan(kb).values())
        was, after = (self._look(kb, files, view, now) for view in (self._was, self._now))
        return Looked(worth_raising(was), worth_raising(after), _muted(after))

    def _look(self, kb: KnowledgeBase, files: Sequence[KbFile], view: View, when: datetime) -> list[Signal]:
        key = (kb.name, when.date(), repr(view.heart), id(view.lexicon), *((each.path, each.sha256) for each in files))
        if key not in self._seen:
            if self._budget.over:
                raise OutOfTime
            self._seen[key] = looking.look(
                kb,
                KbScan(list(files), []),
                view.heart,
                when,
                view.lexicon,
                limit=self._config.whole("limits.signals_per_kb"),
                depth="quick",
                horizon=self._config.whole("heartbeat.horizon_days"),
            ).signals
        return self._seen[key]

    # -- what a run saw --------------------------------------------------------------------------------------

    def _scan(self, kb: KnowledgeBase) -> dict[str, KbFile]:
        """{path: file} of what lies there now. Raises OSError."""
        if kb.name not in self._scans:
            limits = self._config
            found = looking.scan(kb, limits.whole("limits.files_per_kb"), limits.whole("limits.bytes_per_file"))
            self._scans[kb.name] = {file.path: file for file in found.files}
        return self._scans[kb.name]

    def _basis(self, kb: KnowledgeBase, shown: Shown) -> list[KbFile]:
        """The files of a look: whole where they still are what was shown, or older than the run."""
        try:
            there = self._scan(kb) if kb.folder else {}
        except OSError:
            there = {}
        known = _known(shown)
        same = {path: there[path] for path, lines in known.items() if path in there and _stands(there[path], lines)}
        self.rebuilt |= {(kb.name, path) for path in known.keys() - same.keys()}
        files = [same.get(path) or _rebuilt(path, lines) for path, lines in known.items()]
        then = shown.when.timestamp() * 1_000_000_000
        files += [file for path, file in there.items() if path not in known and file.mtime_ns <= then]
        return sorted(files, key=lambda file: file.path)


def worth_raising(signals: Sequence[Signal]) -> list[Signal]:
    """Those that a triage gets to see."""
    return [each for each in signals if not each.muted and RANK[each.severity] >= RANK["medium"]]


def _carried(recorded: Sequence[Signal], then: Sequence[Signal], now: Sequence[Signal]) -> list[Signal]:
    """The recorded signals, those aside on which the look of now differs from the look of then, and what it has in
    their place."""
    was, new = _by_place(then), _by_place(now)
    other = {place for place in was.keys() | new.keys() if was.get(place) != new.get(place)}
    kept = [each for each in recorded if (each.path, each.line) not in other]
    return kept + [each for each in worth_raising(now) if (each.path, each.line) in other]


def _by_place(signals: Sequence[Signal]) -> dict[Place, list[Signal]]:
    found: dict[Place, list[Signal]] = {}
    for each in signals:
        found.setdefault((each.path, each.line), []).append(each)
    return found


def _muted(signals: Sequence[Signal]) -> dict[Place, str]:
    return {
        (each.path, each.line): each.muted or f"{each.severity} only"
        for each in signals
        if each.muted or RANK[each.severity] < RANK["medium"]
    }


def _known(shown: Shown) -> Texts:
    """{path: {line: text}} that is on record, quotes where there are no whole lines."""
    known: Texts = {}
    quoted = [(cited.path, cited.line, cited.quote) for signal in shown.signals for cited in signal.evidence]
    for path, number, text in (*((line.path, line.line, line.text) for line in shown.lines), *quoted):
        if 1 <= number <= MOST_LINES:
            known.setdefault(path, {}).setdefault(number, text)
    return known


def _stands(file: KbFile, lines: Mapping[int, str]) -> bool:
    """Whether the file still says what was shown of it; a line that was set aside can be any."""
    texts = file.lines()
    return all(
        number <= len(texts)
        and (
            text in (texts[number - 1][:MAX_LINE], texts[number - 1].strip()[:QUOTE_CHARS].rstrip())
            or text == replacement(file.path, number)
        )
        for number, text in lines.items()
    )


def _rebuilt(path: str, lines: Mapping[int, str]) -> KbFile:
    text = "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1))
    return KbFile(path, text, 0, sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
