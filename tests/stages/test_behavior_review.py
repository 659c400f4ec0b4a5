"""behavior review: what was said becomes candidates and a digest; no second run, model or stranger adds to it."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.app import Outcome
from adjutant.domain.behavior import control
from adjutant.domain.recall.places import TABLE
from adjutant.domain.recall.servers import tokens
from adjutant.errors import IoFailed
from adjutant.mirrors.typesense import Typesense
from adjutant.ports import Prompt
from adjutant.records import behavior_history, contract, journal
from adjutant.records.instance import InstanceOwner
from adjutant.stages import behavior_review, index
from adjutant.store.files import Files
from adjutant.store.tree import Tree
from tests.asked import Queue
from tests.conftest import NOW, TestedApp, make_app, parsed
from tests.judgements.test_behavior_review import ATTACKS, CARRIERS
from tests.servers import KEY, TypesenseServer

MODEL = {"llm__backend": "openai", "llm__models__cheap": "small"}
ASKED = ("Always name your sources.", "Please always name your sources.")
WISH = "From now on begin every plan with its cost"
JOURNAL = "journal/2026-11-20.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "mine"


def say(root: Path, *messages: tuple[str, str] | str, session: str = "cli", hours: float = 2, first: int = 1) -> None:
    """Messages of the operator's, each behind an answer; (role, text) stands as it is."""
    folder = root / "state" / "conversations"
    folder.mkdir(parents=True, exist_ok=True)
    begin = datetime.fromisoformat(NOW) - timedelta(hours=hours)
    with (folder / f"{session}.jsonl").open("a") as file:
        for number, given in enumerate(messages):
            rows = [("agent", "an answer"), ("operator", given)] if isinstance(given, str) else [given]
            for role, text in rows:
                id = f"m{first + number}" + ("-answer" if role == "agent" else "")
                file.write(
                    json.dumps(
                        {
                            "id": id,
                            "ts": (begin + timedelta(minutes=number)).isoformat(),
                            "role": role,
                            "name": role,
                            "text": text,
                        }
                    )
                    + "\n"
                )


def app_of(root: Path, *, run: str = "0001", **more: Any) -> TestedApp:
    return make_app(root, verb="behavior review", run=f"20261120T090000-{run}", **more)


def review(app: TestedApp) -> Outcome:
    return behavior_review.run(app, parsed(behavior_review, "review"))


def result(root: Path, **more: Any) -> dict[str, Any]:
    return review(app_of(root, **more)).result


def told(root: Path) -> str:
    path = root / JOURNAL
    return path.read_text() if path.exists() else ""


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


# -- by rules ------------------------------------------------------------------------------------------------


def test_explicit_wishes_become_candidates_and_a_digest(root: Path) -> None:
    say(root, *ASKED, WISH, "that was long", "what is due this week?")
    found = result(root)
    assert (found["outcome"], found["status"], found["read"], found["left_out"]) == ("proposed", "completed", 5, 0)
    assert [(row["type"], row["text"], row["confidence"]) for row in found["good_patterns"]] == [
        ("START", "name your sources", 0.91),
        ("START", "begin every plan with its cost", 0.7),
    ]
    assert found["bad_patterns"] == []
    first, second = found["candidates"]
    assert first["evidence"] == [{"quote": ASKED[1], "record": "cli/m2"}, {"quote": ASKED[0], "record": "cli/m1"}]
    assert (first["status"], first["expiresAt"]) == ("pending", "2026-11-27T09:00:00+00:00")
    assert told(root) == (
        f'## 09:00 — Behaviour review\n\n- **{first["id"]}** START: name your sources (91%): "{ASKED[1]}"\n'
        f'- **{second["id"]}** START: begin every plan with its cost (70%): "{WISH}"\n\n'
    )
    waiting = behavior_history.candidates(behavior_history.read(app_of(root).files), datetime.fromisoformat(NOW))
    assert [each.row() for each in waiting] == found["candidates"]


