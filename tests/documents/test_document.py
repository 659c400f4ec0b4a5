"""A file is read into blocks: what each says, where, under which headings, with which columns, day and zone."""

from __future__ import annotations

from base64 import b64encode
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.documents import mail
from adjutant.documents.document import KINDS, MAX_TEXT, Block, ParsedFile, read

NEAR = date(2026, 11, 23)


def page(text: str, path: str = "notes/page.md") -> ParsedFile:
    return read(path, text, near=NEAR)


def block(text: str, path: str = "notes/page.md") -> Block:
    (found,) = page(text, path).blocks
    return found


def said(document: ParsedFile) -> list[tuple[str, int, str]]:
    return [(each.kind, each.line, each.text) for each in document.blocks]


def test_a_task_list_has_boxes_depths_and_parents() -> None:
    text = "- [ ] call Berg\n  - [x] find the number\n    1. [-] ask Olsen\n* plain\n+ [X] paid\n1. [ ] first\n"
    found = [(each.kind, each.text, each.box, each.depth, each.parent) for each in page(text).blocks]
    assert found == [
        ("task", "call Berg", "open", 0, -1),
        ("task", "find the number", "done", 1, 0),
        ("task", "ask Olsen", "dropped", 2, 1),
        ("item", "plain", "", 0, -1),
        ("task", "paid", "done", 0, -1),
        ("task", "first", "open", 0, -1),
    ]


def test_a_line_struck_through_is_done_and_a_link_is_no_box() -> None:
    found = page("- ~~order paint~~\n- [ ] ~~call~~\n- [x](https://example.org)\n- [1] a footnote\n").blocks
    assert [(each.kind, each.text, each.box) for each in found] == [
        ("task", "order paint", "done"),
        ("task", "call", "done"),
        ("item", "[x](https://example.org)", ""),
        ("item", "[1] a footnote", ""),
    ]


def test_a_box_without_a_list_is_a_task() -> None:
    assert said(page("[ ] call Berg\n☐ buy milk\n")) == [("task", 1, "call Berg"), ("task", 2, "buy milk")]


def test_a_wrapped_item_is_one_block() -> None:
    found = block("- [ ] call Berg about\n  the frames and\nthe invoice\n")
    assert (found.text, found.line, found.end) == ("call Berg about the frames and the invoice", 1, 3)


def test_emphasis_of_the_whole_line_is_taken_off_and_that_of_a_word_stays() -> None:
    assert said(page("**Call Berg**\n\nCall **Berg** now\n")) == [
        ("text", 1, "Call Berg"),
        ("text", 3, "Call **Berg** now"),
    ]


def test_blocks_stand_under_their_headings() -> None:
    found = page("# House\n\nTop\n---\n\none\n\n### Deep\n\ntwo\n\n## Next ##\n\nthree\n").blocks
    assert [(each.text, each.path) for each in found if each.kind == "text"] == [
        ("one", ("House", "Top")),
        ("two", ("House", "Top", "Deep")),
        ("three", ("House", "Next")),
    ]


def test_the_title_of_the_frontmatter_stands_above_all_headings_but_itself() -> None:
    found = page("---\ntitle: House\n---\n# House\none\n").blocks[-1]
    assert found.path == ("House",)
    assert page("---\ntitle: House\n---\n## Kitchen\none\n").blocks[-1].path == ("House", "Kitchen")


def test_frontmatter_is_fields_with_their_lines() -> None:
    found = page("---\nstatus: open\ntags: [a, b]\nlist:\n  - c\n  - d\nby: {who: Berg}\n---\ntext\n")
    assert found.meta == (("status", "open", 2), ("tags", "a, b", 3), ("list", "c, d", 4), ("by.who", "Berg", 7))
    assert said(found)[-1] == ("text", 9, "text")


@pytest.mark.parametrize("head", ["a: b: c", "a: [", "- a", "a: 1\na: 2", "x" * 70_000], ids=lambda head: head[:8])
def test_frontmatter_that_is_no_yaml_is_text(head: str) -> None:
    found = page(f"---\n{head}\n---\nwords\n")
    assert found.meta == ()
    assert found.blocks[-1].text == "words"


def test_a_table_gives_rows_with_named_cells() -> None:
    found = page("| what | due |\n|:--|--:|\n| paint \\| oil | 2026-11-24 |\n| frames |\n\nafter\n").blocks
    assert [(each.kind, each.text, each.table, each.line) for each in found] == [
        ("row", "paint | oil · 2026-11-24", 0, 3),
        ("row", "frames", 0, 4),
        ("text", "after", -1, 6),
    ]
    assert found[0].columns == (("what", "paint | oil", 3), ("due", "2026-11-24", 3))


