"""Rows and records: the header decides, whatever the order of the columns; the table teaches which words close."""

from __future__ import annotations

from datetime import date
from itertools import permutations

import pytest

from tests.noticing import facts, open_facts, signals, still_open

BILL = {"bill": "gas", "issued": "2026-11-01", "due": "2026-11-20", "status": "open"}


def told(text: str, path: str = "list.csv") -> list[tuple[str, str, date | None]]:
    return [(each.kind, each.what, each.last) for each in open_facts(text, path)]


@pytest.mark.parametrize("order", list(permutations(BILL)), ids="-".join)
def test_an_unpaid_row_is_found_in_any_order_of_the_columns(order: tuple[str, ...]) -> None:
    paid = {**BILL, "bill": "water", "status": "paid"}
    text = "\n".join(",".join(row) for row in (order, *([each[name] for name in order] for each in (BILL, paid))))
    (found,) = open_facts(text, "bills.csv")
    assert (found.kind, found.what, found.last, found.dated) == (
        "deadline", "gas: due 2026-11-20", date(2026, 11, 20), True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.csv", "what,due,status\nRoof,2026-11-25,open\nDoor,2026-11-26,done\n"),
        ("a.csv", "what;due;status\nRoof;25.11.2026;open\nDoor;26.11.2026;done\n"),
        ("a.tsv", "what\tdue\tstatus\nRoof\t25 Nov 2026\topen\nDoor\t26 Nov 2026\tdone\n"),
        ("a.md", "| what | due | status |\n|---|---|---|\n| Roof | Wed 25th | open |\n| Door | Thu 26th | done |\n"),
        (
            "a.yaml",
            "- what: Roof\n  due: 2026-11-25\n  status: open\n- what: Door\n  due: 2026-11-26\n  status: done\n",
        ),
        ("a.json", '[{"what":"Roof","due":"2026-11-25","done":false},{"what":"Door","due":"2026-11-26","done":true}]'),
        ("a.csv", "sep=;\nwhat;due;status\nRoof;2026-11-25;open\nDoor;2026-11-26;done\n"),
        ("a.csv", "what|settled?|pay by\nRoof|N|2026-11-25\nDoor|Y|2026-11-26\n"),
        ("a.csv", "paid,what,due\npending,Roof,2026-11-25\n0,Door,\ncash,Door,2026-11-26\n"),
        ("a.csv", "what,hand-in,submitted\nRoof,2026-11-25,\nDoor,2026-11-26,2026-11-20\n"),
        ("a.csv", "was;Zahlungsziel;Status\nRoof;25.11.2026;offen\nDoor;26.11.2026;bezahlt\n"),
        ("a.csv", "what,due,status\nRoof,2026-11-25,ikke betalt\nDoor,2026-11-26,betalt\n"),
        ("a.csv", "was,fällig,stand\nRoof,25.11.2026,nicht begonnen\nDoor,26.11.2026,erledigt\n"),
        ("a.csv", "hva,frist,status\nRoof,25.11.2026,påbegynt\nDoor,26.11.2026,levert\n"),
    ],
)
def test_a_record_is_open_or_closed_by_its_status_whatever_it_is_written_in(path: str, text: str) -> None:
    (found,) = open_facts(text, path)
    assert (found.what.partition(":")[0], found.last) == ("Roof", date(2026, 11, 25))
    closed = [each for each in facts(text, path) if each.state == "done"]
    assert len(closed) == 1
    assert "Door" in closed[0].what


@pytest.mark.parametrize("column", ["paid", "paid on", "returned", "received", "completed on"])
def test_an_empty_cell_of_what_would_close_a_row_leaves_it_open(column: str) -> None:
    text = f"thing,due,{column}\nLadder,2026-11-25,\nDrill,2026-11-26,2026-11-20\nSaw,2026-11-27,no\n"
    assert [what for _, what, _ in told(text)] == ["Ladder: due 2026-11-25", "Saw: due 2026-11-27"]


@pytest.mark.parametrize("column", ["issued", "sent on", "order date", "start", "created", "last updated"])
def test_the_day_of_issue_or_start_is_no_day_to_keep(column: str) -> None:
    assert not told(f"bill,{column},status\ngas,2026-11-24,open\nwater,2026-11-25,open\nrent,2026-11-26,open\n")


