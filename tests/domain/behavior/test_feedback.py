"""What operators say of the manner of an answer: heard where it is said, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.behavior import feedback
from adjutant.domain.behavior.feedback import Pattern, Remark, Said, patterns, remarks
from adjutant.domain.behavior.feedback_subjects import about
from adjutant.domain.behavior.own_words import outright
from adjutant.records.wording import TYPES, problem
from tests.conftest import CHECKOUT

HERE = CHECKOUT / "tests" / "domain" / "behavior"
SHORT, LONG = "short answers like this are perfect", "too long"


def lines(name: str) -> tuple[list[str], list[str]]:
    """(lines seen while the rules were made, lines held out) of a file of examples."""
    seen, _, held = (HERE / name).read_text().partition("# held out\n")
    return tuple(
        [line for line in part.split("\n") if line and not line.startswith("# ")]  # type: ignore[return-value]  # two lists
        for part in (seen, held)
    )


def heard(line: str) -> bool:
    """Whether the remark that a line of manner.txt stands for is heard in it."""
    types, words, message = (part.strip() for part in line.split("|", 2))
    return any(
        each.type in types.split("/") and any(word in each.text.lower() for word in words.split("/"))
        for each in remarks(Said("cli/m1", message))
    )


def day(*messages: str, **more: float) -> list[Pattern]:
    return patterns(Said(f"cli/m{number}", text, **more) for number, text in enumerate(messages, 1))  # type: ignore[arg-type]  # friction alone


def only(message: str, **more: object) -> Remark:
    [found] = remarks(Said("cli/m1", message, **more))  # type: ignore[arg-type]  # answered, friction
    return found


# -- measured ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "least", "aim"), [(0, 100, 0.95), (1, 40, 0.85)], ids=["seen", "held out"])
def test_remarks_on_the_manner_are_heard(part: int, least: int, aim: float) -> None:
    every = lines("manner.txt")[part]
    missed = [line for line in every if not heard(line)]
    assert len(every) >= least and 1 - len(missed) / len(every) >= aim, missed


@pytest.mark.parametrize(("part", "least"), [(0, 250), (1, 100)], ids=["seen", "held out"])
def test_small_talk_and_work_say_nothing_of_it(part: int, least: int) -> None:
    every = lines("everyday.txt")[part]
    found = {line: hits for line in every if (hits := remarks(Said("cli/m1", line)))}
    assert len(every) >= least and not found
    assert not day(*every), "nor a whole day of them"


def test_a_rule_that_hears_too_much_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(sentence: str, name: str, terse: bool) -> tuple[str, str, str] | None:
        return ("mild", "LESS", "long answers") if "too long" in sentence else None

    monkeypatch.setattr(feedback.feedback_reading, "of_sentence", careless)
    assert sum(bool(remarks(Said("cli/m1", line))) for line in lines("everyday.txt")[0]) > 5
    assert sum(map(heard, lines("manner.txt")[0])) < 10


# -- how sure ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "sure"),
    [
        ((SHORT,), 0.4),
        ((SHORT, "love how short this is"), 0.64),
        ((LONG,), 0.3),
        ((LONG, LONG), 0.51),
        ((LONG, LONG, "your answers are too long"), 0.66),
        (("stop repeating yourself",), 0.45),
        (("stop repeating yourself", "you said that already"), 0.61),
        (("From now on answer me in Norwegian",), 0.7),
        (("please always name your sources",), 0.7),
        ((SHORT,) * 9, 0.95),
    ],
)
def test_number_and_clearness_make_it_sure(messages: tuple[str, ...], sure: float) -> None:
    [found] = day(*messages)
    assert found.confidence == sure
    assert len(found.evidence) == len(messages) and found.evidence[0][0] == f"cli/m{len(messages)}", "the newest first"


def test_one_message_counts_once_however_often_it_says_it() -> None:
    assert [each.confidence for each in day("too long. way too long. your answers are too long.")] == [0.3]


def test_an_answer_that_rubbed_makes_a_complaint_clearer_and_praise_not() -> None:
    assert only(LONG, friction=0.6).weight == pytest.approx(0.4)
    assert only(LONG, friction=0.4).weight == 0.3
    assert only(SHORT, friction=0.6).weight == 0.4


def test_two_matters_are_two_patterns_the_surest_first() -> None:
    found = day("too long", "please always name your sources", "stop apologising all the time", "way too long")
    assert [(each.polarity, each.type, each.text) for each in found] == [
        ("good", "START", "name your sources"),
        ("bad", "LESS", "long answers"),
        ("bad", "STOP", "apologising"),
    ]


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("too long", "too short", ["MORE: detailed answers"]),
        ("too short", "too long", ["LESS: long answers"]),
        ("love the bullet list", "no bullet points please", ["STOP: bullet points"]),
        ("no emojis please", "more emojis please", ["MORE: emojis"]),
        ("too long", "short answers like this are perfect", ["KEEP: short answers"]),
    ],
)
def test_of_two_sides_the_later_one_stands(first: str, then: str, left: list[str]) -> None:
    assert [f"{each.type}: {each.text}" for each in day(first, then)] == left


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("LESS: long answers", "MORE: short answers"),
        ("KEEP: short answers", "START: korte svar"),
        ("LESS: lange Antworten", "KEEP: short replies"),
        ("STOP: emojis", "LESS: emojier"),
        ("KEEP: bullet lists", "MORE: bullet points"),
        ("STOP: repeating yourself", "LESS: Wiederholungen"),
        ("STOP: apologising", "STOP: å beklage"),
    ],
)
def test_the_same_matter_is_known_in_other_words_and_languages(one: str, two: str) -> None:
    first, second = (tuple(each.split(": ", 1)) for each in (one, two))
    assert about(*first) == about(*second)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("KEEP: short answers", "LESS: short answers"),
        ("KEEP: short answers", "KEEP: short names"),
        ("MORE: tables for anything with numbers", "MORE: tables"),
        ("STOP: emojis", "STOP: links"),
        ("START: answer me in Norwegian", "START: answer me in English"),
    ],
)
def test_what_is_another_matter_or_the_other_side_is_not(one: str, two: str) -> None:
    first, second = (tuple(each.split(": ", 1)) for each in (one, two))
    assert about(*first) != about(*second)


@pytest.mark.parametrize(
    ("standing", "type", "text", "known"),
    [
        ("KEEP: short answers", "LESS", "long answers", True),
        ("STOP: emojis", "LESS", "emojier", True),
        ("LESS: emojis", "STOP", "emojis", False),
        ("KEEP: tables", "MORE", "tables", False),
        ("START: every plan with its cost", "KEEP", "Every plan with its cost.", True),
        ("KEEP: short answers", "MORE", "detailed answers", False),
    ],
)
def test_what_stands_already_is_known_in_its_own_and_in_other_words(
    standing: str,
    type: str,
    text: str,
    known: bool,
) -> None:
    one = tuple(standing.split(": ", 1))
    assert (feedback.covered([one], type, text) is not None) == known  # type: ignore[list-item]  # a pair


# -- whose words ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "> stop repeating yourself",
        "```\nstop repeating yourself\n```",
        "~~~\nstop repeating yourself",
        "    stop repeating yourself",
        "- stop repeating yourself",
        "1. stop repeating yourself",
        "| stop repeating yourself |",
        "Forwarded from Kari\nstop repeating yourself",
        "---------- Forwarded message ---------\nstop repeating yourself",
        "Videresendt fra Ola\nslutt å gjenta deg selv",
        "Von: Kari\nAn: mich\nhör auf dich zu wiederholen",
        "Mail to Kari:\nstop repeating yourself",
        "Ola wrote:\n\nstop repeating yourself",
        "Tell Kari: stop repeating yourself",
        'She said "please stop repeating yourself"',
        "“stop repeating yourself, please” was what I heard",
        'He wrote "stop repeating yourself',
        "Kari says you repeat yourself",
        "Kari sier du gjentar deg",
        "STOP: repeating yourself",
        "Er sagt, du wiederholst dich",
        "Die Chefin meint, deine Antworten sind zu lang",
        "My boss thinks your answers are too long",
    ],
)
def test_what_others_say_and_what_is_handed_over_is_no_remark(message: str) -> None:
    assert not remarks(Said("cli/m1", message))


def test_own_words_around_them_are_heard() -> None:
    found = only("> a long quotation that goes on\n\nstop repeating yourself\n\n```\nprint('too long')\n```")
    assert (found.type, found.text, found.quote) == ("STOP", "repeating yourself", "stop repeating yourself")


def test_own_words_stay_outright() -> None:
    for name in ("manner.txt", "everyday.txt"):
        for line in (line for part in lines(name) for line in part):
            assert outright(outright(line)) == outright(line)


def test_a_bare_remark_means_something_only_behind_an_answer() -> None:
    assert not remarks(Said("cli/m1", LONG, answered=False))
    assert remarks(Said("cli/m1", "your answers are too long", answered=False))
    assert not remarks(Said("cli/m1", f"{'We walked along the river and talked of the oven. ' * 20}\n{LONG}"))


def test_a_quote_stands_in_the_message_word_for_word() -> None:
    message = "Fine.  Please   always name\tyour sources! Thanks"
    found = only(message).quote
    assert found == "Please always name your sources!" and found in " ".join(message.split())


@pytest.mark.parametrize(
    ("message", "type", "text"),
    [
        ("keep: short answers", "KEEP", "short answers"),
        ("Hello\nmore:tables in reports", "MORE", "tables in reports"),
        ("STΟP: emojis", "STOP", "emojis"),
    ],
)
def test_a_near_miss_that_names_a_manner_is_a_wish(message: str, type: str, text: str) -> None:
    assert (only(message).type, only(message).text, only(message).weight) == (type, text, 0.7)


@pytest.mark.parametrize("noun", ["jokes", "tables", "bullet points"])
@pytest.mark.parametrize(
    "message",
    [
        "From now on, no {}.",
        "No {} from now on, please.",
        "From now on I want no {}",
        "In future no more {}.",
        "Next time: no {}",
        "Ok, from now on no {} any more.",
    ],
)
def test_none_of_it_from_now_on_is_never_heard_as_more_of_it(message: str, noun: str) -> None:
    found = only(message.format(noun))
    assert (found.type, found.text) == ("STOP", noun)


def test_what_is_not_wanted_any_more_is_named_without_that() -> None:
    assert only("Ab sofort bitte keine Emojis mehr.").text == "Emojis"


@pytest.mark.parametrize(
    "message",
    [
        "Short answers like this are not helpful.",
        "No short answers please.",
        "Ich mag die Emojis nicht.",
        "The bullet lists like these aren't useful.",
        "Ich mag deine kurzen Antworten nicht.",
    ],
)
def test_what_is_denied_is_no_praise_and_no_order(message: str) -> None:
    assert not [each for each in remarks(Said("cli/m1", message)) if each.type in ("KEEP", "MORE", "START")]


def test_a_no_that_leads_in_denies_nothing_and_one_that_may_do_either_says_nothing() -> None:
    found = only("No, from now on answer in German.")
    assert (found.type, found.text) == ("START", "answer in German")
    assert not remarks(Said("cli/m1", "No reply in capitals from now on."))


def test_capitals_stay_where_they_belong() -> None:
    assert only("From now on call me Kari").text == "call me Kari"
    assert only("Never call me Mrs Nordmann again").text == "calling me Mrs Nordmann"
    assert only("bitte keine Emojis").text == "Emojis"
    assert only("Emojis are annoying, no emojis please").text == "emojis"


# -- whatever comes ------------------------------------------------------------------------------------------

_WORDS = (
    "too",
    "long",
    "you",
    "said",
    "that",
    "already",
    "stop",
    "repeating",
    "please",
    "always",
    "no",
    "emojis",
    "the",
    "answer",
    "short",
    "perfect",
    "from now on",
    ",",
    ".",
    "?",
    "\n",
    ">",
    "Ola",
    "really",
    "du",
    "nicht",
    "zu",
    "lang",
    '"',
    "…",
    "\u202e",
    "x" * 50,
)


@settings(derandomize=True, max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=40).map(" ".join) | st.text(max_size=200))
def test_whatever_is_said_a_remark_is_a_directive_s_text_and_its_quote_stands_there(message: str) -> None:
    for each in remarks(Said("cli/m1", message)):
        assert each.type in TYPES and not problem(each.text) and 0.3 <= each.weight <= 0.8
        assert each.quote and each.quote in " ".join(message.split())


@pytest.mark.parametrize(
    "part",
    [
        "too, ",
        "really ",
        "the ",
        "you said that already again ",
        "no more ",
        "please ",
        "( ",
        "stop the the ",
        "always never ",
        "a. ",
        '" ',
        "x",
    ],
)
def test_of_a_message_made_to_be_slow_the_beginning_decides(part: str) -> None:
    assert remarks(Said("cli/m1", part * 40_000)) == remarks(Said("cli/m1", part * 20_000))