def test_a_table_needs_no_outer_pipes_and_a_second_one_has_its_own_number() -> None:
    text = "what | due\n--- | ---\npaint | Friday\n\na|b\n-|-\n1|2\n"
    assert [(each.table, [f.name for f in each.columns]) for each in page(text).blocks] == [
        (0, ["what", "due"]),
        (1, ["a", "b"]),
    ]


def test_columns_set_by_blanks_are_a_table() -> None:
    found = page("Name    Due         Who\nPaint   2026-11-24  Berg\nFrames  2026-12-14  Olsen\n").blocks
    assert [tuple(field[:2] for field in each.columns) for each in found] == [
        (("Name", "Paint"), ("Due", "2026-11-24"), ("Who", "Berg")),
        (("Name", "Frames"), ("Due", "2026-12-14"), ("Who", "Olsen")),
    ]


def test_wrapped_prose_is_one_block_a_sentence() -> None:
    text = "Berg sends the frames on Monday, and then we\ngo on with the kitchen. Olsen has agreed to\nthat.\n"
    assert [(each.text, each.line, each.end) for each in page(text).blocks] == [
        ("Berg sends the frames on Monday, and then we go on with the kitchen.", 1, 2),
        ("Olsen has agreed to that.", 2, 3),
    ]


def test_short_lines_a_log_and_a_chat_are_one_block_a_line() -> None:
    for text in (
        "Milk\nBread\nCoffee. And tea.\n",
        "2026-11-20 10:30 Berg called. He waits.\n2026-11-21 nothing\n",
        "Berg: Are you in? I am.\nAnna: yes\n",
    ):
        assert [each.text for each in page(text).blocks] == text.splitlines()


def test_a_quotation_is_a_zone_and_its_headings_head_nothing() -> None:
    found = page("> # Theirs\n> words\n> - [ ] task\n\nmine\n").blocks
    assert [(each.kind, each.zone, each.path) for each in found] == [
        ("quote", "quote", ()),
        ("quote", "quote", ()),
        ("task", "quote", ()),
        ("text", "", ()),
    ]


def test_a_callout_with_tasks_is_the_operators_own() -> None:
    found = page("> [!todo] Now\n> - [ ] call\n\n> [!info]\n> words\n").blocks
    assert [(each.kind, each.text, each.zone) for each in found] == [
        ("callout", "Now", ""),
        ("task", "call", ""),
        ("callout", "info", "quote"),
        ("callout", "words", "quote"),
    ]


def test_code_is_a_zone_between_fences_and_by_indent() -> None:
    text = "~~~~py\n- [ ] no\n~~~\n# no\n~~~~\n\n    - kept\n      code\n\ntext\n"
    assert [(each.kind, each.zone, each.line, each.end) for each in page(text).blocks[:1]] == [("code", "code", 1, 5)]
    assert said(page("words\n\n    x = 1\n\n    y = 2\nmore\n"))[1] == ("code", 3, "x = 1\n\ny = 2")
    assert said(page("words\n\n    x = 1\n", "a.txt"))[1] == ("text", 3, "x = 1")


def test_comments_are_taken_out_before_anything_is_read() -> None:
    text = "- one <!-- not\n- this -->\n- two\n\n`<!-- kept -->`\n\n<!-- open\n"
    assert said(page(text)) == [
        ("item", 1, "one"),
        ("item", 3, "two"),
        ("text", 5, "`<!-- kept -->`"),
        ("text", 7, "<!-- open"),
    ]


def test_a_day_that_begins_a_line_is_no_list() -> None:
    assert said(page("24. November Zahnarzt\n"))[0][2] == "24. November Zahnarzt"


def test_the_day_comes_from_the_line_the_heading_the_frontmatter_or_the_name() -> None:
    text = "---\ndate: 2026-11-01\n---\nbefore\n\n## 2026-11-02 Meeting\n\n- said\n- 2026-11-03: told\n  - below\n"
    text += "\n## Plans\n\nx\n"
    days = {each.text: each.day for each in page(text, "2026-10-30.md").blocks}
    assert days["before"] == days["x"] == date(2026, 11, 1)
    assert days["said"] == date(2026, 11, 2)
    assert days["2026-11-03: told"] == days["below"] == date(2026, 11, 3)
    assert block("words", "notes/2026-10-30.md").day == date(2026, 10, 30)