def test_every_column_with_dates_is_looked_at() -> None:
    text = "tent,inspection,due,delivery\nlarge,2026-12-01,2026-11-25,2026-11-27\nsmall,2026-12-02,2026-11-26,\n"
    days = sorted((day for _, what, day in told(text) if what.startswith("large") and day), key=str)
    assert days == [date(2026, 11, 25), date(2026, 11, 27), date(2026, 12, 1)]


def test_what_somebody_promised_is_waited_for() -> None:
    text = "| part | promised | who |\n|---|---|---|\n| hinges | 26 Nov | Berg |\n"
    (found,) = open_facts(text, "a.md")
    assert (found.kind, found.who, found.last) == ("waiting", "Berg", date(2026, 11, 26))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("blocked: mould cracked", "blocked"),
        ("waiting for Berg", "waiting"),
        ("ordered", "waiting"),
        ("failed", "problem"),
        ("venter på Berg", "waiting"),
        ("blockiert", "blocked"),
    ],
)
def test_a_status_that_says_what_is_in_the_way_is_told_with_its_words(status: str, kind: str) -> None:
    text = f"| part | due | status |\n|---|---|---|\n| hinges | 2026-11-17 | {status} |\n"
    (found,) = open_facts(text, "a.md")
    assert (found.kind, found.what, found.last, found.line) == (kind, f"hinges, {status}", date(2026, 11, 17), 3)


LOANS = """\
book,lent,due,state
Dune,2026-01-01,2026-02-01,zurückgestellt ins regal
Emma,2026-02-01,2026-03-01,zurückgestellt ins regal
Ivanhoe,2026-02-02,2026-03-04,zurückgestellt ins regal
Persuasion,2026-10-02,2026-11-04,zurückgestellt ins regal
Middlemarch,2026-10-03,2026-11-15,verborgt
"""


def test_the_usual_state_of_past_rows_closes_a_row() -> None:
    assert [what for _, what, _ in told(LOANS)] == ["Middlemarch: due 2026-11-15"]


def test_the_word_that_three_rows_up_to_today_hold_and_none_to_come_is_a_status() -> None:
    past = "".join(f"Ship {day},2026-11-{day},gone\n" for day in ("09", 16, 17))
    found = told(f"ship,expected,remark\n{past}Ship 4,2026-11-20,\nShip 5,2026-12-01,\n", "calls.csv")
    assert [what for _, what, _ in found] == ["Ship 4: expected 2026-11-20", "Ship 5: expected 2026-12-01"]


def test_a_header_that_ends_with_a_deadline_word_is_due() -> None:
    assert told("car:\n  inspection lapses: 2026-11-30\n", "home.yaml")[0][2] == date(2026, 11, 30)


def test_whom_a_row_is_from_belongs_to_its_words() -> None:
    assert told("from,sum,due\nWater works,40,2026-11-30\n")[0][1] == "Water works, 40: due 2026-11-30"


def test_an_unknown_word_makes_nothing_overdue() -> None:
    (found,) = open_facts(LOANS, "loans.csv")
    assert not found.dated
    assert not signals({"loans.csv": LOANS})
    ahead = signals({"loans.csv": LOANS.replace("2026-11-15", "2026-11-25")})
    assert [(each.date, each.severity) for each in ahead] == [("2026-11-25", "high")]


@pytest.mark.parametrize("word", ["open", "offen", "åpen", "waiting for Berg"])
def test_a_word_that_says_open_closes_nothing_however_usual_it_is(word: str) -> None:
    rows = "".join(f"T{number},2026-0{number}-01,{word}\n" for number in range(1, 7))
    assert len(told(f"task,due,state\n{rows}")) == 6


@pytest.mark.parametrize("status", ["not confirmed", "nicht gebucht", "ikke bestilt", "no answer yet"])
def test_a_denied_status_is_open(status: str) -> None:
    (found,) = open_facts(f"room,due,status\nHall,2026-11-20,{status}\n", "a.csv")
    assert found.dated


