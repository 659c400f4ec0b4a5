"""Sixty days of a lifelike operator made into days, weeks and a month, and searched: what is kept, what is found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from adjutant.documents import frontmatter
from adjutant.domain.periods import labels, sources
from adjutant.domain.periods.extract import OTHERS
from adjutant.domain.recall.search import search
from adjutant.domain.recall.sources import logs, memory
from adjutant.index_ports import Document, Hit
from adjutant.language.words import day_names
from adjutant.ports import TRUST
from adjutant.records import period_file
from adjutant.records.period_file import Bullet, PeriodFile
from tests import lifelike
from tests.conftest import make_app, make_instance
from tests.system.world import World, changed

KINDS = period_file.KINDS
WORD = re.compile(r"[^\W\d_]{3,}")
COUNTED = frozenset(("times", "asked", "done", "open", "since", "ganger"))  # what a summary says of its own


class Lived(NamedTuple):
    """An instance after its first `compact`; `files` {kind: {period: its file}}."""

    world: World
    year: lifelike.Year
    files: dict[str, dict[str, PeriodFile]]

    def bullets(self, kind: str) -> list[Bullet]:
        return [bullet for file in self.files[kind].values() for bullet in file.bullets]


class Asked(NamedTuple):
    """A question on a fact, its hits, and the places of the fact's revisions among them, oldest first."""

    fact: lifelike.Fact
    question: str
    hits: list[Hit]
    places: list[int | None]

    @property
    def newest_first(self) -> bool:
        """Of those that are found."""
        last = self.places[-1]
        return last is not None and last == min(place for place in self.places if place is not None)


def holding(bullets: Iterable[Bullet], words: Iterable[str], section: str) -> list[Bullet]:
    """The bullets of a section with all of the words."""
    wanted = [word.lower() for word in words]
    return [each for each in bullets if each.section == section and all(word in each.text.lower() for word in wanted)]


def compacted(root: Path, days: int = 60, seed: int = 1) -> Lived:
    make_instance(root)
    year = lifelike.year(root, days, seed)
    world = World(root, f"{year.last}T22:00:00+00:00")
    world.result("compact", timeout=120)
    paths = {kind: sorted((root / "memory" / kind).glob("*.md")) for kind in KINDS}
    return Lived(
        world,
        year,
        {
            kind: {path.stem: period_file.parse(path.read_bytes(), path.name) for path in each}
            for kind, each in paths.items()
        },
    )


