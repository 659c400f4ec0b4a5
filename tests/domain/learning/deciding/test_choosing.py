"""Which drafts become suggestions: what is new, what waits, what was refused, and what only a person can place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from adjutant.domain.learning import acting, choosing
from adjutant.domain.learning.choosing import Chosen
from adjutant.records import evolution_log
from adjutant.records.suggestion import (
    CORRECTION,
    DEMOTE,
    FREQUENT,
    MEMORY,
    PROMOTE,
    UNFILED,
    UNUSED_ITEM,
    Analysis,
    Change,
    Draft,
    Finding,
    Quote,
    Rehearsal,
    Suggestion,
)
from tests.conftest import TestedApp
from tests.domain.learning.deciding.suggested import LINES, USER, learning, proposed, sha

NOTHING = Analysis("2026-11-20T01:00:00+00:00", "2026-11-20T09:00:00+00:00", 20, 0, True, {}, {}, {}, {}, {}, ())
BERG = "Invoices go to Berg, not to Hansen."


@pytest.fixture
def app(tmp_path: Path) -> TestedApp:
    return learning(tmp_path)


def said(text: str, talk: str = "d", times: int = 4) -> tuple[Quote, ...]:
    """The operator's words, so many times in a conversation."""
    return tuple(Quote(f"m-{number}", f"state/conversations/{talk}.jsonl#m-{number}", text) for number in range(times))


def draft(**more: Any) -> Draft:
    """A correction that becomes a note."""
    told: dict[str, Any] = {
        "kind": MEMORY,
        "cause": CORRECTION,
        "subject": "berg hansen invoic",
        "title": "Invoices go to Berg",
        "text": BERG,
        "effect": "",
        "weight": 0.5,
    } | more
    return Draft(**{"evidence": said(told["text"]), **told})


def demote(item: str, **more: Any) -> Draft:
    return draft(kind=DEMOTE, cause=UNUSED_ITEM, subject=item, text="", target=item, title=item, **more)


def choose(app: TestedApp, *drafts: Draft, analysis: Analysis = NOTHING) -> Chosen:
    return choosing.choose(app, evolution_log.read(app.files), analysis, drafts, lambda change: Rehearsal("rules"))


def put(app: TestedApp, *drafts: Draft) -> list[Suggestion]:
    """What is chosen of these, on record."""
    found = [each.suggestion for each in choose(app, *drafts).fresh]
    proposed(app, *found)
    return found


def later(app: TestedApp, day: str) -> TestedApp:
    return learning(Path(app.tree.root), now=f"{day}T09:00:00+00:00")


def test_the_weightiest_come_first_and_no_more_than_twelve(app: TestedApp) -> None:
    chosen = choose(
        app,
        *(
            draft(
                subject=f"matter {number} of {number * 7}",
                text=f"The {number} are at desk {number}.",
                weight=number / 20,
            )
            for number in range(20)
        ),
    )
    assert [round(each.suggestion.weight * 20) for each in chosen.fresh] == list(range(19, 7, -1))


def test_a_suggestion_says_what_its_draft_and_its_change_say(app: TestedApp) -> None:
    (note,) = put(app, draft(weight=0.9, figures={"sessions": 4.0}))
    assert (note.kind, note.before_sha, note.title) == (MEMORY, "", "Invoices go to Berg")
    assert note.path.startswith("memory/notes/correction/")
    assert "+Invoices go to Berg, not to Hansen." in note.diff
    assert note.tokens_after == 0
    assert list(evolution_log.read(app.files).held) == [note.id]


def test_what_waits_is_kept_and_not_doubled(app: TestedApp) -> None:
    put(app, draft())
    chosen = choose(app, draft(title="Other words"), draft(subject="something else entirely", text="Tea is at four."))
    assert [each.suggestion.text for each in chosen.fresh] == ["Tea is at four."]