def test_figures_are_read_as_their_own_column_writes_them() -> None:
    american = "item,due,status\na,11/28/2026,open\nb,12/01/2026,open\n"
    british = "item,due,status\na,28/11/2026,open\nb,01/12/2026,open\n"
    assert [day for _, _, day in told(american)] == [day for _, _, day in told(british)] == [
        date(2026, 11, 28), date(2026, 12, 1),
    ]  # fmt: skip


def test_a_cell_of_words_around_a_date_counts_in_a_column_that_is_due_and_in_no_other() -> None:
    text = (
        "item,due,note\nTax,27 Nov at the latest,called them 24 Nov about the letter\nFee,30 Nov (second reminder),\n"
    )
    assert [day for _, _, day in told(text)] == [date(2026, 11, 27), date(2026, 11, 30)]


def test_a_table_without_dates_or_states_says_nothing() -> None:
    assert not told("| name | phone |\n|---|---|\n| Berg | 22 33 44 55 |\n| Ana | 24 11 20 26 |\n", "people.md")


def test_a_log_of_past_events_says_nothing() -> None:
    text = "date,event\n2026-11-02,sowed rye\n2026-11-09,mended the gate\n2026-11-16,first frost\n"
    assert not [each for each in told(text) if each[2] and each[2] > date(2026, 11, 23)]
    assert not signals({"log.csv": text})


def test_days_that_are_all_over_are_no_deadline_of_what_is_not_closed() -> None:
    text = "fault,noted,status,closed\nhinge,2026-09-14,open,\nlatch,2026-07-02,closed,2026-07-09\n"
    assert not [each for each in told(text) if each[2]]


def test_a_column_is_named_as_a_person_reads_it() -> None:
    assert told("van,test_due\nblue,2026-11-25\n")[0][1] == "blue: test due 2026-11-25"


def test_two_rows_about_the_same_thing_stay_two() -> None:
    text = "bill,due,status\nrent,2026-11-24,open\nrent,2026-12-01,open\nrent,2026-10-24,paid\n"
    found = signals({"bills.csv": text})
    assert sorted(each.date or "" for each in found) == ["2026-11-24", "2026-12-01"]


def test_a_record_keeps_its_own_line() -> None:
    (found,) = open_facts('note,due,status\n"two\nlines",2026-11-25,open\n', "a.csv")
    assert found.line == 2


def test_a_record_dated_today_is_no_appointment() -> None:
    assert not told("date,what,sum\n2026-11-02,tuning,90\n2026-11-23,regulation,340\n")


def test_a_programme_has_today_and_tomorrow() -> None:
    assert len(told("date,what\n2026-11-23,rehearsal\n2026-11-24,concert\n")) == 2


@pytest.mark.parametrize(
    "head", ["supplier,what,order by,ordered on,delivered", "lieferant,was,bestellfrist,bestellt am,geliefert"]
)
def test_what_was_ordered_is_ordered_in_time(head: str) -> None:
    rows = "Mill,flour,2026-11-20,2026-11-19,\nBrewer,beer,2026-11-25,,\nFarm,eggs,2026-11-21,2026-11-20,\n"
    assert [what for _, what, _ in told(f"{head}\n{rows}")] == [f"Brewer, beer: {head.split(',')[2]} 2026-11-25"]


@pytest.mark.parametrize("head", ["supplier,order by,ordered on", "lieferant,bestellfrist,bestellt am"])
def test_a_list_that_is_all_ordered_is_done(head: str) -> None:
    assert told(f"{head}\nMill,2026-11-20,2026-11-19\nFarm,2026-11-21,2026-11-20\n") == []


def test_a_day_of_sending_ends_no_invoice() -> None:
    rows = "Mill,2026-11-20,2026-11-05\nFarm,2026-11-21,2026-11-06\n"
    assert len(told(f"customer,invoice due,invoice sent\n{rows}")) == 2


def test_an_amount_alone_is_named_by_whom_it_is_for() -> None:
    assert [what for _, what, _ in told("who,amount,due,paid\nPower,688.10,2026-11-25,\n")] == [
        "Power, 688.10: due 2026-11-25"
    ]


CHECKS = "date,who,light,pads until,remarks\n01/11/2026,Bo,green,26/11/2026,\n08/11/2026,Bo,green,26/11/2026,a spider\n"