def test_a_dated_line_is_one_block_and_a_dated_paragraph_speaks_from_its_day_throughout() -> None:
    found = page("2026-11-02, Berg: the frames are late. Call him tomorrow.\n").blocks
    assert [(each.text[-9:], each.day) for each in found] == [("tomorrow.", date(2026, 11, 2))]
    text = "On 2026-11-01 nothing.\n\n2026-11-02 Berg has called again about\nthe frames. He sends them tomorrow.\n"
    text += "\nNone.\n"
    days = {each.text: each.day for each in page(text).blocks}
    assert days["He sends them tomorrow."] == date(2026, 11, 2)
    assert days["None."] is None


@pytest.mark.parametrize("text", ["# Launch, {}\n\nx\n", "{}: launch\n", "| date | what |\n|-|-|\n| {} | launch |\n"])
def test_a_block_speaks_from_no_day_to_come(text: str) -> None:
    days = [page(text.format(day)).blocks[-1].day for day in ("2026-11-20", "2027-04-11")]
    assert days == [date(2026, 11, 20), None]


def test_a_file_may_be_of_a_day_to_come() -> None:
    assert page("x", "2027-04-11.md").day == date(2027, 4, 11)


def test_long_lines_that_each_stand_alone_are_not_taken_for_wrapped_prose() -> None:
    lines = [f"p. {number}: the miller owes two sacks and will not {'ever ' * (number % 5)}pay" for number in range(9)]
    assert [each.text for each in page("\n".join(lines)).blocks] == lines


def test_a_diary_in_small_letters_is_a_line_each() -> None:
    lines = [
        "18/11 wed",
        "the rent is paid. bo is off till thursday",
        "smith - i need the plan of the shed and his number",
    ]
    found = page("\n".join([*lines, "labels by fri"])).blocks
    assert [each.text for each in found] == [*lines, "labels by fri"]


@pytest.mark.parametrize(
    ("path", "head", "year"),
    [
        ("grants/a.md", "# 2024, lost", 2024),
        ("grants/2025.md", "Text:", 2025),
        ("a.md", "# 2019 Polo", None),
        ("a.md", "# Tax of 2025", None),
        ("a.md", "# 2026, won", None),
    ],
)
def test_a_year_that_is_over_dates_its_page(path: str, head: str, year: int | None) -> None:
    day = page(f"{head}\n\n- [ ] Reply by 16 April\n", path).blocks[-1].day
    assert (day.year if day else None) == year


@pytest.mark.parametrize(
    ("head", "end", "zone"),
    [
        ("To: jo@home.example", "Jo", ""),
        ("To: members@club.example", "Jo", "quote"),
        ("To: jo@home.example\nList-Id: <news.club.example>", "Jo", "quote"),
        ("To: jo@home.example", "Unsubscribe: https://club.example/u", "quote"),
        ("To: jo@home.example\nSubject: Newsletter of the club", "Jo", "quote"),
    ],
)
def test_a_mail_to_many_is_quoted(head: str, end: str, zone: str) -> None:
    text = f"From: news@club.example\n{head}\n\nBook by 25 November.\n{end}\n"
    assert {each.zone for each in page(text, "a.eml").blocks} == {zone}


def test_a_day_on_a_line_of_its_own_heads_what_follows_and_the_day_of_an_open_task_is_when_it_is_due() -> None:
    found = page("2026-11-02\n\ncalled Berg\n\n- [ ] 2026-11-24 dentist\n").blocks
    assert [each.day for each in found] == [date(2026, 11, 2)] * 3