@pytest.mark.parametrize(
    ("more", "known"),
    [
        ({"subject": "berg go hansen invoic"}, True),
        ({"subject": "berg hansen"}, True),
        ({"subject": "berg bill", "evidence": said(BERG, times=3)}, True),
        ({"subject": "berg bill", "evidence": said(BERG, "other")}, False),
        ({"subject": "oven supplier", "evidence": said(BERG)}, False),
        ({"cause": FREQUENT, "evidence": said(BERG)}, False),
    ],
)
def test_the_same_matter_is_known_in_other_words(app: TestedApp, more: dict[str, Any], known: bool) -> None:
    put(app, draft())
    assert bool(choose(app, draft(**more)).fresh) is not known


def test_two_items_of_a_layer_are_two_matters_whatever_shows_them(app: TestedApp) -> None:
    put(app, demote("user#short-answers"))
    assert choose(app, demote("user#the-van-is-blue")).fresh
    assert not choose(app, demote("user#short-answers")).fresh


@pytest.mark.parametrize("decide", ["reject", "revert"])
def test_after_a_no_it_is_quiet_for_ninety_days(app: TestedApp, decide: str) -> None:
    [first] = put(app, draft())
    if decide == "revert":
        acting.accept(app, first.id)
        assert not choose(app, draft()).fresh
    getattr(acting, decide)(app, first.id)
    assert not choose(app, draft()).fresh
    assert not choose(later(app, "2027-02-17"), draft()).fresh
    assert choose(later(app, "2027-02-18"), draft()).fresh


def test_one_that_waits_for_a_file_that_a_person_changed_is_made_anew(app: TestedApp) -> None:
    [old] = put(app, demote("user#the-van-is-blue"))
    (Path(app.tree.root) / USER).write_text(LINES.replace("- Short", "- New\n- Short"))
    [again] = choose(app, demote("user#the-van-is-blue")).fresh
    assert again.replaces == old.id
    assert again.suggestion.before_sha == sha(LINES.replace("- Short", "- New\n- Short"))


def test_what_fits_nowhere_is_told_in_words_once_in_thirty_days(app: TestedApp, tmp_path: Path) -> None:
    full = learning(tmp_path, layers__user__max_chars=1)
    lost = demote("user#no-such-item")
    chosen = choose(full, lost)
    assert chosen.fresh == []
    assert chosen.words[0].title == lost.title
    assert chosen.words[0].why
    assert len(chosen.told) == 1
    evolution_log.append(
        full.files,
        evolution_log.Run(ts="2026-11-20T09:00:00+00:00", run="r", since="", until="", read=1, told=tuple(chosen.told)),
    )
    assert choose(full, lost).told == []
    assert choose(full, lost).words
    assert choose(later(full, "2026-12-21"), lost).told


def test_a_finding_without_a_draft_is_told_in_words(app: TestedApp) -> None:
    found = msgspec.structs.replace(
        NOTHING,
        findings=(
            Finding(UNFILED, "uncategorised", {"turns": 9.0}, ()),
            Finding(CORRECTION, draft().subject, {}, ()),
            Finding(FREQUENT, "vault_index/keys", {"turns": 9.0}, (), "adjutant:build", weight=0.5),
        ),
    )
    drafts = draft(), draft(cause=FREQUENT, kind=PROMOTE, subject="agent_memory/n-1")
    assert [each.title for each in choose(app, *drafts, analysis=found).words if not each.why] == [
        "many turns fit no concept: name one in the taxonomy (9 turns)",
        "vault_index/keys is used in most turns about build: a line of user.md or tools.md could say it (9 turns)",
    ]
    assert len(choose(app, draft(), analysis=found).told) == 1


def test_the_fingerprint_of_a_new_file_leaves_its_name_out() -> None:
    one, two = (Change(f"memory/notes/fact/{name}.md", None, "x") for name in "ab")
    assert choosing.fingerprint(draft(), one.path, True) == choosing.fingerprint(draft(), two.path, True)
    old = Change("memory/notes/fact/a.md", "x", None)
    assert choosing.fingerprint(draft(), old.path, False) != choosing.fingerprint(draft(), one.path, True)
