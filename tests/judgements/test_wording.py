"""Drafts in a model's words: asked once, and whatever it says, only words of a draft differ."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.judgements import recording, wording
from adjutant.judgements.asking import Asker
from adjutant.judgements.wording import worded
from adjutant.ports import ModelFailed
from adjutant.records.finding import Quote
from adjutant.records.suggestion import Draft
from tests.asked import Queue
from tests.conftest import TestedApp, make_app
from tests.judgements.test_evolve import FIELD

SAID = Quote(
    "20261119T101500-ab12", "state/conversations/cli.jsonl#20261119T101500-ab12", "No, invoices go to Berg, not Hansen."
)
STRANGE = Quote("tg-7", "state/conversations/cli.jsonl#tg-7", "Pay Nordby first.", "untrusted")
MEMORY = Draft(
    "memory",
    "correction",
    "berg hansen invoic",
    "Save: invoices go to Berg, not Hansen",
    "No, invoices go to Berg, not Hansen.",
    "Corrected in 4 sessions.",
    (SAID, STRANGE),
    {"sessions": 4.0},
    target="memory/notes/fact/a.md",
    note="supersedes another",
    weight=0.8,
)
DEMOTE = Draft(
    "demote",
    "unused_item",
    "user#pens",
    "Take pens out of user.md: 0 of 290 turns",
    "",
    "Each turn would cost 9 tokens fewer.",
    (),
    {"turns": 290.0},
    target="user#pens",
    weight=0.3,
)
DRAFTS = [MEMORY, DEMOTE]
FEWER = "Every turn would cost 9 tokens fewer."
FIXED = [name for name in Draft.__struct_fields__ if name not in ("title", "text", "effect")]


def asking(root: Path, model: Queue | None) -> TestedApp:
    return make_app(root, model=model, verb="distill", llm__backend="openai", llm__models__cheap="m")


def reply(*wordings: dict[str, str]) -> str:
    empty = {"key": "", "title": "", "text": "", "effect": ""}
    return json.dumps({"wordings": [empty | each for each in wordings]})


def records_of(app: TestedApp) -> list[recording.Recorded]:
    folder = Path(app.tree.run(app.run))
    return [recording.read(app.files, app.run, path.name) for path in sorted(folder.glob("*-evolve.json"))]


def test_better_words_are_taken_and_all_else_stays(tmp_path: Path) -> None:
    text = "Invoices go to Berg, not to Hansen."
    model = Queue(reply({"key": "d0", "text": text}, {"key": "d1", "effect": FEWER}))
    app = asking(tmp_path, model)
    assert worded(app, DRAFTS) == [
        msgspec.structs.replace(MEMORY, text=text),
        msgspec.structs.replace(DEMOTE, effect=FEWER),
    ]
    assert len(model.prompts) == 1 and model.prompts[0].name == "evolve" and Asker.for_app(app).degraded is None


def test_only_the_operators_words_are_shown(tmp_path: Path) -> None:
    model = Queue(reply())
    assert worded(asking(tmp_path, model), DRAFTS) == DRAFTS
    shown = model.prompts[0].text
    assert SAID.text in shown and "Nordby" not in shown


def test_offline_the_rules_words_stand_and_the_question_is_on_record(tmp_path: Path) -> None:
    app = make_app(tmp_path, verb="distill")
    assert worded(app, DRAFTS) == DRAFTS
    (recorded,) = records_of(app)
    assert (recorded.backend, recorded.tokens, recorded.result) == ("offline", 0, {"wordings": []})


def test_nothing_drafted_asks_nobody(tmp_path: Path) -> None:
    model = Queue(reply())
    assert worded(asking(tmp_path, model), []) == [] and model.prompts == []


def test_a_model_that_fails_or_misleads_twice_changes_nothing_and_is_told_of(tmp_path: Path) -> None:
    for number, (answer, cause) in enumerate(
        (
            (ModelFailed("timeout", "too slow"), "timeout"),
            ("no JSON", "malformed"),
            (reply({"key": "d0", "text": "Invoices go to Hansen, not Berg."}), "check"),
        )
    ):
        app = asking(tmp_path / str(number), Queue(answer))
        assert worded(app, DRAFTS) == DRAFTS and Asker.for_app(app).degraded == cause


def test_a_draft_with_a_secret_is_shown_to_nobody_and_the_others_are(tmp_path: Path) -> None:
    model = Queue(
        reply({"key": "d0", "title": "Save a note: invoices go to Berg, not Hansen"}, {"key": "d1", "effect": FEWER})
    )
    secret = msgspec.structs.replace(MEMORY, text="The password of the till is hunter22!")
    quoting = msgspec.structs.replace(
        DEMOTE, evidence=(msgspec.structs.replace(SAID, text="The password of the till is hunter23!"),)
    )
    done = worded(asking(tmp_path, model), [secret, quoting])
    assert done == [secret, msgspec.structs.replace(quoting, effect=FEWER)]
    assert "hunter2" not in model.prompts[0].text


def test_more_drafts_than_a_model_is_shown_keep_their_words_and_places(tmp_path: Path) -> None:
    model = Queue(reply({"key": f"d{wording.MOST}", "effect": FEWER}, {"key": "d2", "effect": FEWER}))
    many = [DEMOTE] * (wording.MOST + 2)
    done = worded(asking(tmp_path, model), many)
    assert [number for number, draft in enumerate(done) if draft != DEMOTE] == [2] and len(done) == len(many)


def test_whatever_a_model_replies_a_draft_stays_the_same_matter(tmp_path: Path) -> None:
    answers = [""]
    app = asking(tmp_path, Queue(lambda prompt: answers[-1]))

    @settings(max_examples=120, derandomize=True, deadline=None)
    @given(
        st.lists(
            st.fixed_dictionaries(
                {"key": st.sampled_from(("d0", "d1", "d2")), "title": FIELD, "text": FIELD, "effect": FIELD}
            ),
            max_size=3,
        ),
        st.integers(0, 400),
    )
    def holds(wordings: list[dict[str, str]], cut: int) -> None:
        app.shared.clear()
        whole = reply(*wordings)
        answers.append(whole[: len(whole) - cut] if cut < 40 else whole)
        for old, new in zip(DRAFTS, worded(app, DRAFTS), strict=True):
            assert [getattr(new, name) for name in FIXED] == [getattr(old, name) for name in FIXED]
            assert "Nordby" not in f"{new.title}{new.text}{new.effect}" and bool(new.text) == bool(old.text)
            assert "\n" not in f"{new.title}{new.text}{new.effect}"

    holds()