@pytest.mark.parametrize(
    ("path", "text", "zone"),
    [
        ("Templates/day.md", "x", "template"),
        ("99 Archive/a.md", "x", "archive"),
        ("notes/Meeting template.md", "x", "template"),
        ("reading/Clipping on nurses.txt", "x", "clipping"),
        ("examples/a.md", "x", "example"),
        ("Clippings/a.md", "x", "clipping"),
        ("a.md", "---\nsource: https://example.org/a\n---\nx", "clipping"),
        ("a.md", "---\nsource: Berg\n---\nx", ""),
        ("a.md", "---\nstatus: Done\n---\nx", "closed"),
        ("a.md", "---\ntags: [template]\n---\nx", "template"),
        ("a.md", "---\ntitle: '{{date}}'\n---\nx", "template"),
        ("a.md", "---\ndate: {{date}}\n---\nx", "template"),
        ("a.md", "## Archive\n\nx", "archive"),
        ("a.md", "# Best ingredients of the year\n\nx", ""),
        ("a.md", "# T-1\n\n**Status:** Resolved in v2 · **Owner:** Sam\n\nx", "closed"),
        ("a.md", "# T-1\n\n- Status: closed\n- Owner: Sam\n\nx", "closed"),
        ("a.md", "# 7. Use Redis\n\n## Status\n\nSuperseded by [9](9.md)\n\n## Context\n\nx", "closed"),
        ("a.md", "---\nstatus: done (2026-10-01)\n---\nx", "closed"),
        ("a.md", "---\nstatus: complete rewrite\n---\nx", ""),
        ("a.md", "# Jobs\n\nKitchen\nStatus: done\n\nBath\nStatus: open\n\nx", ""),
        ("a.md", "# Jobs\n\n## Kitchen\n\nStatus: done\n\n## Bath\n\nx", ""),
        ("a.md", "# Status\n\nDone with the roof.\n\nx", ""),
        ("CHANGELOG.md", "# 2.0\n\n- x", "example"),
        ("a.md", "## Done\n\nx", "archive"),
        ("a.md", "due {{date}}", "template"),
        ("a.md", "<!-- adjutant today 2026-11-23 -->\nx", "own"),
        ("a.md", "- Pay the rent · 3 days late · home/bills.md:12 · k7f2", "own"),
        ("a.md", "Pay the rent · today 10:30 · home: bills.md:12 · unjudged · k7f2", "own"),
        ("a.md", "## 09:00 — Pulse\n\n- **home**: 2 open, 1 overdue", "own"),
        ("a.md", "---\nmatter: k7f2\nrun: 20261123T090000-952b\nfingerprint: 892a\n---\n\nPay it", "own"),
        ("a.md", "Call Ana · Friday · 10:30 · bring cake", ""),
        ("old town/plan.md", "x", ""),
        ("a.md", "## Done deals of the year\n\nx", ""),
    ],
)
def test_zones(path: str, text: str, zone: str) -> None:
    assert page(text, path).blocks[-1].zone == zone


def test_a_csv_row_over_several_lines_keeps_its_lines() -> None:
    found = page('name;due\n"a\nb";2026-01-02\n\nc;2026-03-04\n', "a.csv").blocks
    assert [(each.line, each.end, each.text) for each in found] == [
        (2, 3, "a b · 2026-01-02"),
        (5, 5, "c · 2026-03-04"),
    ]
    assert found[0].columns == (("name", "a b", 2), ("due", "2026-01-02", 2))


@pytest.mark.parametrize("delimiter", list(",;\t|"))
def test_the_delimiter_of_a_csv_is_found(delimiter: str) -> None:
    text = f"name{delimiter}sum\nBerg{delimiter}1\nOlsen{delimiter}2\n"
    assert [field[1] for field in page(text, "a.csv").blocks[1].columns] == ["Olsen", "2"]


def test_a_csv_without_a_head_has_nameless_columns() -> None:
    assert page("1,2\n3,4\n", "a.csv").blocks[0].columns == (("", "1", 1), ("", "2", 1))


def test_yaml_entries_are_records_with_dotted_names() -> None:
    text = "title: Plan\ntasks:\n  - name: x\n    due: 2026-11-24\n    by:\n      who: Berg\n    tags: [a, b]\n"
    text += "  - name: y\n"
    found = page(text, "a.yaml")
    assert (found.title, found.meta) == ("Plan", (("title", "Plan", 1),))
    assert [(each.path, each.line, each.end, each.text, each.table) for each in found.blocks[1:]] == [
        (("Plan", "tasks"), 3, 7, "name: x; due: 2026-11-24; by.who: Berg; tags: a, b", 1),
        (("Plan", "tasks"), 8, 8, "name: y", 1),
    ]


def test_mappings_below_names_are_records_and_lists_of_words_are_items() -> None:
    text = "projects:\n  alpha:\n    due: Friday\n  beta: {due: Monday}\ntodo:\n  - '[ ] call'\n  - pay\n"
    assert [(each.kind, each.path, each.text, each.line) for each in page(text, "a.yml").blocks] == [
        ("record", ("projects", "alpha"), "due: Friday", 3),
        ("record", ("projects", "beta"), "due: Monday", 4),
        ("task", ("todo",), "call", 6),
        ("item", ("todo",), "pay", 7),
    ]