def test_of_a_log_of_checks_the_newest_row_speaks() -> None:
    newest = f"{CHECKS}15/11/2026,Bo,green,26/11/2026,new pads please\n"
    assert [what for _, what, _ in told(newest)] == ["Bo, green, new pads please: pads until 26/11/2026"]
    replaced = f"{newest}22/11/2026,Bo,green,01/11/2028,\n"
    assert [day for _, _, day in told(replaced)] == [date(2028, 11, 1)]


def test_bills_of_one_day_are_no_log() -> None:
    bills = "date,what,due\n01/11/2026,gas,30/11/2026\n08/11/2026,water,30/11/2026\n15/11/2026,rent,30/11/2026\n"
    assert len(told(bills)) == 3


def test_rows_that_stand_on_are_not_late() -> None:
    rows = [f"case {number},{number}/11/2026\n" for number in (4, 9, 16, 26)]
    assert [each.dated for each in open_facts("what,reply by\n" + "".join(rows), "a.csv")] == [False] * 4
    assert [each.dated for each in open_facts("what,reply by\n" + "".join(rows[2:]), "a.csv")] == [True] * 2


def test_the_day_on_which_a_term_begins_closes_no_row() -> None:
    rows = "a,02/11/2026,23/11/2026\nb,05/11/2026,27/11/2026\nc,10/11/2026,01/12/2026\n"
    assert len(told(f"case,received,reply by\n{rows}")) == 3
    done = "a,02/11/2026,01/11/2026\nb,05/11/2026,27/11/2026\nc,10/11/2026,12/11/2026\n"
    assert not told(f"case,done,due\n{done}")


def test_a_remark_on_a_year_makes_no_column_of_dates() -> None:
    text = "what,expected,granted,note\nnoise,2026-10-01,2026-10-02,\ntents,2026-10-03,2026-10-05,\n"
    assert [what for _, what, _ in told(f"{text}beer,2026-11-25,,not this year\n")] == [
        "beer, not this year: expected 2026-11-25"
    ]


def test_a_row_with_two_days_is_two_things() -> None:
    text = (
        "night,who,deposit,by,received\n28.11.2026,Choir,120,25.11.2026,\n29.11.2026,School,90,20.11.2026,19.11.2026\n"
    )
    assert [(each.first.what, each.first.last) for each in still_open({"stays.csv": text})] == [
        ("Choir, 120: night 28.11.2026", date(2026, 11, 28)),
        ("Choir, 120: by 25.11.2026", date(2026, 11, 25)),
    ]


def test_a_word_among_the_days_of_a_column_is_no_day_and_no_harm() -> None:
    text = "grant,shuts\nPond,2026-11-27 12:00\nHedge,whenever\nPath,2027-03-01\n"
    assert [(what, last) for _, what, last in told(text)][:1] == [("Pond: shuts 2026-11-27 12:00", date(2026, 11, 27))]


def test_an_entry_is_called_by_its_key() -> None:
    ((_, what, last),) = told("shed cover:\n  policy: GM-4\n  lapses: 2026-11-27\n", "cover.yaml")
    assert (what, last) == ("shed cover: GM-4: lapses 2026-11-27", date(2026, 11, 27))


def test_what_runs_out_is_not_done_by_its_last_time() -> None:
    rows = "\n".join(f"{what},2025-{month}-14,2026-{month}-14" for what, month in (("gas", "12"), ("lift", "11")))
    found = told(f"check,last done,expires\nalarm,2025-11-25,2026-11-25\n{rows}\n")
    assert ("deadline", "alarm: expires 2026-11-25", date(2026, 11, 25)) in found


def test_a_bill_that_was_paid_in_time_is_done() -> None:
    assert (
        told("bill,paid,due\ngas,2026-11-20,2026-11-25\nrent,2026-11-21,2026-11-26\nsalt,2026-11-21,2026-11-27\n") == []
    )


def test_a_sign_of_money_heads_a_column() -> None:
    assert told("when,where,$\nWed 25 Nov,Mill hall,300\nFri 27 Nov,The barn,120\n") == [
        ("appointment", "Mill hall, 300", date(2026, 11, 25)),
        ("appointment", "The barn, 120", date(2026, 11, 27)),
    ]


