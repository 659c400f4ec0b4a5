"""What structure makes of a period: labels, boxes, questions, what ends, changes and recurs; the rest by its room."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import date

import pytest

from adjutant.domain.periods.extract import extract, recurring
from adjutant.domain.periods.reading import PeriodPiece, read_period
from adjutant.records import period_file
from adjutant.records.period_file import SECTIONS, Bullet, bullets, render
from tests.conftest import CHECKOUT

DAYS = ("2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20")
THINGS = "lathe marble harbour ladder violin garden scaffold tractor piano roof kiln fence lantern orchard bridge mill"
MANY = [f"The {thing} of hall {at} was lent to Storli for {at + 40} days." for at, thing in enumerate(THINGS.split())]


def entry(text: str, day: str = DAYS[0], hour: str = "09:00", title: str = "", trust: str = "operator") -> PeriodPiece:
    """An entry of a journal."""
    return PeriodPiece(text, (f"journal {day} {hour}",), f"{day}T{hour}:00+01:00", trust, title)


def message(text: str, speaker: str, hour: str) -> PeriodPiece:
    """A message of the conversation `cli`."""
    trust = {"operator": "operator", "agent": "agent"}.get(speaker, "untrusted")
    return PeriodPiece(text, (f"conversations cli/{hour}",), f"{DAYS[0]}T{hour}:00+01:00", trust, speaker=speaker)


def daily(*pieces: PeriodPiece) -> list[Bullet]:
    return extract(pieces, kind="daily", ratio=0.3)


def week(*told: tuple[str, Sequence[Bullet]]) -> list[Bullet]:
    """The week of some days' bullets."""
    pieces = [piece for day, each in told for piece in read_period(period_file.day(date.fromisoformat(day)), each)]
    return extract(pieces, kind="weekly", ratio=0.3)


def days(*texts: str, trust: str = "operator") -> list[Bullet]:
    """The week in which each text is the journal of one day."""
    return week(*((day, daily(entry(text, day, trust=trust))) for day, text in zip(DAYS, texts, strict=False)))


def texts(found: Sequence[Bullet], section: str = "") -> list[str]:
    return [bullet.text for bullet in found if section in ("", bullet.section)]


# -- labels, headings, boxes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "section", "text"),
    [
        ("Decision: the sign stays blue.", "Decisions", "The sign stays blue."),
        ("**Vedtak:** skiltet forblir blått.", "Decisions", "Skiltet forblir blått."),
        ("Lektion – erst messen, dann sägen.", "Lessons", "Erst messen, dann sägen."),
        ("Correction: the rent is 9,800, not 8,900.", "Corrections", "The rent is 9,800, not 8,900."),
        ("- [ ] ring the carpenter", "Open threads", "ring the carpenter"),
        ("Talked to Ina about paint. Decision: the sign stays blue.", "Decisions", "The sign stays blue."),
        ("Which hall is free in May?", "Open threads", "Which hall is free in May?"),
    ],
)
def test_structure_says_what_a_line_is(line: str, section: str, text: str) -> None:
    assert text in texts(daily(entry(line)), section)


def test_prose_without_a_label_is_an_event() -> None:
    found = daily(entry("We settled on the smaller supplier and still wait for the oven."))
    assert {bullet.section for bullet in found} == {"Key events"}


def test_a_heading_names_what_stands_under_it() -> None:
    found = daily(entry("- blue sign, not red\n\n### Lessons learned\n- measure the boards twice", title="Decisions"))
    assert (texts(found, "Decisions"), texts(found, "Lessons")) == (
        ["blue sign, not red"],
        ["measure the boards twice"],
    )


def test_a_line_that_ends_in_a_colon_names_its_list() -> None:
    found = daily(entry("Todo:\n- ring the carpenter\n\nFrom Storli:\n- two oak boards"))
    assert texts(found) == ["From Storli: two oak boards", "ring the carpenter"]


@pytest.mark.parametrize("position", [0, 8, 16])
def test_a_decision_survives_wherever_it_stands(position: int) -> None:
    lines = [*MANY[:position], "Decision: Kari keeps the keys.", *MANY[position:]]
    assert texts(daily(entry("".join(f"- {line}\n" for line in lines))), "Decisions") == ["Kari keeps the keys."]


def test_more_decisions_than_lines_share_them() -> None:
    lines = [f"Decision: the gate of hall {number} is painted in tone {number * 7}." for number in range(60)]
    found = daily(entry("\n".join(f"- {line}" for line in lines)))
    assert len(found) <= 15
    assert all(f"hall {number} is painted in tone {number * 7}" in " ".join(texts(found)) for number in range(60))


