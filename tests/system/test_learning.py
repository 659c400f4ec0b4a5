"""A month of asking, looked at: what returns in it becomes a suggestion with its proof, and nothing else does."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from adjutant.domain.interactions import layer_items
from adjutant.domain.proposing import diffs
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import classify
from adjutant.ports import Prompt
from adjutant.records import evolution_log, finding, interactions
from adjutant.records.suggestion import DIRECTIVE, Suggestion
from adjutant.stages import ask, evolve
from adjutant.store import config as config_file
from adjutant.store.files import Files, sha256
from adjutant.store.tree import Tree
from tests import learnt
from tests.asked import Queue
from tests.conftest import make_app, parsed
from tests.system.world import World

SEEDS = (2,)  # the other plan; the fixture has that of odd seeds


class Looked(NamedTuple):
    """A month after `evolve`, what it answered, and what stands in the log."""

    world: World
    planted: learnt.Planted
    result: dict[str, Any]
    suggestions: list[Suggestion]


def suggestions(root: Path) -> list[Suggestion]:
    return [held.suggestion for held in evolution_log.read(Files(Tree(str(root)))).held.values()]


@pytest.fixture
def looked(tmp_path_factory: pytest.TempPathFactory) -> Looked:
    """One look by the real entry point, for all tests: those that change something copy it."""
    if not _LOOKED:
        root = tmp_path_factory.mktemp("learning") / "instance"
        planted = learnt.month(root, 1)
        world = World(root, learnt.NOW)
        result = world.result("evolve", timeout=120)
        _LOOKED.append(Looked(world, planted, result, suggestions(root)))
    return _LOOKED[0]


_LOOKED: list[Looked] = []


def look(root: Path, now: str = learnt.NOW, model: Queue | None = None) -> tuple[dict[str, Any], list[Suggestion]]:
    """The same within this process."""
    app = make_app(root, now=now, verb="evolve", run="20261120T180000-0001", model=model)
    outcome = evolve.run(app, Namespace(subverb=None, hours=None))
    return outcome.result, suggestions(root)


# -- what it is held against ---------------------------------------------------------------------------------


def told(each: Suggestion) -> str:
    """All that a suggestion says of its own: title, effect, note, and the lines that come or go."""
    lines = [line for line in each.diff.split("\n") if re.match(r"[+-](?!\+\+ |-- )", line)]
    return "\n".join((each.title, each.effect, each.note, each.subject, each.path, *lines))


def is_about(each: Suggestion, name: str, plant: learnt.Plant) -> bool:
    """Whether a suggestion is the one that was planted."""
    said = told(each)
    layer = {"frequent": "identity/tools.md", "frequent-stable": "identity/user.md"}.get(name, each.path)
    return (each.kind, each.cause, each.path) == (plant.kind, name.partition("-")[0], layer) and all(
        word.casefold() in said.casefold() for word in plant.words
    )


def matched(planted: learnt.Planted, found: list[Suggestion]) -> dict[str, list[Suggestion]]:
    """{planted matter: its suggestions}; "" holds those that are none of them."""
    rows: dict[str, list[Suggestion]] = {name: [] for name in (*planted.matters, "")}
    for each in found:
        rows[next((name for name, plant in planted.matters.items() if is_about(each, name, plant)), "")].append(each)
    return rows


def wrong(planted: learnt.Planted, found: list[Suggestion]) -> list[str]:
    """What is missing, doubled or none of what was planted."""
    return [
        f"{name or 'not planted'}: {[(each.kind, each.cause, each.title, each.subject) for each in several]}"
        for name, several in matched(planted, found).items()
        if len(several) != bool(name)
    ]


def stands(root: Path, ref: str, text: str) -> bool:
    """Whether words stand where a quote says: PATH#ID of a record, PATH:LINE of a text."""
    if (match := re.fullmatch(r"(.+):(\d+)", ref)) and (root / match[1]).is_file():
        return text in (root / match[1]).read_text().split("\n")[int(match[2]) - 1]
    path, _, id = ref.partition("#")
    if not path.endswith(".jsonl"):
        return text in (root / path).read_text()
    rows = [json.loads(line) for line in (root / path).read_text().split("\n") if line]
    return any(text in str(row.get("text", "")) for row in rows if id in (row.get("id"), row.get("key")))


# -- the month itself ----------------------------------------------------------------------------------------