def test_a_header_without_umlauts_is_read() -> None:
    found = told("posten;faellig;stand\nPacht;20.11.2026;noch nicht überwiesen\nStrom;18.11.2026;bezahlt\n")
    assert found == [("deadline", "Pacht: faellig 20.11.2026", date(2026, 11, 20))]


USUAL = "guest,deposit due,deposit in,date\n" + "".join(
    f"{name},2026-11-{day},{said},2026-12-0{number}\n"
    for number, (name, day, said) in enumerate(
        [("Orme", "02", "yes"), ("Pell", "03", "yes cash"), ("Quist", "04", "no rang twice"), ("Rask", "05", "yes")], 1
    )
)


def test_the_cell_that_denies_the_usual_one_is_open() -> None:
    found = open_facts(USUAL, "list.csv")
    assert [each.what for each in found if each.dated and each.kind == "deadline"] == ["Quist: deposit due 2026-11-04"]


def test_the_usual_cell_ends_no_visit_to_come() -> None:
    assert [each.last for each in open_facts(USUAL, "list.csv") if each.last and each.last.month == 12] == [
        date(2026, 12, day) for day in (1, 2, 3, 4)
    ]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("bill,due,outcome\nGas,2026-11-12,paid\nOil,2026-11-19,sent on 17 Nov\n", []),
        ("Posten;Vermerk;fällig\nGas;bezahlt;12.11.2026\nÖl;;19.11.2026\n", ["Öl"]),
        ("bill,last day,now\nGas,2026-11-12,unpaid\nOil,2026-11-19,settled\n", ["Gas"]),
        ("film,return by\nDone,2026-11-19\nBoats,2026-11-20\n", ["Done", "Boats"]),
        ("car,insured,due\nVan,true,2026-11-19\n", ["Van"]),
        ("form,due,status,remark\nA,2026-11-20,,sent\nB,2026-11-20,open,sent\n", ["B"]),
    ],
)
def test_a_cell_that_is_a_state_closes_its_row(table: str, expected: list[str]) -> None:
    assert [what.partition(":")[0].partition(",")[0] for _, what, _ in told(table)] == expected


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("job,last done,expires\nSweep,2025-11-20,2026-11-20\n", [("Sweep: expires 2026-11-20", True)]),
        ("job,last done,next\nSweep,2025-11-20,2026-11-20\n", [("Sweep: next 2026-11-20", True)]),
        ("hva;sist;neste gang\nFeie;20.11.2025;20.11.2026\n", [("Feie: neste gang 20.11.2026", True)]),
        ("was;letzte Wartung;nächste\nHeizung;20.11.2025;20.11.2026\n", [("Heizung: nächste 20.11.2026", True)]),
        ("loan,last instalment\nCar,2026-12-01\n", [("Car: last instalment 2026-12-01", False)]),
        ("bill,due,last paid\nGas,2026-11-01,2026-11-02\n", []),
        ("group,next meeting\nBoard,2026-11-09\n", []),
    ],
)
def test_what_was_done_last_closes_nothing(table: str, expected: list[tuple[str, bool]]) -> None:
    assert [(each.what, each.dated) for each in open_facts(table, "list.csv")] == expected


def test_a_trip_that_is_paid_still_takes_place() -> None:
    assert told("outing,date,deposit\nZoo,2026-11-25,paid\n") == [("appointment", "Zoo, paid", date(2026, 11, 25))]


def test_an_amount_does_not_name_its_row() -> None:
    found = told("£,how often,for,due\n40,monthly,Gas,2026-11-24\n60,monthly,Coal,2026-11-25\n")
    assert [what for _, what, _ in found] == ["Gas, 40, monthly: due 2026-11-24", "Coal, 60, monthly: due 2026-11-25"]


@pytest.mark.parametrize("word", ["Total", "**Summe**", "I alt:"])
def test_the_row_that_sums_up_is_no_matter(word: str) -> None:
    found = told(f"| what | due | sum |\n|---|---|---|\n| Gas | 24 Nov | 30 |\n| {word} | 24 Nov | 30 |\n", "a.md")
    assert [what for _, what, _ in found] == ["Gas, 30: due 24 Nov"]