def test_a_day_has_at_most_fifteen_lines() -> None:
    assert len(daily(entry("\n".join(f"- [ ] {line}" for line in MANY)))) == 15


def test_what_others_decided_is_news() -> None:
    found = daily(entry("Decision: flour costs 12 kr more.", trust="untrusted"))
    assert [(bullet.section, bullet.trust) for bullet in found] == [("Key events", "untrusted")]


def test_a_correction_stands_behind_what_it_corrects() -> None:
    found = days("The flour of Nord comes on Tuesday.", "Correction: the flour of Nord comes on Thursday.")
    assert [(each.section, each.text) for each in found] == [
        ("Corrections", "The flour of Nord comes on Tuesday. → The flour of Nord comes on Thursday. (2026-11-16, 17)")
    ]


def test_a_correction_that_names_the_old_value_takes_its_place() -> None:
    found = days(
        "The deposit is 4,500 kr for the hall.", "Correction: the deposit for the hall is 5,400, not 4,500 kr."
    )
    assert texts(found) == ["The deposit for the hall is 5,400, not 4,500 kr. (2026-11-16, 17)"]


# -- threads ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "closed",
    ["- [x] pay the deposit for the hall", "Pay the deposit for the hall – done", "Done: pay the deposit for the hall"],
)
def test_a_box_or_label_ends_a_thread(closed: str) -> None:
    found = days("- [ ] pay the deposit for the hall", closed)
    assert [(each.section, each.text.lower()) for each in found] == [
        ("Key events", "✓ pay the deposit for the hall (2026-11-16, 17)")
    ]


@pytest.mark.parametrize(
    "later",
    [
        "The deposit for the hall was finally paid, what a relief.",
        "- [x] pay the deposit for the boat",
        "- [x] do not pay the deposit for the hall",
    ],
)
def test_without_a_settling_line_a_thread_stays_open(later: str) -> None:
    assert texts(days("- [ ] pay the deposit for the hall", later), "Open threads") == ["pay the deposit for the hall"]


def test_a_thread_opened_again_is_open() -> None:
    found = days("- [ ] oil the north gate", "- [x] oil the north gate", "- [ ] oil the north gate")
    assert texts(found, "Open threads") == ["oil the north gate"]


def test_a_struck_box_is_not_called_done() -> None:
    assert texts(days("- [ ] oil the north gate", "- [-] oil the north gate")) == [
        "✗ oil the north gate (2026-11-16, 17)"
    ]


def test_a_stranger_ends_no_thread_of_the_operators() -> None:
    found = week(
        (DAYS[0], daily(entry("- [ ] send the VAT return"))),
        (DAYS[1], daily(entry("- [x] send the VAT return", DAYS[1], trust="untrusted"))),
    )
    assert texts(found, "Open threads") == ["send the VAT return"]


# -- what belongs together -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "- Which hall is free in May?\n  - Hall 3, says Kari.",
        "Which hall is free in May? Hall 3, says Kari.",
        "- Which hall is free in May?\n- Answer: Hall 3, says Kari.",
    ],
)
def test_an_answer_stays_with_its_question(text: str) -> None:
    [found] = texts(daily(entry(text)))
    assert found.startswith("Which hall is free in May?")
    assert found.endswith("Hall 3, says Kari.")


def test_a_reply_stays_with_the_question_before_it() -> None:
    found = daily(
        message("Which hall shall I book for May?", "agent", "10:00"),
        message("The small hall by the river.", "operator", "10:01"),
    )
    assert [(each.text, each.trust) for each in found] == [
        ("Which hall shall I book for May? → The small hall by the river.", "agent")
    ]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (
            ("The blue sign costs 1,200 kr.", "The blue sign costs 1,350 kr."),
            "The blue sign costs 1,200 kr → 1,350 kr. (2026-11-16, 17)",
        ),
        (
            ("Rent of hall: 100 kr", "Rent of hall: 120 kr", "Rent of hall: 150 kr"),
            "Rent of hall: 100 kr → 120 kr → 150 kr (2026-11-16, 17, 18)",
        ),
        (
            ("Decision: the fair opens on 3 December.", "Decision: the fair opens on 10 December, Ina asked for it."),
            "The fair opens on 3 December → 10 December, Ina asked for it. (2026-11-16, 17)",
        ),
    ],
)
def test_a_value_that_changed_is_told_as_old_and_new(told: tuple[str, ...], shown: str) -> None:
    assert texts(days(*told)) == [shown]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Decision: rye bread is sold for 12 kr.", "Decision: oat bread is sold for 14 kr."),
        ("Decision: the lamp in hall 3 goes.", "Decision: the lamp in hall 4 goes."),
        ("Rule: the gate is open until 18:00.", "Rule: the gate is not open until 19:00."),
    ],
)
def test_two_things_stay_two_lines(one: str, other: str) -> None:
    assert len(days(one, other)) == 2