def turns(root: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """(the exchange before it in the session or {}, the operator's message, the answer)."""
    for path in sorted((root / "state" / "conversations").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text().split("\n") if line]
        before: dict[str, Any] = {}
        for at, row in enumerate(rows):
            if row["role"] == learnt.OPERATOR:
                yield before, row, rows[at + 1]
                before = row


@pytest.mark.parametrize("seed", SEEDS)
def test_the_month_is_one_as_the_program_would_have_left_it(tmp_path: Path, seed: int) -> None:
    planted = learnt.month(tmp_path, seed)
    files, scheme = Files(Tree(str(tmp_path))), taxonomy.own()
    known = {each.id: each for each in interactions.read(files, planted.now)}
    items = layer_items.items(files, config_file.load(files))
    wrong = planted.matters["correction"].proof
    for before, said, answer in turns(tmp_path):
        noted = known[said["id"]]
        assert noted.concept == classify(said["text"], scheme).concept
        assert set(noted.items) == set(layer_items.used(items, answer["text"])), answer
        if before and before["id"] in wrong and said["id"] in wrong:
            assert "corrected" in known[before["id"]].friction_signals, said
    assert 250 <= planted.turns <= 350 and 25 <= planted.sessions <= 40
    for name, key in (("frequent", "changing"), ("frequent-stable", "stable")):
        concept = planted.matters[name].workload
        late = [each for each in known.values() if each.concept == concept and each.ts > "2026-10-21T23"]
        share = sum(f"agent_memory/{planted.notes[key]}" in each.used for each in late) / len(late)
        assert 0.6 < share < 0.85, (name, share)


def test_the_same_seed_gives_the_same_month_and_another_one_another(tmp_path: Path) -> None:
    months = []
    for number, seed in enumerate((1, 1, 4)):
        learnt.month(tmp_path / str(number), seed)
        months.append((tmp_path / str(number) / "state" / "interactions.jsonl").read_bytes())
    assert months[0] == months[1] != months[2]


# -- what is learnt from it ----------------------------------------------------------------------------------


def test_each_thing_that_was_planted_is_suggested_once_and_nothing_else(looked: Looked) -> None:
    assert wrong(looked.planted, looked.suggestions) == []
    rows = looked.result["suggestions"]
    assert looked.result["outcome"] == "written"
    assert {row["id"] for row in rows} == {each.id for each in looked.suggestions}
    assert all(set(row) >= {"id", "kind", "title", "status"} and row["status"] == "pending" for row in rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_so_it_is_in_other_months(tmp_path: Path, seed: int) -> None:
    planted = learnt.month(tmp_path, seed)
    _, found = look(tmp_path)
    assert wrong(planted, found) == []


def test_every_proof_stands_in_the_record(looked: Looked) -> None:
    known = {each.id for each in interactions.read(Files(Tree(str(looked.world.root))), looked.planted.now)}
    for name, several in matched(looked.planted, looked.suggestions).items():
        for each in several:
            plant = looked.planted.matters.get(name)
            assert each.evidence or each.cause == finding.UNUSED_ITEM, each
            for quote in each.evidence:
                assert quote.interaction in known or not quote.interaction, (each.title, quote)
                assert stands(looked.world.root, quote.ref, quote.text) if quote.text else True, (each.title, quote)
            if plant is not None and plant.proof:
                assert {quote.interaction for quote in each.evidence} & set(plant.proof), (name, each.evidence)


def test_what_the_operator_wants_rests_on_his_words_alone(looked: Looked) -> None:
    for each in looked.suggestions:
        if each.cause in (finding.CORRECTION, finding.MANNER):
            assert {quote.trust for quote in each.evidence} == {"operator"}, each
            refs = {quote.ref.partition("conversations/")[2].replace(".jsonl#", "/") for quote in each.evidence}
            assert refs <= set(looked.planted.matters[each.cause].refs), each


def test_nothing_comes_of_what_only_looks_like_it(looked: Looked) -> None:
    for name, words in looked.planted.decoys.items():
        for each in looked.suggestions:
            said = "\n".join((told(each), *(quote.text for quote in each.evidence)))
            assert not [word for word in words if word in said], (name, each)


def test_each_diff_makes_of_the_file_what_was_rehearsed(looked: Looked) -> None:
    for each in looked.suggestions:
        if each.kind == DIRECTIVE:
            assert each.diff.startswith("+") and each.before_sha == each.after_sha == ""
            continue
        path = looked.world.root / each.path
        before = path.read_bytes().decode() if path.exists() else None
        after = diffs.apply(before, each.diff)
        assert [sha256(text.encode()) if text is not None else "" for text in (before, after)] == [
            each.before_sha,
            each.after_sha,
        ], each
        assert each.rehearsal.method in ("rules", "record", "unknown") and len(each.title) <= 80


def test_the_report_tells_each_and_the_three_heaviest_go_out_as_one_advice(looked: Looked) -> None:
    text = looked.world.text(looked.result["path"])
    assert re.fullmatch(r"evolution/2026-11-20-18\.md", looked.result["path"])
    for each in looked.suggestions:
        assert each.id in text and f"adjutant evolve accept {each.id}" in text
    sent = [row for row in looked.world.records("notices") if row["kind"] == "advice"]
    assert looked.result["notice"] == "sent" and {row["key"] for row in sent} == {"evolve-2026-11-20-18"}
    assert all(row["text"].startswith("[evolve] ") and row["text"].count(" · ") == 2 for row in sent)


def test_a_second_look_doubles_nothing(looked: Looked, tmp_path: Path) -> None:
    again = looked.world.copy(tmp_path / "instance")
    look(again.root, "2026-11-20T18:30:00+00:00")
    later = {each.id for each in suggestions(again.root)}
    assert later == {each.id for each in looked.suggestions}


def test_nothing_is_suggested_of_a_month_in_which_nothing_returns(tmp_path: Path) -> None:
    for seed in (1, 2):
        learnt.quiet(tmp_path / str(seed), seed)
        result, found = look(tmp_path / str(seed))
        assert (found, result["suggestions"]) == ([], []), [(each.cause, each.title) for each in found]
        assert result["outcome"] in ("nothing", "written") and not result["notice"]


def test_that_test_is_red_where_a_correction_counts_that_was_made_twice(tmp_path: Path) -> None:
    learnt.quiet(tmp_path, 1)
    world = World(tmp_path, learnt.NOW)
    world.plant("from adjutant.domain.analysis import matters; matters.OCCASIONS = 2")
    assert world.result("evolve")["suggestions"] and "parish hall" in world.text("evolution/2026-11-20-18.md")


def test_what_strangers_want_would_be_learnt_if_the_operator_had_said_it(tmp_path: Path) -> None:
    learnt.quiet(tmp_path, 1)
    for path in (tmp_path / "state" / "conversations").glob("*.jsonl"):
        text = path.read_text().replace(f'"role": "{learnt.STRANGE}"', f'"role": "{learnt.OPERATOR}"')
        path.write_text(text.replace("Forwarded from Nordby AS\\n", ""))
    _, found = look(tmp_path)
    assert {each.diff.strip() for each in found if each.cause == finding.MANNER} & {
        "+START: bullet points",
        "+START: answer in German",
    }, found


def test_too_little_is_no_ground_to_guess(tmp_path: Path) -> None:
    learnt.month(tmp_path, 1)
    record = tmp_path / "state" / "interactions.jsonl"
    lines = [line for line in record.read_text().split("\n") if line and json.loads(line).get("kind") == "turn"]
    record.write_text("".join(f"{line}\n" for line in lines[-9:]))
    result, found = look(tmp_path)
    assert result["outcome"] == "not_enough_data" and found == [] and result["path"] is None
    assert (result["read"], result["needed"]) == (9, 10)


# -- with a model --------------------------------------------------------------------------------------------


def test_a_model_words_a_title_and_the_run_can_be_replayed(looked: Looked, tmp_path: Path) -> None:
    def better(prompt: Prompt) -> str:
        drafts = re.findall(r"(?m)^(d\d+) \((\w+)\)\ntitle: (.*)$", prompt.text)
        (demote,) = [(key, title) for key, kind, title in drafts if kind == "demote"]
        (routing,) = [(key, title) for key, kind, title in drafts if kind == "routing"]
        return json.dumps(
            {
                "wordings": [
                    {
                        "key": demote[0],
                        "title": f"Take out: {demote[1]}"[:80].rstrip("…"),
                        "text": "Nordby",
                        "effect": "",
                    },
                    {"key": routing[0], "title": routing[1].replace("Take", "Please take"), "text": "", "effect": ""},
                ]
            }
        )

    learnt.month(tmp_path, 1)
    settings = tmp_path / "adjutant.yaml"
    settings.write_text(f"{settings.read_text()}\nllm: {{backend: openai, models: {{cheap: m}}}}\n")
    result, after = look(tmp_path, model=(model := Queue(better)))
    assert len(model.prompts) == 1 and result["degraded"] is None and result["model_calls"] == 1
    old, new = ({each.cause: each for each in found} for found in (looked.suggestions, after))
    assert new["misrouted"].title == old["misrouted"].title.replace("Take", "Please take")
    assert new["unused_item"].title == old["unused_item"].title, "a wording that does not hold leaves the draft alone"
    for cause, each in new.items():
        assert (each.kind, each.subject, each.path.rpartition("/")[0], each.evidence) == (
            old[cause].kind,
            old[cause].subject,
            old[cause].path.rpartition("/")[0],
            old[cause].evidence,
        )
    replayed = World(tmp_path, learnt.NOW).result("runs", "replay", result["run"])
    assert [each["name"] for each in replayed["judgements"]] == ["evolve"] and replayed["differences"] == []


# -- from the first word on ----------------------------------------------------------------------------------

TALK = (  # (day, hour, what is said): nothing but this is written by a hand
    (
        "17",
        9,
        (
            "which address do the invoices of Kestrel go to?",
            "No, invoices go to Berg, not Hansen.",
            "what is on for Tuesday?",
        ),
    ),
    (
        "18",
        9,
        (
            "mail the invoice for October to the accounting",
            "That's wrong: the invoices are for Berg, not Hansen.",
            "is the boat painted?",
        ),
    ),
    (
        "19",
        14,
        (
            "send the invoices of the clinic",
            "I told you, invoices go to Berg and not Hansen.",
            "who rings the bell on Sunday?",
            "how deep is the fjord at Voss?",
            "when does the ferry leave Halhjem?",
            "what did the roofer want for the gutter?",
            "which wood is the old table made of?",
            "did the school answer on the trip?",
            "is there any of the red paint left?",
            "thanks!",
        ),
    ),
)


def say(root: Path, session: str, moment: str, number: int, text: str) -> None:
    """One message by `ask`, as a process of its own would take it."""
    app = make_app(root, now=moment, verb="ask", run=f"{re.sub('[-:]', '', moment[:19])}-{number:04x}")
    ask.run(app, parsed(ask, "--session", session, "--", text))


def test_what_is_said_to_ask_in_three_sessions_is_suggested_without_anybody_writing_a_record(tmp_path: Path) -> None:
    root = tmp_path / "instance"
    make_app(root, now=learnt.NOW).files.replace(str(root / "identity" / "soul.md"), "# Soul\n\nCalm and exact.\n")
    number = 0
    for day, hour, texts in TALK:
        for minute, text in enumerate(texts):
            number += 1
            say(root, f"s{day}", f"2026-11-{day}T{hour:02}:{3 * minute:02}:00+00:00", number, text)
    result, (found,) = look(root, "2026-11-19T18:00:00+00:00")
    assert (result["outcome"], result["read"], found.kind, found.cause) == ("written", number, "memory", "correction")
    assert {quote.ref.partition("#")[0] for quote in found.evidence} == {
        f"state/conversations/s{day}.jsonl" for day in ("17", "18", "19")
    }
    assert all(stands(root, quote.ref, quote.text) for quote in found.evidence) and "Berg" in told(found)


# -- what a person then does ---------------------------------------------------------------------------------


def test_a_person_lists_shows_accepts_takes_back_and_rejects(looked: Looked, tmp_path: Path) -> None:
    world = looked.world.copy(tmp_path / "instance")
    by_cause = {each.cause: each for each in looked.suggestions}
    demote, note = by_cause[finding.UNUSED_ITEM], by_cause[finding.CORRECTION]
    listed = world.result("evolve", "list")["suggestions"]
    assert {row["id"] for row in listed} == {each.id for each in looked.suggestions}
    shown = world.result("evolve", "show", demote.id)["suggestion"]
    assert (shown["diff"], shown["path"]) == (demote.diff, demote.path) and shown["evidence"] is not None
    before = world.text(demote.path)
    done = world.result("evolve", "accept", demote.id)
    assert (done["id"], done["status"], done["path"], done["diff"]) == (demote.id, "accepted", demote.path, demote.diff)
    assert "fountain pens" in before and "fountain pens" not in world.text(demote.path)
    stats = world.result("evolve", "stats")["by_suggestion"]
    assert [row["id"] for row in stats] == [demote.id]
    assert world.result("evolve", "revert", demote.id)["status"] == "reverted"
    assert world.text(demote.path) == before
    assert world.result("evolve", "reject", note.id, "--reason", "Berg leaves in May")["status"] == "rejected"
    assert demote.id not in {row["id"] for row in world.result("evolve", "list")["suggestions"]}


def test_a_correction_that_was_accepted_is_found_when_it_is_asked_for_again(looked: Looked, tmp_path: Path) -> None:
    world = looked.world.copy(tmp_path / "instance")
    note = next(each for each in looked.suggestions if each.cause == finding.CORRECTION)
    world.result("evolve", "accept", note.id)
    hits = world.result("memory", "search", "who do invoices go to?")["hits"]
    assert "Berg" in hits[0]["text"], "the newer note stands above the one that named Hansen"