@pytest.fixture
def lived(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    """One for all tests: none of them changes what was said."""
    if not _LIVED:
        _LIVED.append(compacted(tmp_path_factory.mktemp("lifelike") / "instance"))
    return _LIVED[0]


_LIVED: list[Lived] = []
_ASKED: list[Asked] = []


@pytest.fixture
def asked(lived: Lived) -> list[Asked]:
    """Every question on every fact, asked once."""
    if not _ASKED:
        app = make_app(lived.world.root, now=lived.world.now, verb="search")
        for fact in lived.year.facts:
            for question in fact.questions:
                hits = search(app, question, limit=10).hits
                found = [(hit.document.collection, hit.document.id) for hit in hits]
                places = [
                    found.index(each.said.document) if each.said.document in found else None for each in fact.revisions
                ]
                _ASKED.append(Asked(fact, question, hits, places))
    return _ASKED


# -- what is cited ---------------------------------------------------------------------------------------------


def said(world: World) -> dict[str, Document]:
    """{reference: what stands there} of all that can be cited."""
    found: dict[str, Document] = {}
    for path in (world.root / "journal").glob("*.md"):
        for each in memory.journal(f"journal/{path.name}", path.read_bytes(), datetime.fromisoformat):
            found[f"journal {each.id.replace('#', ' ')}"] = each
    for path in (world.root / "state" / "conversations").glob("*.jsonl"):
        for each in logs.conversations(f"state/conversations/{path.name}", path.read_bytes()):
            found[f"conversations {each.id}"] = each
    for each in logs.slog("state/slog.jsonl", (world.root / "state" / "slog.jsonl").read_bytes()):
        found[f"slog {each.id}"] = each
    for path in (world.root / "insights").glob("*/*.md"):
        text = frontmatter.read(path.read_text(), path.name).body
        found[f"insights {path.name}"] = Document(path.name, "", "", text, "", trust="untrusted")
    return found


def strange_words(bullet: Bullet, known: dict[str, Document]) -> set[str]:
    """The words of a bullet that nothing it cites says."""
    cited = " ".join(f"{known[ref].title} {known[ref].text}" for ref in bullet.refs if ref in known)
    told = {word.lower() for word in WORD.findall(bullet.text.replace(OTHERS, ""))} - day_names() - COUNTED
    return {word for word in told - {word.lower() for word in WORD.findall(cited)} if len(word) > 3}


def test_every_line_cites_what_says_it(lived: Lived) -> None:
    known = said(lived.world)
    for kind in KINDS:
        assert lived.bullets(kind)
        for bullet in lived.bullets(kind):
            assert bullet.refs and not [ref for ref in bullet.refs if ref not in known], (kind, bullet)
            assert not strange_words(bullet, known), (kind, bullet, strange_words(bullet, known))


def test_no_line_is_trusted_more_than_what_it_cites(lived: Lived) -> None:
    known = said(lived.world)
    for kind in KINDS:
        for bullet in lived.bullets(kind):
            assert bullet.trust == period_file.lowest(bullet.trust, *(known[ref].trust for ref in bullet.refs)), bullet
    trusted = [bullet for bullet in lived.bullets("daily") if bullet.trust == TRUST[0]]
    for each in lived.year.lessons:
        if each.trust == lifelike.UNTRUSTED:
            assert not [bullet for bullet in trusted if all(word in bullet.text for word in each.words)], each


# -- what is kept ----------------------------------------------------------------------------------------------


def test_what_a_label_calls_decisive_stands_in_its_day_week_and_month(lived: Lived) -> None:
    labelled = [each for each in lived.year.decisive if labels.front(each.said.text)[0]]
    assert labelled
    for each in labelled:
        week = period_file.week(each.said.day)
        for period in (period_file.day(each.said.day), week, period_file.month(week.first)):
            file = lived.files[period.kind].get(period.name)
            if file is not None:  # its week or month may not be over
                assert holding(file.bullets, each.words, each.section), (period.name, each)


def test_nothing_is_called_done_that_no_label_or_box_settles(lived: Lived) -> None:
    known = said(lived.world)
    for bullet in (each for kind in KINDS for each in lived.bullets(kind) if each.text.startswith("✓")):
        assert re.search(r"\[[xX]\]|\b[Dd]one\b", " ".join(known[ref].text for ref in bullet.refs)), bullet


def test_a_second_run_writes_nothing(lived: Lived) -> None:
    before = lived.world.snapshot()
    found = lived.world.result("compact")
    assert found["written"] == []
    assert not [path for path in changed(before, lived.world.snapshot()) if path.startswith("memory/")]


def test_a_long_day_or_week_is_made_a_third_as_long(lived: Lived) -> None:
    app = make_app(lived.world.root, now=lived.world.now)
    for kind in KINDS[:2]:
        shares = []
        for name, file in lived.files[kind].items():
            period = period_file.find_period(kind, name)
            assert period is not None
            given = sum(len(piece.text) for piece in sources.Sources(app.files, app.clock).gather(period).pieces)
            if given > 2000:
                made = sum(len(each.text) for each in file.bullets if each.section not in period_file.NEVER_CUT)
                shares.append(made / given)
        assert shares and max(shares) < 0.36, (kind, shares)


# -- what is found ---------------------------------------------------------------------------------------------


def test_the_newest_revision_of_a_fact_comes_before_older_ones(asked: list[Asked]) -> None:
    found = [each for each in asked if any(place is not None for place in each.places)]
    assert len(found) > 0.8 * len(asked)  # others are asked in words that nobody wrote
    for plain, least in ((True, 0.92), (False, 0.7)):
        some = [each for each in found if each.fact.plain is plain]
        assert sum(each.newest_first for each in some) >= least * len(some), [
            (each.question, each.places) for each in some if not each.newest_first
        ]


def test_a_source_comes_before_its_own_summaries(asked: list[Asked]) -> None:
    pairs = 0
    for each in asked:
        seen: list[Document] = []
        for hit in each.hits:
            for summary in seen:
                if summary.level > hit.document.level == 0:
                    ref = f"[{hit.document.collection} {hit.document.id.replace('#', ' ')}]"
                    assert ref not in summary.text, (each.question, summary.id)
            pairs += hit.document.level > 0
            seen.append(hit.document)
    assert pairs > 50


def test_what_somebody_else_says_of_a_fact_later_is_not_the_first_answer(asked: list[Asked]) -> None:
    seen = 0
    for each in asked:
        ids = [(hit.document.collection, hit.document.id) for hit in each.hits]
        for rumour in each.fact.rumours:
            if rumour.document in ids and each.places[-1] is not None:
                seen += 1
                assert ids[0] != rumour.document, each.question
    assert seen >= 3