def test_a_stranger_changes_no_value_of_the_operators() -> None:
    found = week(
        (DAYS[0], daily(entry("The fee of Nord is 440 kr."))),
        (DAYS[1], daily(entry("The fee of Nord is 999 kr.", DAYS[1], trust="untrusted"))),
    )
    assert ("The fee of Nord is 440 kr.", "operator") in [(bullet.text, bullet.trust) for bullet in found]


# -- what recurs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (["The printer in the shop jams."] * 3, "The printer in the shop jams. (3×: 2026-11-16, 17, 18)"),
        (
            ("Weigh the flour twice.", "The flour: weigh it twice!", "Weigh flour twice"),
            "Weigh flour twice (3×: 2026-11-16, 17, 18)",
        ),
        (["Vi må ikke glemme nøklene."] * 3, "Vi må ikke glemme nøklene. (3×: 2026-11-16, 17, 18)"),
    ],
)
def test_what_recurs_is_said_once_with_its_days(told: Sequence[str], shown: str) -> None:
    assert texts(days(*told), "Patterns") == [shown]


def test_weeks_add_up_in_the_month() -> None:
    weeks = [days(*["The printer in the shop jams."] * 3), daily(entry("The printer in the shop jams.", "2026-11-24"))]
    pieces = [
        piece
        for at, found in zip((date(2026, 11, 16), date(2026, 11, 24)), weeks, strict=True)
        for piece in read_period(period_file.week(at), found)
    ]
    found = extract(pieces, kind="monthly", ratio=0.3)
    assert texts(found, "Patterns") == ["The printer in the shop jams. (4×: 2026-11-16, 17, 18, 24)"]


def test_a_rule_that_no_day_has_room_for_recurs_all_the_same() -> None:
    full = [
        f"{line[:-1]}, and came back on the old blue lorry of Nord with a broken axle and two flat tyres."
        for line in MANY
    ]
    rule = "Weigh the flour twice before each and every bake, and write down both of the weights."
    told = [[entry("\n".join(f"- {line}" for line in [*full, rule]), day)] for day in DAYS]
    assert rule not in texts(daily(*told[0]))
    assert f"{rule} (5×: 2026-11-16, 17, 18, 19, 20)" in [piece.text for piece in recurring(told)]


def test_a_value_that_no_day_has_room_for_is_told_all_the_same() -> None:
    told = [[entry("\n".join(f"- {line}" for line in [*MANY, f"Fee: {fee} kr"]))] for fee in (90, 120)]
    told[1] = [told[1][0]._replace(moment=f"{DAYS[1]}T09:00:00+01:00", refs=(f"journal {DAYS[1]} 09:00",))]
    assert "Fee: 90 kr → 120 kr (2026-11-16, 17)" in [piece.text for piece in recurring(told)]


def test_a_line_and_its_longer_form_are_one() -> None:
    chain = PeriodPiece(
        "The big fee: 90 kr → 120 kr (2026-11-16, 17)", ("journal a",), f"{DAYS[1]}T09", "operator", "", "Key events"
    )
    found = extract([entry("The big fee: 120 kr", DAYS[1]), chain], kind="weekly", ratio=0.3)
    assert texts(found) == ["The big fee: 90 kr → 120 kr (2026-11-16, 17)"]


def test_the_operators_words_count_for_the_agents_echo() -> None:
    found = daily(
        entry("Hobart sends the left element for the oven."),
        message("Hobart sends the left element for the oven.", "agent", "10:00"),
    )
    assert [(bullet.trust, bullet.refs) for bullet in found] == [("operator", (f"journal {DAYS[0]} 09:00",))]


# -- what is nothing, length, form -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["Hi!", "ok", "Good morning", "Hei, takk skal du ha", "👍", "...", "---", "/status all"]
)
def test_small_talk_and_commands_are_nothing(text: str) -> None:
    assert daily(message(text, "operator", "10:00")) == []