def test_json_and_json_lines_are_records_with_their_lines() -> None:
    found = page('{"a": [{"n": 1,\n "m": {"k": "v\\u00e9"}},\n {"n": 2}], "b": null}', "a.json").blocks
    assert [(each.line, each.end, each.text) for each in found] == [(1, 2, "n: 1; m.k: vé"), (3, 3, "n: 2")]
    lines = page('{"a": 1}\n{"a": 2}\n', "a.jsonl").blocks
    assert [(each.line, each.text, each.table) for each in lines] == [(1, "a: 1", 0), (2, "a: 2", 0)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.yaml", "a: [b\nc: d\n"),
        ("a.json", '{"a": 1\n'),
        ("a.yaml", "a: &x\n  b: *x\n  ? {}\n  : 1\n"),
        ("a.csv", "word\nword\n"),
    ],
)
def test_what_is_broken_is_its_lines(path: str, text: str) -> None:
    assert said(page(text, path)) == [("text", n, line.strip()) for n, line in enumerate(text.splitlines(), 1)]


def test_a_bomb_of_aliases_is_not_expanded() -> None:
    text = "a: &a [x, x]\n" + "".join(f"k{n}: &k{n} [*{'a' if not n else f'k{n - 1}'}, x]\n" for n in range(60))
    assert sum(len(each.text) for each in page(text, "a.yaml").blocks) < 10 * len(text)


def test_an_event_of_a_calendar() -> None:
    text = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Den\n tist\\, again\nDTSTART;TZID=Europe/Oslo:20261124T103000\n"
        "BEGIN:VALARM\nSUMMARY:no\nEND:VALARM\nDTEND:20261124T110000Z\nLOCATION:Oslo\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    found = block(text, "a.ics")
    assert (found.kind, found.line, found.end) == ("event", 2, 11)
    assert found.text == "Dentist, again · 2026-11-24 10:30 · Oslo"
    assert found.columns == (
        ("SUMMARY", "Dentist, again", 3),
        ("DTSTART", "2026-11-24 10:30", 5),
        ("DTSTART.TZID", "Europe/Oslo", 5),
        ("DTEND", "2026-11-24 11:00Z", 9),
        ("LOCATION", "Oslo", 10),
    )


def test_a_mail_has_a_head_and_its_text() -> None:
    text = (
        "From: Berg <b@example.org>\nTo: me\nSubject: =?utf-8?q?Fr=C3=A9mes?=\n"
        "Date: Thu, 24 Dec 2026 10:30:00 +0100\n"
        "Content-Type: multipart/mixed; boundary=x\n\n"
        "--x\nContent-Type: text/plain\n\nI send them tomorrow.\n\n> when?\n--x\nContent-Type: application/pdf\n"
        "Content-Disposition: attachment; filename=bill.pdf\n\nAAAA\n--x--\n"
    )
    found = page(text, "a.eml")
    assert (found.title, found.day) == ("Frémes", date(2026, 12, 24))
    assert [(each.kind, each.line, each.zone) for each in found.blocks] == [
        ("mail", 1, ""),
        ("text", 10, ""),
        ("quote", 12, "quote"),
    ]
    assert found.blocks[0].columns[-1][:2] == ("Attachment", "bill.pdf")


def test_a_mail_pasted_into_a_page_has_its_head_and_day() -> None:
    found = page("Von: Berg\nAn: ich\nDatum: 20. November 2026\nBetreff: Rahmen\n\nIch schicke sie morgen.\n", "a.txt")
    assert (found.title, found.day) == ("Rahmen", date(2026, 11, 20))
    assert [(each.kind, each.line, each.day) for each in found.blocks] == [
        ("mail", 1, date(2026, 11, 20)),
        ("text", 6, date(2026, 11, 20)),
    ]
    assert page("From: here\n\nwords\n").blocks[0].kind == "text"


def test_a_letter_that_grows_in_small_hides_no_tag() -> None:
    text = "From: a\nTo: b\nContent-Type: text/html\n\nİİİ<SCRIPT>Pay now.</SCRIPT><p>Hi</p>\n"
    assert not any("Pay" in block.text for block in page(text, "a.eml").blocks)


def test_html_mail_is_read_without_its_tags() -> None:
    text = "From: a\nTo: b\nContent-Type: text/html\n\n<style>p{}</style><p>Hi &amp; bye</p>\n"
    assert page(text, "a.eml").blocks[-1].text == "Hi & bye"