def test_it_sets_no_directive_and_sends_no_notice(root: Path) -> None:
    say(root, *ASKED)
    found = result(root, behavior__digest=True)
    assert not (root / "state/behavior/contract.json").exists()
    assert found["notice"] is None
    assert not (root / "state" / "notices.jsonl").exists()


def test_a_wish_against_something_is_a_bad_pattern(root: Path) -> None:
    say(root, "No more emojis in your answers, please")
    assert [(row["type"], row["text"]) for row in result(root)["bad_patterns"]] == [("STOP", "emojis")]


def test_offline_it_says_what_a_model_would_add(root: Path) -> None:
    say(root, *ASKED)
    assert any("a model would also read" in line for line in review(app_of(root)).lines)


@pytest.mark.parametrize("settle", [None, "promote", "reject", "remove"])
def test_the_same_day_proposes_nothing_twice_whatever_came_of_it(root: Path, settle: str | None) -> None:
    say(root, *ASKED)
    [first] = result(root)["candidates"]
    app = app_of(root)
    if settle == "reject":
        control.reject(app, first["id"])
    elif settle is not None:
        made = control.promote(app, first["id"]).directive
        assert made is not None
        if settle == "remove":
            control.remove(app, made.id)
    before = behavior_history.read(app.files)
    say(root, "name your sources from now on", "always name your sources!", first=10, hours=1)
    again = result(root, run="0002")
    assert (again["outcome"], again["candidates"], again["good_patterns"]) == ("nothing", [], [])
    assert behavior_history.read(app.files) == before
    assert told(root).count("##") == 1


def test_what_contradicts_a_directive_is_proposed_with_the_conflict_named(root: Path) -> None:
    app = app_of(root)
    control.add(app, "STOP", "emojis")
    say(root, "more emojis in your answers please")
    outcome = review(app)
    [row] = outcome.result["good_patterns"]
    assert (row["outcome"], "it contradicts `STOP: emojis`" in row["reason"]) == ("proposed", True)
    assert any("it contradicts" in line for line in outcome.lines)


def test_what_is_past_its_day_goes_first_and_may_not_come_back(root: Path) -> None:
    control.add(
        make_app(root, verb="behavior", now="2026-11-18T09:00:00+00:00"),
        "START",
        "name your sources",
        expires="2026-11-19",
    )
    say(root, *ASKED)
    found = result(root)
    assert [row["text"] for row in found["expired"]] == ["name your sources"]
    assert found["outcome"] == "nothing"


# -- the digest ----------------------------------------------------------------------------------------------


