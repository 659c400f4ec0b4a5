"""The talk with the model: rounds of tools, where it ends, what stays on record of a turn however it ended."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from adjutant.domain.conversation.preparing import WorkloadOwner
from adjutant.domain.prompting.assembly import Assembly, PastMessage
from adjutant.errors import IoFailed, Stopped
from adjutant.judgements import recording, turn
from adjutant.judgements.material import Near
from adjutant.judgements.recording import Recorded
from adjutant.ports import Dialogue, Message, ModelFailed, Prompt, Reply, Said, Tool, ToolCall
from adjutant.replay import replay
from tests.asked import RUN, make

TOOLS = (Tool("look", "Looks.", {"type": "object", "properties": {}}),)
FOUND = [
    turn.RetrievedPassage("n1", "memory/notes/fact/n1.md", "", "The boiler service is on 3 December.", "operator"),
    turn.RetrievedPassage("v1", "vault/house.md", "Boiler", "It is in the cellar.", "operator"),
]
ANSWERS = [Near(each.path, each.anchor, each.text, each.text, True) for each in FOUND]
INPUTS = turn.Inputs("When is the boiler service?", "cli", "conductor", FOUND, ANSWERS)
ASSEMBLY = Assembly((), 1, "abc", (), (PastMessage("agent", "Good morning."),), INPUTS.message)


class Talker:
    """A model that says one thing after the other, the last one for ever after."""

    backend = "talker"

    def __init__(self, *said: Said | Exception) -> None:
        self.said, self.asked = list(said), list[Dialogue]()

    def complete(self, prompt: Prompt) -> Reply:
        raise AssertionError("a route with tools is talked to")

    def converse(self, dialogue: Dialogue) -> Said:
        self.asked.append(
            Dialogue(
                dialogue.name,
                dialogue.system,
                list(dialogue.messages),
                dialogue.tools,
                model=dialogue.model,
                temperature=dialogue.temperature,
                max_tokens=dialogue.max_tokens,
                timeout=dialogue.timeout,
                closing=dialogue.closing,
            )
        )
        said = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(said, Exception):
            raise said
        return said


class Once:
    """A model that can only be asked once."""

    backend = "once"

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    def complete(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        return Reply("In December.", 100, 10)


def words(text: str) -> Said:
    return Said(text, (), 100, 10)


def look(*ids: str, text: str = "") -> Said:
    return Said(text, tuple(ToolCall(id, "look", {}, "{}", {"kept": id}) for id in ids), 100, 10)


def looked(call: ToolCall) -> tuple[str, bool]:
    return f"seen by {call.id}", False


def take(
    root: Path,
    model: Any,
    use: Callable[[ToolCall], tuple[str, bool]] = looked,
    settings: str = "",
    gate: Callable[[], None] = lambda: None,
    clean: Callable[[str], str] = str,
    **more: Any,
) -> turn.TurnOutcome:
    app = make(root, model, settings, gate=gate, **more)
    prepared: Any = SimpleNamespace(assembly=ASSEMBLY, owner=WorkloadOwner("conductor"))
    box: Any = SimpleNamespace(table=TOOLS, use=use, repeats=lambda answer: False)
    return turn.Turn(app, INPUTS, prepared, box, clean).take()


def record(root: Path) -> Recorded:
    app = make(root)
    return recording.read(app.files, RUN, "01-turn.json")


def replayed(root: Path) -> Any:
    return replay.compare(record(root))


def test_a_call_is_answered_in_its_place_and_what_the_server_wants_back_goes_back(tmp_path: Path) -> None:
    model = Talker(look("a", "b", text="Let me see."), words("On 3 December."))
    answered = take(tmp_path, model)
    assert answered.result.answer == "On 3 December."
    assert answered.degraded is None
    assert answered.tokens == 220
    first, second = (dialogue.messages for dialogue in model.asked)
    assert first == [Message("assistant", "Good morning."), Message("user", INPUTS.message)]
    spoke, *came = second[2:]
    assert spoke.text == "Let me see."
    assert [call.kept for call in spoke.calls] == [{"kept": "a"}, {"kept": "b"}]
    assert came == [Message("tool", "seen by a", call_id="a"), Message("tool", "seen by b", call_id="b")]
    assert replayed(tmp_path) is None


@pytest.mark.parametrize("most", [0, 1, 6])
def test_tools_end_after_so_many_rounds_and_an_answer_is_asked_for(tmp_path: Path, most: int) -> None:
    model = Talker(*(look(f"c{n}") for n in range(most)), words("From what I have: December."))
    answered = take(tmp_path, model, settings=f"turn: {{max_steps: {most}}}\n")
    assert answered.result.answer == "From what I have: December."
    assert len(answered.called) == most
    assert [dialogue.closing for dialogue in model.asked] == [False] * most + [True]
    assert (model.asked[-1].messages[-1].text == turn.CLOSING) is bool(most)


def test_a_model_that_never_stops_calling_is_answered_for(tmp_path: Path) -> None:
    model, used = Talker(look("again")), list[str]()

    def use(call: ToolCall) -> tuple[str, bool]:
        used.append(call.id)
        return looked(call)

    answered = take(tmp_path, model, use, "turn: {max_steps: 3}\n")
    assert len(used) == 3 and len(model.asked) == 4, "the last one's calls are not carried out"
    assert answered.degraded == "malformed"
    assert "3 December" in answered.result.answer
    assert replayed(tmp_path) is None


def test_a_model_that_ends_without_a_word_is_asked_for_words_once(tmp_path: Path) -> None:
    model = Talker(look("a"), words("  "), words("In December."))
    assert take(tmp_path, model).result.answer == "In December."
    assert model.asked[-1].closing
    assert model.asked[-1].messages[-1].text == turn.CLOSING
    silent = Talker(words(""))
    answered = take(tmp_path, silent, run="20261120T090000-ab13")
    assert len(silent.asked) == 2
    assert answered.degraded == "malformed"


def test_what_breaks_off_is_answered_by_rules_and_tells_what_was_done_before(tmp_path: Path) -> None:
    kept = Said("", (ToolCall("a", "memory_save", {}, "{}"),), 100, 10)
    fenced = '<<<DATA m source="x">>>\nsaved: n7, fact, memory/notes/fact/n7.md\n<<<END DATA m>>>'
    answered = take(tmp_path, Talker(kept, ModelFailed("unreachable", "no connection")), lambda call: (fenced, False))
    assert answered.degraded == "unreachable"
    assert answered.why == "no connection"
    assert answered.result.answer.split("\n") == [
        "Offline (the model cannot be reached); this is what the folder says:",
        "- The boiler service is on 3 December. (memory/notes/fact/n1.md)",
        "- It is in the cellar. (vault/house.md#Boiler)",
        "Before that: saved: n7, fact, memory/notes/fact/n7.md",
    ]
    assert replayed(tmp_path) is None


def test_only_what_was_found_in_the_answer_is_cited(tmp_path: Path) -> None:
    answered = take(tmp_path, Talker(words("In December (memory/notes/fact/n1.md).")))
    assert [each.path for each in answered.result.citations] == ["memory/notes/fact/n1.md"]
    assert replayed(tmp_path) is None


def test_an_answer_holds_nothing_that_a_terminal_would_act_on(tmp_path: Path) -> None:
    answered = take(tmp_path, Talker(words("In \x1b[31mDecember\x1b[0m\u202e.\x07\nBye.")))
    assert "\x1b" not in answered.result.answer
    assert "\u202e" not in answered.result.answer
    assert answered.result.answer.endswith("\nBye.")


# -- ended from outside --------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [Stopped("paused"), KeyboardInterrupt(), IoFailed("the disk is full"), ValueError()])
def test_a_turn_that_a_tool_breaks_off_keeps_the_calls_that_were_carried_out(
    tmp_path: Path,
    broken: BaseException,
) -> None:
    def use(call: ToolCall) -> tuple[str, bool]:
        if call.id == "b":
            raise broken
        return looked(call)

    with pytest.raises(type(broken)):
        take(tmp_path, Talker(look("a", "b", "c")), use)
    kept = record(tmp_path)
    assert kept.ended == "stopped"
    assert kept.result is None
    assert kept.tokens == 110
    (round,) = (json.loads(reply) for reply in kept.replies)
    assert [call["answered"] for call in round["calls"]] == ["seen by a"]
    assert replayed(tmp_path) is None


def test_paused_between_two_calls_stops_the_second(tmp_path: Path) -> None:
    used: list[str] = []

    def gate() -> None:
        if used:
            raise Stopped("paused")

    def use(call: ToolCall) -> tuple[str, bool]:
        used.append(call.id)
        return looked(call)

    with pytest.raises(Stopped):
        take(tmp_path, Talker(look("a", "b")), use, gate=gate)
    assert used == ["a"]
    assert record(tmp_path).ended == "stopped"


def test_paused_between_two_rounds_asks_nothing_more(tmp_path: Path) -> None:
    model, used = Talker(look("a"), words("never")), list[str]()

    def gate() -> None:
        if used:
            raise Stopped("paused")

    with pytest.raises(Stopped):
        take(tmp_path, model, lambda call: (used.append(call.id) or "seen", False), gate=gate)
    assert len(model.asked) == 1


CAPS = {
    "model_calls_per_run": ("limits: {model_calls_per_run: 2}\n", "limit", 2),
    "tokens_per_run": ("llm: {backend: openai, models: {cheap: m}, caps: {tokens_per_run: 700}}\n", "cap", None),
    "tokens_per_day": ("llm: {backend: openai, models: {cheap: m}, caps: {tokens_per_day: 700}}\n", "cap", None),
}


@pytest.mark.parametrize("name", CAPS)
def test_a_cap_ends_a_turn_in_its_middle(tmp_path: Path, name: str) -> None:
    settings, cause, most = CAPS[name]
    model = Talker(look("again"))
    answered = take(tmp_path, model, settings=settings)
    assert answered.degraded == cause
    assert 1 <= len(model.asked) < 6
    assert most in (None, len(model.asked))
    assert answered.tokens <= 700
    assert "3 December" in answered.result.answer
    assert replayed(tmp_path) is None


def test_the_seconds_of_a_run_end_a_turn_in_its_middle(tmp_path: Path) -> None:
    moments = iter(range(0, 10_000, 40))
    model = Talker(look("again"))
    answered = take(tmp_path, model, settings="limits: {run_seconds: 300}\n", monotonic=lambda: float(next(moments)))
    assert answered.degraded == "limit"
    assert len(model.asked) < 6
    assert all(0 < dialogue.timeout <= 300 for dialogue in model.asked)


# -- what nobody may see -------------------------------------------------------------------------------------


def test_what_is_to_be_taken_out_reaches_neither_the_model_nor_the_record(tmp_path: Path) -> None:
    model = Talker(look("a"), words("In December."))
    take(
        tmp_path,
        model,
        lambda call: ("the BOILER key", False),
        clean=lambda text: text.replace("BOILER", "<KEY>").replace("boiler", "<key>").replace("Good", "<good>"),
    )
    sent = repr([dialogue.messages for dialogue in model.asked])
    assert "BOILER" not in sent
    assert "boiler" not in sent
    assert "Good" not in sent
    assert "the <KEY> key" in sent
    kept = (tmp_path / "state" / "runs" / RUN / "01-turn.json").read_text()
    assert "BOILER" not in kept
    assert "boiler" not in kept
    assert "Good" not in kept


# -- a route that is asked once, and none --------------------------------------------------------------------


def test_a_route_without_tools_is_asked_once(tmp_path: Path) -> None:
    model = Once()
    answered = take(tmp_path, model)
    assert answered.result.answer == "In December."
    assert answered.backend == "once"
    assert answered.tokens == 110
    assert model.prompts[0].schema is None
    assert model.prompts[0].reads is None
    assert len(model.prompts) == 1
    assert replayed(tmp_path) is None


def test_without_a_model_the_folder_answers_and_nothing_is_degraded(tmp_path: Path) -> None:
    answered = take(tmp_path, None, settings="llm: {backend: offline}\n")
    assert answered.degraded is None
    assert answered.backend == "offline"
    assert answered.tokens == 0
    assert answered.result.answer.lower().count("offline") == 1
    assert [each.path for each in answered.result.citations] == [each.path for each in FOUND]
    assert replayed(tmp_path) is None


# -- records that were edited --------------------------------------------------------------------------------


EDITS: dict[str, Callable[[dict[str, Any]], object]] = {
    "inputs of another shape": lambda kept: kept.update(inputs={"message": 7}),
    "found that is no list": lambda kept: kept["inputs"].update(found="x"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_record_whose_inputs_were_edited_cannot_be_replayed_and_says_so(tmp_path: Path, name: str) -> None:
    take(tmp_path, Talker(words("In December.")))
    path = tmp_path / "state" / "runs" / RUN / "01-turn.json"
    kept = json.loads(path.read_text())
    EDITS[name](kept)
    path.write_text(json.dumps(kept))
    with pytest.raises(replay.Unreplayable):
        replayed(tmp_path)


@pytest.mark.parametrize("replies", [[], ["no JSON"], ['{"text": 7}'], ['{"text": "Other."}', "[]"], ["[" * 100_000]])
def test_replies_that_were_edited_are_a_difference_and_no_crash(tmp_path: Path, replies: list[str]) -> None:
    take(tmp_path, Talker(words("In December.")))
    path = tmp_path / "state" / "runs" / RUN / "01-turn.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "replies": replies}))
    assert replayed(tmp_path) is not None


def test_without_a_certain_answer_the_nearest_places_are_named_as_such(tmp_path: Path) -> None:
    near = [Near("vault/house.md", "Boiler", "It is in the cellar.", "Boiler: It is in the cellar.", False)]
    told = turn.by_rules(turn.Inputs("Who made the boiler?", "cli", "conductor", [], near), "no model is configured")
    assert told.answer.split("\n") == [
        "Offline (no model is configured): I found nothing certain about that.",
        "What comes nearest:",
        "- Boiler: It is in the cellar. (vault/house.md#Boiler)",
    ]
    assert told.citations == []