def test_a_long_day_takes_about_its_share() -> None:
    told = "\n".join(f"- {line} {'It rained on the yard as ever. ' * 12}" for line in MANY)
    assert sum(map(len, texts(daily(entry(told))))) <= 0.31 * len(told)


def test_bullets_stand_by_section_and_then_by_time() -> None:
    found = daily(
        entry("Decision: the oak table.\n\nThe van from Nord broke down.", hour="12:00"),
        entry("Decision: the pine bench.\n\nLise won the race in Bergen.", hour="08:00"),
    )
    order = [(SECTIONS.index(bullet.section), bullet.refs[0]) for bullet in found]
    assert order == sorted(order)


def test_a_line_without_a_subject_takes_its_title() -> None:
    assert texts(daily(entry("- [ ] repair", title="Oven"))) == ["Oven: repair"]


def test_a_bullet_is_read_again_as_it_was_made() -> None:
    text = "- Ina [the painter] chose the **blue** sign [agent]\n- See [the page](https://ina.no) on <b>paint</b> now"
    found = daily(entry(text))
    text = render(period_file.day(date(2026, 11, 16)), (), found, "rules", 0)
    assert bullets(text.partition("\n# ")[2]) == found


def test_the_same_pieces_give_the_same_bullets_in_another_process() -> None:
    program = (
        "from tests.domain.periods.test_extract import *\n"
        "pieces = [entry(f'- {line} {number % 7}', day) for number, line in enumerate(MANY) for day in DAYS]\n"
        "print(extract(pieces, kind='weekly', ratio=0.3))\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=CHECKOUT,
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


# -- hostile input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        "?" * 10_000,
        "word " * 2000,
        "1,200 " * 1700,
        "- " * 5000,
        "a:" * 5000,
        "done – " * 2000,
        "# " * 5000,
        "> " * 5000,
        " " * 10_000 + "x",
        "? " * 5000,
        "(" * 10_000,
        "(3×: 2026-11-01, " * 1000,
        "1 → " * 3000,
        "a. " * 3500,
        "| " * 5000,
        "\t" * 9000 + "- a",
        "x\0" * 4000,
        "\u202e" * 9000,
        "- Sold 84 loaves.\n" * 5000,
        "\n" * 20_000 + "x",
        "~~~\n" * 4000,
    ],
    ids=lambda text: f"{text[:8]!r} x {len(text)}",
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    for piece in (entry(text), entry(text, trust="untrusted"), entry(text)._replace(section="Key events")):
        daily(piece)
    assert time.process_time() - began < 2


def test_a_full_day_takes_well_under_a_second_of_a_quiet_machine() -> None:
    pieces = [entry(" ".join(MANY[at % 16 :][:4]), hour=f"{at // 60:02}:{at % 60:02}") for at in range(400)]
    began = time.process_time()
    daily(*pieces)
    assert time.process_time() - began < 3


# -- a person's habits -----------------------------------------------------------------------------------------


def test_an_answered_question_is_not_open() -> None:
    said = daily(
        message("What did the winch cost?", "operator", "09:00"), message("4,300 kr in May.", "agent", "09:01")
    )
    assert texts(said) == ["What did the winch cost? → 4,300 kr in May."]


def test_a_rule_said_in_changing_sentences_is_one_line() -> None:
    found = recurring(
        [
            [entry(text, day)]
            for text, day in zip(
                (
                    "I tell Jess again: always weigh the animal before sedation.",
                    "We always weigh the animal before sedation, which saved us today.",
                    "Always weigh the animal before sedation.",
                ),
                DAYS,
                strict=False,
            )
        ]
    )
    assert [piece.text for piece in found] == ["Always weigh the animal before sedation. (3×: 2026-11-16, 17, 18)"]


def test_a_short_thread_ends_by_its_own_words() -> None:
    found = days("Wartet auf: Bescheid vom Finanzamt", "Erledigt: Bescheid vom Finanzamt")
    assert texts(found) == ["✓ Wartet auf: Bescheid vom Finanzamt (2026-11-16, 17)"]


def test_a_price_behind_a_month_changes() -> None:
    found = days("Entscheidung: Brotpreis ab November 0,55 €", "Entscheidung: Brotpreis ab November 0,60 €")
    assert texts(found) == ["Brotpreis ab November 0,55 € → 0,60 € (2026-11-16, 17)"]


def test_a_correction_stays_away_from_other_figures() -> None:
    said = "Bent planks, steam box at 98 degrees\n\nCorrection: the steam box cost 4 900 kr, not 4 300."
    assert texts(daily(entry(said))) == [
        "Bent planks, steam box at 98 degrees",
        "The steam box cost 4 900 kr, not 4 300.",
    ]


