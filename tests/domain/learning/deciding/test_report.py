"""The report: what a person reads, and what cannot get out of its place in it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.learning import choosing
from adjutant.domain.learning.choosing import ReportWords
from adjutant.records import suggestion as finding
from adjutant.records.suggestion import (
    BY_RULES,
    UNFILED,
    UNKNOWN,
    Analysis,
    Change,
    Decided,
    Finding,
    Quote,
    Rehearsal,
    Suggestion,
)
from tests.conftest import TestedApp
from tests.domain.learning.deciding.suggested import edit, learning, made

HELD = Analysis(
    since="2026-11-20T01:00:00+00:00",
    until="2026-11-20T09:00:00+00:00",
    read=34,
    cycles=3,
    enough=True,
    compared={
        "concept": {"adjutant:platform": (20.0, 8.5, 0.31, 0.12), "adjutant:comms": (14.0, 12.0, 0.0, 0.0)},
        "agent": {},
        "channel": {},
    },
    tokens={"core": 400.2, "user": 1210.0, "empty": 0.2},
    degraded={"timeout": 3},
    notices={"escalation": (2, 1)},
    churn={"user": (4, True), "tools": (0, False)},
    findings=(),
)


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return learning(tmp_path)


def text(
    app: TestedApp,
    *several: Suggestion,
    words: tuple[ReportWords, ...] = (),
    held: Analysis = HELD,
) -> str:
    return choosing.compose(app.clock, held, several, words, False)


def test_a_person_reads_what_the_time_held_and_what_is_suggested_and_why(app: TestedApp) -> None:
    each = made(
        app,
        edit(app, "- The van", "- Invoices go to Berg\n- The van"),
        evidence=(
            Quote("m-1", "state/conversations/a.jsonl#m-1", "no, invoices go to *Berg*"),
            Quote("m-2", "state/conversations/b.jsonl#m-2", ""),
        ),
        figures={"sessions": 4.0, "share": 0.7},
        note="it costs a line",
    )
    told = text(
        app,
        each,
        words=(
            ReportWords("The layer user changes too often", "", ()),
            ReportWords("Keep the shed", "identity/user.md is full: shorten it first"),
        ),
    )
    for part in (
        "# Suggestions of 20 November 2026, 09:00\n",
        "20 November 2026, 01:00, to 20 November 2026, 09:00: 34 turns and 3 cycles",
        "| concept | adjutant:platform | 20 | 8.5 | 0.31 | 0.12 |",
        "A prompt held 1,610 tokens (user 1,210, core 400).",
        "Rules answered in a model's place: timeout 3.",
        "escalation 2 useful, 1 useless",
        "Layers that changed: user 4. More often than their tier should: user.",
        f"## 1 · Send invoices to Berg\n\n`{each.id}` · prompt_edit · identity/user.md\n",
        "Because of 4 sessions, 70% share:\n",
        '> "no, invoices go to Berg" (state/conversations/a.jsonl#m-1)',
        "> and 1 more: state/conversations/b.jsonl#m-2",
        "**Before you accept**: It costs a line.\n",
        f"```diff\n{each.diff}```\n",
        "- **What should come of it**: Nobody has to say it again.\n",
        "- **Cost**: 20 -> 25 tokens a turn\n",
        "- **Rehearsed**: by today's rules, every decision stays as it is.\n",
        f"adjutant evolve accept {each.id}\n",
        f"adjutant evolve reject {each.id} --reason",
        "## In words only\n\n- The layer user changes too often\n- Keep the shed - no diff: identity/user.md is full",
    ):
        assert part in told, part


def test_a_quiet_time_is_told_without_empty_tables(app: TestedApp) -> None:
    quiet = msgspec.structs.replace(HELD, compared={}, tokens={}, degraded={}, notices={}, churn={})
    assert text(app, held=quiet).count("\n") == 4


ROW = Decided("today", "pulse", "[launch] press kit", "high", "not raised")
REHEARSALS: dict[str, Rehearsal] = {
    "cannot be known. Nobody was asked": Rehearsal(UNKNOWN, note="nobody was asked under these words"),
    "by today's rules, every decision stays as it is": Rehearsal(BY_RULES),
    "by today's rules, 1 decision would change": Rehearsal(BY_RULES, 1, (ROW,)),
    "(launch) press kit: high -> not raised": Rehearsal(BY_RULES, 1, (ROW,)),
    "by today's rules, 30 decisions would change": Rehearsal(BY_RULES, 30, (ROW,)),
}


@pytest.mark.parametrize("wanted", REHEARSALS)
def test_a_rehearsal_says_what_it_knows(wanted: str) -> None:
    assert wanted in "\n".join(choosing.show_rehearsal(REHEARSALS[wanted])).replace("words.", "words").replace(
        "asked under these words", "asked"
    )


@pytest.mark.parametrize("content", ["```\n# Forged\n", "````diff\n```\n", "`" * 40, "~~~\n"])
def test_a_diff_cannot_close_its_fence(app: TestedApp, content: str) -> None:
    each = made(app, Change("skills/x/SKILL.md", content + "\n", content + "\nmore\n"))
    told = text(app, each)
    fence = re.search(r"^(`{3,})diff$", told, re.MULTILINE)
    assert fence is not None
    closing = re.compile(rf"^ {{0,3}}{fence[1]}`* *$", re.MULTILINE).search(told, fence.end())
    assert closing is not None
    assert told[fence.end() + 1 : closing.start() - 1] == each.diff.rstrip("\n")


def test_a_long_diff_is_cut_and_says_where_the_rest_is(app: TestedApp) -> None:
    each = made(app, Change("skills/x/SKILL.md", None, "line\n" * 500))
    told = text(app, each)
    assert f"more lines: `adjutant evolve show {each.id}` prints all of it." in told
    assert told.count("+line") < 130


HOSTILE = st.text(
    st.characters(blacklist_categories=("Cs",)) | st.sampled_from(list("`#>|*_[]()<\n\r\u2028\u202e\x1b\x00\u200b")),
    max_size=80,
)


def test_whatever_was_quoted_stays_on_its_line(app: TestedApp) -> None:
    change = edit(app, "- Short", "- Brief\n- Short")

    @settings(derandomize=True, max_examples=40, deadline=None)
    @given(HOSTILE, HOSTILE, HOSTILE)
    def stays(title: str, quote: str, note: str) -> None:
        each = made(
            app,
            change,
            title=title,
            note=note,
            effect=note,
            subject=quote,
            evidence=(Quote("m-1", f"{title}#1", quote, "untrusted"),),
        )
        found = text(app, each, words=(ReportWords(quote, note, each.evidence),))
        outside = found.replace(each.diff.rstrip("\n"), "")
        headings = [line for line in outside.split("\n") if line.startswith("#")]
        assert [line.split(" ")[0] for line in headings] == ["#", "##", "##"]
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2028\u200b]", found)
        assert outside.count("```") == 4
        assert "<" not in outside

    stays()


def test_a_finding_without_a_draft_is_told_in_words() -> None:
    told = choosing.word(Finding(UNFILED, "uncategorised", {"turns": 9.0}, ()))
    assert told.title.startswith("many turns fit no concept")
    assert "(9 turns)" in told.title


@pytest.mark.parametrize("cause", choosing.TOLD)
def test_every_finding_is_told_in_a_sentence_without_stems(cause: str) -> None:
    said = Quote("m-1", "state/conversations/d.jsonl#m-1", "No, invoices go to Berg.")
    each = Finding(cause, "berg invoic", {"sessions": 4.0}, (said,), workload="adjutant:comms")
    title = choosing.word(each).title
    assert title.endswith(" (4 sessions)")
    assert len(title.split()) > 7
    assert not re.search(r"[{}_]|adjutant:", title)
    if cause in (finding.CORRECTION, finding.QUESTION):
        assert "invoic " not in title
        assert '"No, invoices go to Berg."' in title
        assert "the same" in choosing.word(msgspec.structs.replace(each, evidence=())).title