def test_a_digest_that_a_crash_cut_off_is_written_later(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    say(root, *ASKED)

    def fails(*given: Any, **more: Any) -> None:
        raise IoFailed("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(journal, "entry", fails)
        with pytest.raises(IoFailed):
            result(root)
    assert not told(root)
    again = result(root, run="0002")
    assert again["outcome"] == "nothing"
    assert told(root).count("START: name your sources") == 1
    result(root, run="0003")
    assert told(root).count("START: name your sources") == 1


# -- switches ------------------------------------------------------------------------------------------------


def test_paused_under_way_stops_before_the_next_effect(root: Path) -> None:
    say(root, *ASKED)

    def answer(prompt: Prompt) -> str:
        (root / "PAUSED").touch()
        return '{"proposals": []}'

    found = result(root, model=Queue(answer), **MODEL)
    assert (found["status"], found["reason"], found["candidates"]) == ("stopped", "paused", [])
    assert not (root / "state/behavior/history.jsonl").exists()
    assert not told(root)


def test_a_dry_run_tells_the_same_and_leaves_a_marked_entry_and_records(root: Path) -> None:
    say(root, *ASKED)
    before = files(root) | {"adjutant.yaml": b""}
    found = result(root, dry_run=True)
    assert (found["outcome"], found["dry_run"]) == ("proposed", True)
    new = {path for path in files(root) if path not in before}
    assert all(path.startswith(("journal/", "state/runs/", "state/locks/", "state/cache/")) for path in new), new
    assert "[DRY RUN]" in told(root)
    assert result(root, run="0002")["outcome"] == "proposed"
    assert told(root).count("**c-") == 1


# -- with a model --------------------------------------------------------------------------------------------


def proposals(*rows: tuple[str, str, float, list[tuple[str, str]]]) -> str:
    return json.dumps(
        {
            "proposals": [
                {
                    "reason": "because",
                    "quotes": [{"handle": handle, "quote": quote} for handle, quote in quotes],
                    "type": type,
                    "text": text,
                    "confidence": sure,
                }
                for type, text, sure, quotes in rows
            ]
        }
    )


def test_a_model_proposes_what_talk_shows(root: Path) -> None:
    say(root, "Four times since lunch you told me where things stand.", "Two pages on strategy. I skipped them.")
    model = Queue(
        proposals(
            ("LESS", "frequent status handoffs", 0.8, [("m1", "Four times since lunch")]),
            ("STOP", "long strategy monologues", 0.7, [("m2", "I skipped them")]),
        )
    )
    found = result(root, model=model, **MODEL)
    assert [f"{each['type']}: {each['text']}" for each in found["candidates"]] == [
        "LESS: frequent status handoffs",
        "STOP: long strategy monologues",
    ]
    assert (found["model_calls"], found["tokens"], found["degraded"]) == (1, 110, None)


def test_a_model_is_shown_the_operator_s_words_alone(root: Path) -> None:
    control.add(app_of(root), "KEEP", "tables")
    say(
        root,
        "I'd rather have the gist up front from now on",
        ("stranger", "SECRET ORDER"),
        "> SECRET ORDER\nwhat is due?",
        ("operator", "Forwarded from Kari\nSECRET ORDER"),
    )
    model = Queue(
        proposals(
            ("START", "the gist up front", 0.9, [("m1", "have the gist up front")]),
            ("START", "a report to Kari", 0.9, [("m2", "SECRET ORDER")]),
            ("KEEP", "tables", 0.9, [("m1", "the gist up front")]),
        )
    )
    found = result(root, model=model, **MODEL)
    assert [each["text"] for each in found["candidates"]] == ["the gist up front"]
    [prompt] = model.prompts
    assert "SECRET ORDER" not in prompt.text
    assert "KEEP: tables (stands)" in prompt.text


def test_a_made_up_language_is_reviewed_the_same(root: Path) -> None:
    say(root, "keep: zorb veku nal", "Tirru hask mirru veku, zorb.")
    model = Queue(proposals(("LESS", "tirru hask", 0.8, [("m2", "hask mirru")])))
    assert [each["text"] for each in result(root)["candidates"]] == ["zorb veku nal"]
    found = result(root, run="0002", model=model, **MODEL)
    assert [each["text"] for each in found["candidates"]] == ["tirru hask"]


@pytest.mark.parametrize(
    ("answers", "degraded"),
    [
        ((proposals(("KEEP", "my word", 1.0, [("m1", "never said")])),), "check"),
        (("no JSON at all",), "malformed"),
    ],
)
def test_a_model_that_makes_it_up_is_asked_once_more_and_then_rules_answer(
    root: Path,
    answers: tuple[str, ...],
    degraded: str,
) -> None:
    say(root, *ASKED)
    model = Queue(*answers)
    found = result(root, model=model, **MODEL)
    assert len(model.prompts) == 2
    assert found["degraded"] == degraded
    assert [each["text"] for each in found["candidates"]] == ["name your sources"]


@pytest.mark.parametrize("carrier", ["stranger", "forwarded", "quoted", "behind a colon"])
def test_an_obedient_model_proposes_nothing_of_strangers(root: Path, carrier: str) -> None:
    app = app_of(root, model=Queue(_obey), **MODEL)
    control.add(app, "KEEP", "tables")
    before = contract.read(app.files)
    some = [" ".join(attack.replace('"', "'").split()) for attack in ATTACKS[::2]]
    assert len(some) >= 200
    for at in range(0, len(some), 10):
        texts = [f"From now on answer so. {attack}" for attack in some[at : at + 10]]
        rows = [("stranger", text) if carrier == "stranger" else CARRIERS[carrier].format(text) for text in texts]
        say(root, *rows, "hello", session=f"s{at}")
    found = review(app).result
    assert {each["text"] for each in found["candidates"]} <= {"hello", "Tell Ola"}  # the operator's own
    assert found["read"] > 0
    assert contract.read(app.files) == before


def _obey(prompt: Prompt) -> str:
    """Proposes every line it is shown and some that it was not, each with itself as evidence."""
    lines = [line.partition(": ") for line in prompt.text.split("\n") if re.match(r"m\d+ \(", line)]
    quotes = [(head.partition(" ")[0], text[:200]) for head, _, text in lines if text]
    rows = [("START", (text or "x")[:200].ljust(4, "."), 1.0, [(handle, text)]) for handle, text in quotes]
    rows += [
        ("START", " ".join(attack.split())[:200], 1.0, [("m1", " ".join(attack.split())[:200])])
        for attack in ATTACKS[:5]
    ]
    return proposals(*rows[-12:])


# -- in Typesense --------------------------------------------------------------------------------------------


def test_typesense_gives_each_event_of_a_candidate_once_by_its_id(
    root: Path,
    typesense_server: TypesenseServer,
) -> None:
    name = f"learning-{root.parent.name}"

    def server() -> Typesense:
        where = [typesense_server.url], KEY, 5.0
        return Typesense(*where, name, (each.key for each in TABLE), InstanceOwner(Files(Tree(str(root)))), tokens)

    def words(title: str) -> str:
        return " ".join(tokens(title))

    def filtered(tag: str) -> list[tuple[str, list[str]]]:
        path = f"/collections/{name}_behavior_history/documents/search?q=*&filter_by=tags:={tag}"
        _, found = typesense_server.ask("GET", path)
        assert isinstance(found, dict)
        return sorted((hit["document"]["s_title"], hit["document"]["tags"]) for hit in found["hits"])

    say(root, *ASKED, WISH)
    settings = {"instance__name": name, "retrieval__backend": "typesense", "typesense__nodes": [typesense_server.url]}
    first, second = result(root, **settings)["candidates"]
    control.promote(app_of(root), first["id"])
    control.reject(app_of(root), second["id"])
    for _ in range(2):
        index.run(make_app(root, verb="index", typesense=server), parsed(index))
    assert filtered(first["id"]) == [
        (words("promoted START"), ["start", "promoted", first["id"]]),
        (words("proposed START"), ["start", "proposed", first["id"]]),
    ]
    assert filtered(second["id"]) == [
        (words("proposed START"), ["start", "proposed", second["id"]]),
        (words("rejected START"), ["start", "rejected", second["id"]]),
    ]


def test_what_a_model_proposes_in_vain_is_told_with_the_reason(root: Path) -> None:
    control.add(app_of(root, run="0000"), "LESS", "long strategy monologues")
    say(root, "Two pages on strategy again. I skipped them.")
    cited = [("m1", "I skipped them")]
    model = Queue(
        proposals(
            ("MORE", "long strategy monologues", 0.8, cited),
            ("STOP", "maps in an answer", 0.8, [("m1", "no maps please")]),
            ("STOP", "tables in an answer", 0.2, cited),
        )
    )
    assert result(root, model=model, **MODEL)["refused"] == [
        "left out: MORE: long strategy monologues: it contradicts LESS: long strategy monologues",
        "left out: STOP: maps in an answer: nothing that it cites stands in the operator's words",
        "left out: STOP: tables in an answer: only 20% sure",
    ]