def test_source_code_is_code() -> None:
    assert {(each.kind, each.zone) for each in page("# TODO: call\nx = 1\n\ny = 2\n", "a.py").blocks} == {
        ("code", "code")
    }


def test_line_ends_of_any_system_are_read_alike() -> None:
    text = "# A\n\n- one\n- two\n"
    assert said(page(text.replace("\n", "\r\n"))) == said(page(text.replace("\n", "\r"))) == said(page(text))


SIGNS = (
    *(
        "# ",
        "## ",
        "- ",
        "  - ",
        "1. ",
        "> ",
        "    ",
        "\t",
        "```",
        "~~~",
        "---",
        "===",
        "|",
        " a ",
        "\n",
        "\n\n",
        "[ ] ",
    ),
    *(
        "[x] ",
        "<!--",
        "-->",
        "a: b",
        "- a: ",
        "[",
        "{",
        "]",
        "}",
        ",",
        ";",
        '"',
        "'",
        ":",
        "&a",
        "*a",
        "x",
        "æ ",
        "24. ",
    ),
    *(
        "2026-11-20",
        "10:30",
        "Berg: ",
        ". A",
        "\x00",
        "\ud800",
        "\u2028",
        "\r",
        "a  b",
        "{{a}}",
        "~~",
        "**",
        "[[",
        "\\",
    ),
)
LINES = (
    *(
        "",
        "Text",
        "text",
        "  more",
        "    deep",
        "- item",
        "  - below",
        "1. one",
        "- [ ] task",
        "# Head",
        "---",
        "===",
        "> quoted",
    ),
    *(
        "> - [ ] theirs",
        "> [!todo] Now",
        "```",
        "~~~",
        "| a | b |",
        "|---|---|",
        "a  b  c",
        "<!-- open",
        "-->",
        "<!-- c -->",
    ),
    *(
        "- d <!-- in",
        "a, b",
        '"a',
        "key: value",
        "  key: [a]",
        "- key: value",
        "{",
        '"a": 1,',
        "}",
        "From: Berg",
        "2026-11-20",
    ),
    *("BEGIN:VEVENT", "SUMMARY:x", "END:VEVENT"),
)
MARKS = st.one_of(
    st.lists(st.sampled_from(SIGNS), max_size=60).map("".join),
    st.lists(st.sampled_from(LINES), max_size=12).map("\n".join),
)


@settings(deadline=None)
@given(st.one_of(st.text(max_size=300), MARKS), st.sampled_from([*KINDS, "txt", "py", ""]))
def test_anything_is_read_and_every_block_lies_within_the_file(text: str, suffix: str) -> None:
    found = read(f"notes/a.{suffix}", text, near=NEAR)
    for at, each in enumerate(found.blocks):
        assert 1 <= each.line <= each.end <= len(found.lines)
        assert -1 <= each.parent < at
        assert 0 < len(each.text) <= MAX_TEXT
        assert all(1 <= field.line <= len(found.lines) for field in each.columns)


@settings(deadline=None)
@given(st.one_of(st.text(max_size=300), MARKS), st.sampled_from(["md", "txt", "csv"]))
def test_every_word_of_a_block_stands_in_its_lines(text: str, suffix: str) -> None:
    found = read(f"notes/a.{suffix}", text, near=NEAR)
    escapes = str.maketrans("", "", '\\"')  # of cells
    for each in found.blocks:
        if each.kind not in ("field", "mail"):  # names and values, joined
            there = "\n".join(found.lines[each.line - 1 : each.end]).translate(escapes)
            assert all(word in there for word in each.text.translate(escapes).split() if word != "·")


@pytest.mark.parametrize(
    ("charset", "body"),
    [("utf-7", b"The lease +2D0- is due."), ("unicode_escape", rb"The lease \ud83d is due.")],
)
def test_half_a_character_in_a_mail_is_none(charset: str, body: bytes) -> None:
    head = (
        "From: Anna <anna@example.com>\nDate: Thu, 26 Nov 2026 10:00:00 +0000\nSubject: =?utf-7?Q?The_+2D0-_lease?=\n"
    )
    kind = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n"
    found = mail.read(f"{head}{kind}\n{b64encode(body).decode()}\n")
    assert found is not None
    assert found.head[-1].value == "The ? lease"
    assert found.body[0][1] == "The lease ? is due."
