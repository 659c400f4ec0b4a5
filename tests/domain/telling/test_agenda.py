"""Questions about the picture: which they are, in three languages, and what is answered to each."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from adjutant.domain.matters import wording
from adjutant.domain.matters.picture import Open, Picture
from adjutant.domain.matters.signal import Evidence
from adjutant.domain.telling import agenda, asking
from adjutant.domain.telling.agenda import AgendaAnswer
from adjutant.domain.telling.asking import Asked
from adjutant.domain.telling.topic import Topic
from tests.noticing import TODAY
from tests.picturing import days, made

KINDS = {
    "due": [
        "What is due this week?",
        "what's due tomorrow",
        "Please tell me what do I have due on Friday?",
        "Is anything due?",
        "Which bills are due this month?",
        "Hva forfaller denne uka?",
        "Hvilke frister har jeg?",
        "Was ist diese Woche fällig?",
        "Welche Fristen habe ich?",
    ],
    "late": [
        "what is overdue?",
        "What's late?",
        "Which invoices are overdue?",
        "whats late",
        "Hva er forfalt?",
        "Was ist überfällig?",
    ],
    "waiting": [
        "Who am I waiting for?",
        "what are we waiting on?",
        "Who has not answered?",
        "Hvem venter jeg på?",
        "Auf wen warte ich noch?",
        "Worauf warte ich?",
        "Who's still to get back to me?",
        "Who has to call me back this week?",
        "Wer muss mir noch antworten?",
        "Hvem skal ringe meg tilbake?",
    ],
    "blocked": ["What is blocked?", "is anything stuck?", "Hva står fast?", "Was ist blockiert?"],
    "today": [
        "What should I do today?",
        "What happens on Friday?",
        "What is still to do before the Kessler call on Friday?",
        "What should I take care of before I fly tomorrow?",
        "Was muss ich vor dem Umzug am Freitag noch erledigen?",
        "Hva må jeg ordne før jeg flyr på fredag?",
        "Anything on tomorrow?",
        "Was ist am Freitag?",
        "Am I free tomorrow?",
        "Which appointments do I have this week?",
        "Habe ich morgen Zeit?",
        "Bin ich am Samstag frei?",
        "Welche Termine habe ich diese Woche?",
        "Er jeg ledig på fredag?",
        "Hvilke avtaler har jeg i morgen?",
        "what should we do next",
        "What's on my plate?",
        "Hva bør jeg gjøre i dag?",
        "Was soll ich heute tun?",
        "Was steht heute an?",
    ],
    "longest": [
        "What is waiting longest?",
        "Who have I been waiting for the longest?",
        "Worauf warte ich am längsten?",
    ],
    "unpaid": [
        "Who owes me money?",
        "Which customers still owe us money?",
        "Who has not paid yet?",
        "Which invoices are unpaid?",
        "Welche Rechnungen sind noch unbezahlt?",
        "Wer schuldet mir noch Geld?",
        "Hvem har ikke betalt?",
    ],
    "pay": [
        "Which bills are still to pay?",
        "What do I have to pay this month?",
        "Hva må jeg betale denne uka?",
    ],
    "promised": ["What did I promise Berg?", "Hva lovet jeg Berg?", "Was habe ich Berg versprochen?"],
    "mute": [
        "Stop telling me about clippings",
        "please don't remind me of the newsletter again",
        "I do not want to hear about the van any more",
        "Slutt å fortelle meg om hytta",
        "Erzähl mir nichts mehr von der Zeitung",
    ],
    "open": [
        "What is open?",
        "Show me all open tasks",
        "What is still left to do?",
        "Hva gjenstår?",
        "Was ist noch offen?",
    ],
    "with": [
        "What is open with Berg?",
        "What do I have with Berg?",
        "Anything new from Berg?",
        "Hva er åpent med Berg?",
        "Hva har jeg med Berg?",
        "Was ist offen mit Berg?",
    ],
    "on": [
        "What is open on the Kessler project?",
        "Where do we stand with Kessler?",
        "Hva gjenstår på Kessler?",
        "Was ist offen bei Kessler?",
    ],
}
ELSE = (
    "What is on the roof?",
    "When is the dentist?",
    "What is the rent?",
    "Why is the boiler late?",
    "What did you tell me was due?",
    "Who is Berg?",
    "Tell Berg what is due",
    "What is due diligence?",
    "Is the roof open?",
    "Thanks, good morning!",
    "What happens in the garden?",
    "What did you promise me?",
    "Stop telling me what to do",
    "Stop telling me about it",
    "Hva er på taket?",
    "Hva koster strømmen?",
    "",
    "What is due this week? " * 20,
)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts])
def test_a_question_about_the_picture_is_known_by_its_phrase(kind: str, text: str) -> None:
    found = asking.asked(text, TODAY)
    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("text", ELSE)
def test_any_other_question_is_none_of_the_picture(text: str) -> None:
    assert asking.asked(text, TODAY) is None


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("What is due today?", 0, 0),
        ("What is due tomorrow?", 1, 1),
        ("What is due on Thursday?", 3, 3),
        ("What is due by Friday?", 0, 4),
        ("What is due before Friday?", 0, 4),
        ("what is due until 1 December?", 0, 8),
        ("What is due on 1 December?", 8, 8),
        ("What is due next week?", 7, 13),
        ("Was ist bis Freitag fällig?", 0, 4),
    ],
)
def test_a_question_names_its_days_and_by_a_day_means_until_then(text: str, first: int, last: int) -> None:
    found = asking.asked(text, TODAY)
    assert found is not None
    assert found.span == tuple(days(first, last))


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("What is open with Sinead Berg?", "Sinead Berg"),
        ("What am I waiting for from Berg?", "Berg"),
        ("What is blocking the Kessler handover?", "the Kessler handover"),
        ("What is due?", ""),
        ("What is due for the Kessler job this week?", "the Kessler job"),
        ("Anything for the school by Friday?", "the school"),
        ("Which letters have I still not written for Mr. Osei and Dr. Lunde?", "Mr Osei, Dr Lunde"),
        ("Was erwartet Frau Tandberg noch von mir?", "Tandberg"),
    ],
)
def test_a_question_names_whom_or_what_it_is_about(text: str, about: str) -> None:
    found = asking.asked(text, TODAY)
    assert found is not None
    assert found.about.lower() == about.lower()


# -- by form -------------------------------------------------------------------------------------------------

FORMS = [
    ("What has to be returned to the library by Thursday?", "due", (0, 3), ""),
    ("Which forms must I sign before Friday?", "due", (0, 4), ""),
    ("Hva må hentes i morgen?", "due", (1, 1), ""),
    ("Was muss bis Mittwoch aus dem Keller raus?", "due", (0, 2), ""),
    ("What should I bring for Ella on Friday?", "due", (4, 4), "Ella"),
    ("What is planned for Wednesday and Thursday?", "today", (2, 3), ""),
    ("What do I have to pay in the coming days?", "pay", (0, 4), ""),
    ("Who is still waiting for an answer from me?", "owed", None, ""),
    ("Wem muss ich noch antworten?", "owed", None, ""),
    ("Hvem må jeg ringe tilbake?", "owed", None, ""),
    ("What is on tomorrow, and who comes?", "today", (1, 1), ""),
]
NO_FORMS = (
    "What rent do we pay from Monday?",
    "Which room is free on Friday?",
    "What did the vet want on Friday?",
    "What had to be signed last week?",
    "What time is the bus tomorrow?",
)


@pytest.mark.parametrize(("text", "kind", "span", "about"), FORMS)
def test_a_duty_or_a_day_makes_a_question_one_of_the_picture(
    text: str, kind: str, span: tuple[int, int] | None, about: str
) -> None:
    found = asking.asked(text, TODAY)
    assert found is not None
    assert kind in (found.kind, found.other)  # of two readings both are answered
    assert found.span == (tuple(days(*span)) if span else None)
    assert found.about == about


@pytest.mark.parametrize("text", NO_FORMS)
def test_a_question_that_names_more_is_searched(text: str) -> None:
    assert asking.asked(text, TODAY) is None


def test_days_to_come_answer_where_nothing_else_does() -> None:
    assert asking.perhaps("Which room is free on Friday?", TODAY, answered=False) == Asked("due", tuple(days(4, 4)), "")
    for text in ("Which room was free last week?", "Which colour has the room?", "I leave on Friday."):
        assert asking.perhaps(text, TODAY, answered=False) is None


def test_a_clause_that_asks_needs_no_mark() -> None:
    found = asking.asked("right then, what is still waiting for an answer from me", TODAY)
    assert found is not None
    assert found.kind == "owed"


def test_a_likely_count_of_what_is_open_is_asked_of_the_picture() -> None:
    found = asking.asked("How many bills do I still have to pay this week?", TODAY)
    assert found is not None
    assert found.span == tuple(days(0, 6))


@pytest.mark.parametrize(
    ("text", "about"), [("Was ist auf dem Dach?", "Dach"), ("Is anything left on the boiler?", "the boiler")]
)
def test_a_question_without_a_day_is_about_what_it_names(text: str, about: str) -> None:
    found = asking.asked(text, TODAY) or asking.perhaps(text, TODAY, answered=False)
    assert found is not None
    assert found.about == about


# -- answers -------------------------------------------------------------------------------------------------

BERG = Evidence("projects/kessler.md", 4, "Waiting on Sinead Berg for the frames")
OPEN = [
    made("Pay the rent", -3, id="l2aa"),
    made("Send the plan", 0, id="t2aa"),
    made("Dentist", 1, id="t3aa", time="10:30", kind="appointment", dated=False),
    made("Order the oak", 6, id="w2aa", who="Ola Dahl"),
    made("Book the hall", 8, id="f2aa"),
    made("Frames of the house", 2, id="a2aa", kind="waiting", who="Sinead Berg", evidence=[BERG], heads=("Kessler",)),
    made("Permit of the shed", None, id="b2aa", kind="blocked", severity="medium"),
    made("Learn the accordion", None, id="r2aa", severity="low"),
    made("Sell the van", 0, id="m2aa", muted="marked done"),
]


def told(
    kind: str, span: tuple[date, date] | None = None, about: str = "", matters: list[Open] | None = None
) -> agenda.AgendaAnswer:
    """The answer to a question of that kind."""
    picture = Picture(datetime.combine(TODAY, time(9), UTC), OPEN if matters is None else matters, [], [], [])
    found = agenda.answer(Asked(kind, span, about), picture, several=False)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("kind", "span", "about", "ids"),
    [
        ("due", None, "", ["t2aa", "t3aa", "a2aa", "w2aa", "l2aa"]),
        ("due", (0, 0), "", ["t2aa", "l2aa"]),
        ("due", (1, 1), "", ["t3aa"]),
        ("due", (7, 13), "", ["f2aa"]),
        ("due", (-5, 0), "", ["t2aa", "l2aa"]),
        ("late", None, "", ["l2aa"]),
        ("waiting", None, "", ["a2aa"]),
        ("blocked", None, "", ["b2aa"]),
        ("with", None, "Berg", ["a2aa"]),
        ("with", None, "Sinead Berg", ["a2aa"]),
        ("with", None, "Ola Dahl", ["w2aa"]),
        ("on", None, "the Kessler project", ["a2aa"]),
        ("on", None, "Kessler", ["a2aa"]),
        ("due", None, "Berg", ["a2aa"]),
    ],
)
def test_each_kind_is_answered_with_the_matters_of_it(
    kind: str, span: tuple[int, int] | None, about: str, ids: list[str]
) -> None:
    found = told(kind, (days(span[0])[0], days(span[1])[0]) if span else None, about)
    assert sorted(each.id for each in found.matters) == sorted(ids)
    listed = [line.rpartition(" · ")[2] for line in found.lines if line.startswith("- ")]
    assert sorted(listed) == sorted(ids)
    assert found.left == 0


def test_a_name_counts_for_more_than_the_noun_behind_it_and_most_of_it_has_to_be_there() -> None:
    ship = made("MV Alida arrives", 2, id="s2aa")
    other = made("MV Nordholm arrives", 3, id="s3aa")
    short = made("The frames for Alida", 4, id="s4aa")
    found = told("with", about="MV Alida", matters=[ship, other, short])
    assert sorted(each.id for each in found.matters) == ["s2aa", "s4aa"]
    assert [each.id for each in told("due", about="the Kessler job").matters] == ["a2aa"]


def test_what_is_to_be_paid_is_found_by_its_noun_or_by_its_amount() -> None:
    bill = made("Water, 412.60", 20, id="p2aa", evidence=[Evidence("bills.csv", 2, "Water,412.60")], kind="deadline")
    rent = made("Rent of the shed", 3, id="p3aa", kind="deadline")
    for about in ("bills", "Rechnungen", ""):
        found = told("pay", about=about, matters=[bill, rent]).matters
        assert [each.id for each in found] == (["p3aa", "p2aa"] if not about else ["p2aa"])


def test_who_waits_for_an_answer_is_named_by_what_they_ask() -> None:
    asked = made("Ove asks whether Friday suits, please confirm", 3, id="o2aa")
    other = made("Book the hall", 3, id="o3aa")
    assert [each.id for each in told("owed", matters=[asked, other]).matters] == ["o2aa"]


def test_what_has_to_be_paid_without_saying_so_is_what_falls_due() -> None:
    span = tuple(days(0, 4))
    found = told("pay", (span[0], span[1]), matters=[made("Dentist", 1, id="t3aa", kind="appointment", dated=False)])
    assert [each.id for each in found.matters] == ["t3aa"]


def test_what_waits_under_a_heading_or_by_its_words_is_waited_for_and_the_oldest_is_first() -> None:
    board = made("Fire certificate", None, id="w3aa", heads=("Waiting",), first_seen="2026-11-02T09:00:00+00:00")
    words = made("No answer from Ove", None, id="w4aa", first_seen="2026-10-02T09:00:00+00:00")
    found = told("longest", matters=[board, words, made("Book the hall", 8, id="f2aa")])
    assert [each.id for each in found.matters] == ["w4aa", "w3aa"]


def test_who_wants_to_hear_no_more_is_told_what_mutes_it() -> None:
    found = told("mute", about="Kessler")
    assert found.lines == [
        "You want to hear no more about Kessler. Nothing is muted yet.",
        "Open about it:",
        "- Frames of the house · Wed 25 Nov · projects/kessler.md:4 · a2aa",
        "`adjutant mark a2aa useless` mutes one of these.",
        "All that is about it stays quiet with this line under Quiet Zones in identity/heart.md: `- Kessler`",
    ]
    assert told("mute", about="football").lines[1] == "Nothing that is open is about it."


def test_what_is_open_is_all_of_it_and_today_is_what_is_near_grave_or_late() -> None:
    shown = [each.id for each in OPEN if not each.muted]
    assert sorted(each.id for each in told("open").matters) == sorted(shown)
    assert [each.id for each in told("today").matters][:2] == ["t2aa", "t3aa"]
    assert {each.id for each in told("today").matters} == set(shown) - {"b2aa", "r2aa"}


def test_what_is_due_stands_by_its_day_and_what_is_late_under_a_heading_of_its_own() -> None:
    assert told("due").lines == [
        "Due by Sun 29 Nov:",
        "- Send the plan · today · tasks.md:3 · t2aa",
        "- Dentist · tomorrow 10:30 · tasks.md:3 · t3aa",
        "- Frames of the house · Wed 25 Nov · projects/kessler.md:4 · a2aa",
        "- Order the oak · Sun 29 Nov · tasks.md:3 · w2aa",
        "Late:",
        "- Pay the rent · 3 days late · tasks.md:3 · l2aa",
    ]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("due", "I found nothing due by Sun 29 Nov."),
        ("late", "I found nothing late."),
        ("waiting", "I found nobody you are waiting for."),
        ("blocked", "I found nothing blocked."),
        ("today", "I found nothing late, due today or tomorrow."),
        ("open", "I found nothing open."),
    ],
)
def test_where_there_is_nothing_that_is_said(kind: str, said: str) -> None:
    assert told(kind, matters=[]) == agenda.AgendaAnswer([said], [], 0)


def test_a_line_is_told_with_the_sentences_around_it() -> None:
    around = "Bank rang: the cheque of Moen came back. He has it in cash on Friday. It rained all day."
    assert wording.widen("He has it in cash on Friday.", around) == around
    far = f"No cheque, {'no cheque, ' * 20}none. The bank has it. He pays on Friday. {'So it goes on and on ' * 12}."
    assert wording.widen("He pays on Friday.", far) == "The bank has it. He pays on Friday."
    assert wording.widen("Moen: He pays on Friday.", far) == "Moen: He pays on Friday."


def test_a_line_goes_back_to_the_one_it_speaks_of() -> None:
    around = "Ask Ferreira for the crate. Rang. She has it on Friday, and it is the big one with the two brass handles."
    assert wording.widen("She has it on Friday, and it is the big one with the two brass handles.", around) == around


def test_what_is_late_alone_is_called_late() -> None:
    found = told("due", matters=[made("Pay the rent", -2, id="l2aa")])
    assert found.lines[0] == "Late:"


def test_an_answer_fits_one_page_of_a_terminal() -> None:
    found = told("open", matters=[made(f"Pay bill {n}", 1, id=f"x{n}") for n in range(40)])
    assert (len(found.matters), found.left, len(found.lines)) == (20, 20, 22)
    assert found.lines[-1] == "20 more: `adjutant today --all`"


def test_what_is_grave_later_this_week_does_not_stand_under_today() -> None:
    found = told("today", matters=[made("Pay the rent", 0, id="aaaa"), made("Pay the tax", 3, id="bbbb")])
    heads = [line for line in found.lines if line.endswith(":")]
    assert (heads, [line.split()[3] for line in found.lines if line[:1] == "-"]) == (
        ["Today and tomorrow:", "Coming up:"],
        ["rent", "tax"],
    )


def test_two_readings_of_a_question_fit_one_page() -> None:
    both = [told("open", matters=[made(f"Pay {kb} {n}", 1, id=f"{kb}{n}") for n in range(30)]) for kb in "ab"]
    found = agenda.join(both)
    assert found is not None
    assert len(found.lines) == agenda.MOST_LINES
    assert found.left == 60 - len(found.matters)


def test_about_whom_nothing_is_open_the_folder_is_searched_instead() -> None:
    picture = Picture(datetime.combine(TODAY, time(9), UTC), OPEN, [], [], [])
    for kind, about in (("with", "Nils"), ("on", "the boiler of Kessler")):
        assert agenda.answer(Asked(kind, None, about), picture, several=False) is None


# -- two readings --------------------------------------------------------------------------------------------


def test_of_two_answers_each_line_stands_under_its_own_heading_once() -> None:
    waits = AgendaAnswer(["Waiting:", "- frames", agenda.ALSO, "- Berg said so"], [], 0, True)
    late = AgendaAnswer(["Late:", "- frames", agenda.ALSO, "- the pane leaks"], [], 0, True)
    joined = agenda.join([waits, late])
    assert joined is not None
    assert joined.lines == ["Waiting:", "- frames", agenda.ALSO, "- Berg said so", agenda.ALSO, "- the pane leaks"]


def test_what_finds_nothing_is_left_out_beside_what_does() -> None:
    nothing = AgendaAnswer(["I found nothing late."], [], 0)
    found = AgendaAnswer(["Open:", "- frames"], [], 0, True)
    assert agenda.join([nothing, found]) == found
    assert agenda.join([nothing]) == nothing
    assert agenda.join([]) is None


def test_below_a_search_it_is_said_once_that_nothing_was_found() -> None:
    found = AgendaAnswer(["I found nothing late.", agenda.ALSO, "- the pane leaks"], [], 0, True)
    assert agenda.head(found, agenda.NOTHING).lines == [agenda.NOTHING, agenda.ALSO, "- the pane leaks"]


@pytest.mark.parametrize(
    "text", ["Was kommt in nächster Zeit?", "What is due in the near future?", "Hva skjer i tiden fremover?"]
)
def test_the_near_future_is_a_month(text: str) -> None:
    found = asking.asked(text, TODAY)
    assert found is not None
    assert found.span == tuple(days(0, asking.LATER))


@pytest.mark.parametrize("text", ["What is due on Friday this week?", "Was muss am Freitag dieser Woche raus?"])
def test_a_day_of_a_week_is_that_day(text: str) -> None:
    found = asking.asked(text, TODAY)
    assert found is not None
    assert found.span == tuple(days(4, 4))


def test_through_a_day_begins_today() -> None:
    found = asking.asked("What is on for the rest of this week, through Sunday?", TODAY)
    assert found is not None
    assert found.span == tuple(days(0, 6))


def test_plain_words_name_a_page_where_one_is_called_so() -> None:
    topic = Topic("stand lens season").narrow(["loans/lens.md"])
    assert topic.is_in("The lens is insured.")
    assert not topic.is_in("How things stand in the season.")


def test_a_name_stays_beside_plain_words() -> None:
    topic = Topic("the boiler of Kessler").narrow(["projects/kessler.md"])
    assert not topic.is_in("Frames for Kessler")


def test_a_page_that_a_question_names_is_what_it_is_about() -> None:
    matters = [
        made("Pay the rent", 1, id="p1aa"),
        made("Exam", 1, id="l2aa", evidence=[Evidence("shop/linus.md", 3, "Exam")]),
    ]
    found = agenda.find_page(Asked("due", None, "", "Zeit Linus"), matters)
    assert found.about == "Linus"


@pytest.mark.parametrize(
    ("question", "kind", "about"),
    [
        ("What did Moen promise us?", "waiting", "Moen"),
        ("What did we promise Moen?", "promised", "Moen"),
        ("Hva har Moen lovet oss?", "waiting", "Moen"),
        ("Hva har vi lovet Moen?", "promised", "Moen"),
        ("Was hat mir Moen zugesagt?", "waiting", "Moen"),
        ("Was habe ich Moen zugesagt?", "promised", "Moen"),
        ("What is still open between Moen and us?", "with", "Moen"),
        ("Hva er uavklart mellom meg og Moen?", "with", "Moen"),
        ("Was ist zwischen mir und Moen noch offen?", "with", "Moen"),
    ],
)
def test_who_owes_whom_is_told_by_the_form(question: str, kind: str, about: str) -> None:
    wanted = asking.asked(question, TODAY)
    assert wanted is not None
    assert (wanted.kind, wanted.about) == (kind, about)


def test_a_passive_duty_is_not_waited_for() -> None:
    open_ones = [
        made("The skis for Ove have to be waxed", kind="task"),
        made("Kassen må hentes hos Lunde", kind="task"),
    ]
    assert not told("waiting", matters=open_ones).matters


def test_a_meeting_leaves_room_for_the_rest() -> None:
    points = [made(f"Point {n}", 1, id=f"p{n}", kind="appointment", time="19:30") for n in range(30)]
    found = told("due", matters=[*points, made("Pay the rent", 2, id="r2nt")])
    assert [each.id for each in found.matters] == ["p0", "r2nt"]
    assert found.lines[-1] == "29 more: `adjutant today --all`"