def test_days_are_written_in_the_periods_language() -> None:
    said = "Heute war es sehr ruhig in der Backstube und alle waren froh."
    found = texts(days(f"{said}\n\nRegel: Ofen lüften", "Regel: Ofen lüften", "Regel: Ofen lüften"), "Lessons")
    assert found == ["Ofen lüften (3×: 2026-11-16, 17, 18)"]


def test_a_decision_in_prose_is_one_and_changes() -> None:
    found = days("We decided that the clinic closes at 18:00.", "Changed our minds: we decided it closes at 16:00.")
    assert {bullet.section for bullet in found} == {"Decisions"}


def test_what_somebody_else_asks_of_a_decision_is_none() -> None:
    assert texts(daily(entry("Ola asked what we decided about the clinic on Monday.")), "Decisions") == []


def test_a_question_that_the_agent_found_nothing_for_stays_open() -> None:
    told = "Offline (no model is configured): I found nothing certain about that."
    found = daily(message("Who plays the organ on Sunday?", "operator", "09:00"), message(told, "agent", "09:01"))
    assert [(bullet.section, bullet.text) for bullet in found] == [("Open threads", "Who plays the organ on Sunday?")]


# -- what a decision replaces, what differs by figures alone -----------------------------------------------------

REVISED = [
    ("the loft gets 14 roof panels", "the loft gets 20 roof panels", "The loft gets 14 → 20 roof panels"),
    ("the gate becomes grey", "the gate becomes blue", "The gate becomes grey → The gate becomes blue"),
    ("wir fahren mit Brandt", "wir fahren doch mit Lohse", "Wir fahren mit Brandt → Wir fahren doch mit Lohse"),
    (
        "the loom stands in the attic",
        "the loom stands in the parlour, not in the attic",
        "The loom stands in the attic → The loom stands in the parlour, not in the attic",
    ),
    ("vi leier kaia", "vi kjøper kaia i stedet", "Vi leier kaia → Vi kjøper kaia i stedet"),
]


@pytest.mark.parametrize(("old", "new", "told"), REVISED, ids=[new for _, new, _ in REVISED])
def test_a_revised_decision_stands_behind_the_old(old: str, new: str, told: str) -> None:
    (made,) = days(f"Decision: {old}.", f"Decision: {new}.")
    assert made.text.startswith(told)


def test_a_decision_taken_back_tells_both_turns() -> None:
    (made,) = days(*(f"Decision: the gate becomes {colour}." for colour in ("grey", "blue", "grey")))
    assert made.text.startswith("The gate becomes grey → The gate becomes blue → The gate becomes grey.")


def test_a_chain_told_again_is_told_once() -> None:
    told = "wir fahren mit Brandt → wir fahren doch mit Lohse"
    (made,) = days("Decision: wir fahren mit Brandt.", f"Decision: {told}.")
    assert made.text.lower().startswith(f"{told.lower()}. (")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bay 3 gets a new door", "bay 4 gets a new door"),
        ("the loom stands in the attic", "the loom needs oil, not wax"),
        ("Siv mends the pump", "Siv mends the winch"),
        ("the office is closed in July", "the office is open in August"),
        ("the barn is red", "the mill is red"),
    ],
)
def test_two_decisions_stay_two(one: str, other: str) -> None:
    assert len(days(f"Decision: {one}.", f"Decision: {other}.")) == 2


def test_lines_that_differ_by_figures_are_one() -> None:
    found = days(*(f"The van left at {at}:40 with {at + 3} crates." for at in (7, 9, 10, 8)))
    assert [each.text for each in found] == [
        "The van left at 8:40 with 11 crates; other figures on the other days (2026-11-16, 17, 18, 19)"
    ]


def test_a_folded_line_counts_no_other_figure() -> None:
    first = days(*(f"The van left at {at}:40 with {at + 3} crates." for at in (7, 9, 10, 8)))
    plain = daily(entry("The van left at 8:40 with 11 crates.", "2026-11-23"))
    found = week((DAYS[0], first), ("2026-11-23", plain))
    assert not [each.text for each in found if each.text.startswith("The van") and "×" in each.text]


def test_lines_of_two_days_are_not_folded() -> None:
    found = days(*(f"The van left at {at}:40 with {at + 3} crates." for at in (7, 9)))
    assert not [each.text for each in found if "other figures" in each.text]
