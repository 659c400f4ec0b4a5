"""wisdom.md: a right file keeps every byte, a broken one is named by line, and nothing is altered in silence."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjutant.errors import FileDamaged, WisdomInvalid
from adjutant.records import wisdom_file
from adjutant.records.wisdom_file import TITLE_CHARS, RuleEntry, Wisdom, parse, problems, render, sentences, unfit
from tests.conftest import CHECKOUT, make_app

HEAD = """\
# Adjutant - Wisdom

Distilled principles. Read this first every session (after SOUL.md).

Last compacted: 2026-11-20

---
"""
BODY = """
**Ask for the day (pinned)**
Treat "soon" as no date at all. Ask for one.

## Work

**Say what it delays**
Name the thing that has to wait, not only the problem.
It is **what waits** that counts, e.g. the permit.

**Flour is ordered early**
Order before the weekend.

And never on the day itself: `mill/#2` is closed.

## Home

**Keys hang by the door ✓**
Nobody looks for them in the office. <!-- since the move -->
"""
TEXT = HEAD + BODY
Edit = Callable[[str], str]
LIMITS = (20, 8000, ("Work", "Home"))
LOOSE = (20, 8000, ("", "Work", "Home"))


def lines(text: str | bytes, limits: tuple[Any, ...] = LOOSE) -> list[tuple[int, str, bool]]:
    data = text if isinstance(text, bytes) else text.encode()
    return [tuple(each) for each in problems(data, *limits)]


def one(body: str, limits: tuple[Any, ...] = LOOSE) -> tuple[int, str, bool]:
    """The only problem of a file, its line counted from the first below the head."""
    found = lines(HEAD + body, limits)
    assert len(found) == 1, found
    return found[0][0] - HEAD.count("\n"), found[0][1], found[0][2]


def entry(text: str, title: str = "Ask for the day") -> str:
    return f"\n**{title}**\n{text}\n"


# -- right files ---------------------------------------------------------------------------------------------


def test_a_right_file_has_no_problem_and_each_entry_is_what_it_says() -> None:
    assert lines(TEXT, (20, 8000, ("Work", "Home"))) == [
        (9, "an entry outside of the categories of memory.wisdom.categories (Work, Home)", False)
    ]
    right = TEXT.replace('\n**Ask for the day (pinned)**\nTreat "soon" as no date at all. Ask for one.\n', "", 1)
    assert lines(right, LIMITS) == []
    found = parse(TEXT.encode(), "identity/wisdom.md")
    assert (found.name, found.compacted) == ("Adjutant", "2026-11-20")
    assert found.entries == (
        RuleEntry("Ask for the day", 'Treat "soon" as no date at all. Ask for one.', "", True),
        RuleEntry(
            "Say what it delays",
            "Name the thing that has to wait, not only the problem.\n"
            "It is **what waits** that counts, e.g. the permit.",
            "Work",
        ),
        RuleEntry(
            "Flour is ordered early",
            "Order before the weekend.\n\nAnd never on the day itself: `mill/#2` is closed.",
            "Work",
        ),
        RuleEntry("Keys hang by the door ✓", "Nobody looks for them in the office. <!-- since the move -->", "Home"),
    )
    assert render(found) == TEXT


@pytest.mark.parametrize(
    "path", [CHECKOUT / "identity", CHECKOUT / "adjutant" / "instance" / "identity"], ids=["checkout", "packaged"]
)
def test_the_files_that_come_with_adjutant_are_right(path: Path) -> None:
    data = (path / "wisdom.md").read_bytes()
    assert lines(data) == []
    assert render(parse(data, "")).encode() == data


@pytest.mark.parametrize("compacted", ["never", "2026-01-01"])
def test_a_file_without_entries_is_right(compacted: str) -> None:
    text = HEAD.replace("2026-11-20", compacted)
    assert lines(text) == []
    assert parse(text.encode(), "") == Wisdom("Adjutant", compacted)


def test_no_file_is_an_empty_wisdom_of_the_conductor() -> None:
    assert parse(None, "identity/wisdom.md", "Butler") == Wisdom("Butler", "never", ())
    assert lines(render(Wisdom("Butler"))) == []


def test_what_an_editor_saves_with_crlf_or_a_byte_order_mark_is_right_and_stays_so() -> None:
    for text in (TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, "\ufeff" + TEXT.replace("\n", "\r\n")):
        data = text.encode()
        found = parse(data, "")
        assert lines(data) == []
        assert found.entries == parse(TEXT.encode(), "").entries
        assert render(found).encode() == data


@pytest.mark.parametrize(
    "text",
    [
        "Never say **never**. **Always** works.",
        "Look at #3 and ##4.",
        "A - b --- c.",
        "It costs 2**10 or so.",
        "`**x**` is bold in Markdown.",
        "<!-- the\n**old**\n## rule\n--> Keep it.",
        "One: 50 % may go.",
        "* **Bold** point",
    ],
)
def test_a_text_may_hold_marks_that_are_no_structure(text: str) -> None:
    body = HEAD + entry(text)
    assert lines(body) == []
    assert [each.text for each in parse(body.encode(), "").entries] == [text]


# -- what an editor leaves -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda text: text[:-1], 26),
        (lambda text: text + "\n", 27),
        (lambda text: text.replace("---\n", "---  \n"), 7),
        (lambda text: text.replace("\n## Work", "\n\n## Work"), 12),
        (lambda text: text.replace("Work\n\n", "Work\n"), 13),
        (lambda text: text.replace("delays**\n", "delays**\n\n"), 15),
        (lambda text: "\n" + text, 1),
        (lambda text: text.replace("\n", "\r\n", 3), 1),
        (lambda text: text.replace("(pinned)", "(Pinned)"), 9),
        (lambda text: text.replace(" (pinned)", "  (pinned)"), 9),
        (lambda text: text.replace("delays**\n", "delays** \n"), 14),
    ],
    ids=[
        "no last newline",
        "a blank line at the end",
        "blanks",
        "two blank lines",
        "none",
        "below a title",
        "on top",
        "mixed line ends",
        "Pinned",
        "two blanks",
        "a blank after a title",
    ],
)
def test_odd_blanks_are_named_and_put_right_when_the_file_is_written(edit: Edit, line: int) -> None:
    odd = edit(TEXT)
    found = lines(odd)
    assert [(each[0], each[2]) for each in found] == [(line, False)]
    assert "blank" in found[0][1]
    assert render(parse(odd.encode(), "")) == TEXT


def test_an_empty_file_is_named_and_is_an_empty_wisdom() -> None:
    assert lines(b"") == [(1, "an empty file", False)]
    assert lines(b" \n\n") == [(1, "an empty file", False)]
    assert parse(b"\n", "", "Butler") == Wisdom("Butler")


ODD = "blanks, blank lines, line ends or categories that the format has otherwise; the next distill puts them right"


def test_a_heading_under_which_nothing_stands_is_named() -> None:
    assert one("\n## Work\n\n## Home\n" + entry("Ask."), LIMITS) == (2, ODD, False)
    text = HEAD + "\n## Work\n" + entry("Ask.") + "\n## Home\n"
    assert lines(text, LIMITS) == [(text.count("\n") - 1, ODD, False)]


def test_a_category_that_is_taken_up_again_is_named_and_put_together() -> None:
    text = HEAD + "\n## Work\n" + entry("A.", "A") + "\n## Home\n" + entry("B.", "B") + "\n## Work\n" + entry("C.", "C")
    assert lines(text, LIMITS) == [(14, ODD, False)]
    assert [each.title for each in parse(render(parse(text.encode(), "")).encode(), "").entries] == ["A", "C", "B"]


def test_an_entry_of_no_category_is_written_above_those_of_one() -> None:
    made = render(
        Wisdom("Adjutant", entries=(RuleEntry("A", "B.", "Work"), RuleEntry("C", "D."), RuleEntry("E", "F.", "Work")))
    )
    assert lines(made) == []
    assert [each.title for each in parse(made.encode(), "").entries] == ["C", "A", "E"]


# -- broken files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "line", "told"),
    [
        ("\nA word.\n", 2, "text outside of any entry"),
        ("\n## Work\n\nA word.\n" + entry("Ask."), 4, "outside of any"),
        (entry("Ask.") + "\n# Work\n", 5, "a heading"),
        (entry("Ask.") + "\n### Work\n", 5, "a heading"),
        (entry("Ask.") + "\n##\n", 5, "a heading"),
        (entry("Ask.") + "\n##Work\n", 5, "a heading"),
        (entry("Ask.") + "\n**Say it*\nNow.\n", 5, "nearly a title"),
        (entry("A.") + "\n*Say it**\nNow.\n", 5, "nearly"),
        (entry("Ask.") + "\n ** Say it **\nNow.\n", 5, "nearly a title"),
        (entry("Ask.") + "\n  **Say it**\nNow.\n", 5, "nearly a title"),
        (entry("A.") + "\n***Say it***\nNow.\n", 5, "nearly a title"),
        (entry("A.") + "\n****\nNow.\n", 5, "nearly"),
        (entry("A.") + "\n**(pinned)**\nNow.\n", 5, "a title without words"),
        (entry("A.") + entry("B.", "ask  FOR the day (pinned)"), 5, "the same title as line 9"),
        (entry("A.\n<!-- a note\n**B**\nC."), 4, "`<!--` without its end"),
        (entry("A.\n<!-- one --> <!-- two\n**B**\nC."), 4, "`<!--` without its end"),
        (entry("A.\n<!-->\n**B**\nC."), 4, "`<!--` without its end"),
        ("\n<!-- a note -->\n" + entry("Ask."), 2, "text outside of any entry"),
    ],
)
def test_what_can_be_no_entry_is_named_with_its_line_and_stops_whoever_writes(body: str, line: int, told: str) -> None:
    found = one(body)
    assert (found[0], found[2]) == (line, True)
    assert told in found[1]
    with pytest.raises(WisdomInvalid, match=rf"^identity/wisdom\.md:{line + HEAD.count(chr(10))}: "):
        parse((HEAD + body).encode(), "identity/wisdom.md")


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("# Adjutant - Wisdom", "# Wisdom", 1, "`# NAME - Wisdom`"),
        ("# Adjutant", "## Adjutant", 1, "NAME - Wisdom"),
        ("Read this first", "Read this last", 3, "Distilled principles"),
        ("2026-11-20", "today", 5, "Last compacted"),
        ("2026-11-20", "2026-02-30", 5, "Last compacted"),
        ("Last compacted: 2026-11-20\n\n", "", 5, "Last compacted"),
        ("---\n", "", 8, "expected here: `---` on a line of its own"),
        ("---\n", "- --\n", 7, "`---` on a line"),
        ("Last compacted: 2026-11-20\n\n---\n" + BODY, "", 5, "Last compacted"),
        ("---\n" + BODY, "", 7, "`---` on a line of its own, above the entries"),
        ("---\n", "**Say it**\nNow.\n\n---\n", 7, "`---` on a line of its own, above the entries"),
        ("---\n", "A word.\n\n---\n", 7, "`---` on a line of its own, above the entries"),
    ],
)
def test_a_broken_head_is_named_with_its_line(old: str, new: str, line: int, told: str) -> None:
    found = [each for each in lines(TEXT.replace(old, new, 1)) if each[2]]
    assert found[0][0] == line
    assert told in found[0][1]


def test_bytes_that_are_no_text_are_named_with_their_line() -> None:
    assert lines(TEXT.encode() + b"\xff\n") == [(27, "not UTF-8", True)]
    with pytest.raises(WisdomInvalid, match=r"wisdom\.md:1: not UTF-8"):
        parse(b"\xff", "wisdom.md")


def test_every_break_is_named_not_only_the_first() -> None:
    text = TEXT.replace("Work\n", "Work\nstray\n").replace("door ✓**", "door ✓*")
    assert [(each[0], each[2]) for each in lines(text)] == [(13, True), (26, True)]


# -- what an entry may say -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", 2, "an entry without text"),
        ("<!-- nothing -->", 2, "an entry without text"),
        ("One. Two! Three? Four.", 2, "4 sentences"),
        ("One.\n\nTwo.\n\nThree.\n\nFour", 2, "4 sentences"),
        ("- One\n- two\n- three\n- four", 2, "4 sentences"),
        ("Do it.\n- [ ] call the mill", 4, "a checkbox"),
        ("* [x] call", 3, "a checkbox"),
        ("Run this:\n```sh", 4, "a command block"),
        ("Run this:\n$ rm -r x", 4, "a command:"),
        ("1. Ring.\n2. Ask.", 4, "a list of steps"),
        ("Ask.\n\n---", 5, "`---` stands once"),
        ("The oven came on 2026-11-20.", 3, "a date as content (`2026-11-20`)"),
        ("Pay by 3 May.", 3, "(`3 May`)"),
        ("Pay before May 3rd.", 3, "(`May 3"),
        ("Der Ofen kam am 20. November.", 3, "(`20. November`)"),
        ("Ovnen kom 20.11.2026.", 3, "(`20.11.2026`)"),
        ("Pay by 24/11 at the latest.", 3, "(`24/11`)"),
        ("It came on 11/20/2026.", 3, "(`11/20/2026`)"),
    ],
)
def test_what_is_no_standing_rule_is_named_and_distill_still_works(text: str, line: int, told: str) -> None:
    found = one(entry(text) if text else "\n**Ask for the day**\n")
    assert (found[0], found[2]) == (line, False)
    assert told in found[1]


def test_titles_are_held_to_their_length_and_have_no_dates() -> None:
    assert lines(HEAD + entry("Ask.", "x" * TITLE_CHARS)) == []
    assert "81 characters" in one(entry("Ask.", "x" * 81))[1]
    assert "a date as content" in one(entry("Ask.", "What 2026-11-20 taught"))[1]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One.", 1),
        ("One", 1),
        ("", 0),
        ("Ask the mill, e.g. by phone. It answers.", 2),
        ("Pay no. 5 and Mr. Berg.", 1),
        ("A stop… Then more!", 2),
        ('He said "no." She left.', 2),
        ("Version 2.5 is out. 3 people came.", 2),
        ("Das ist z.B. Mehl, d.h. viel. Ja.", 2),
        ("<!-- One. Two. --> Three.", 1),
        ("Wait 24/7/365", 1),
        ("Take 3) or - as it is - 4. of them", 1),
        ("- one\n- two", 2),
        ("A line\nthat goes on.", 1),
        ("Å være. Ære. Øl.", 3),
        ("**Ask.** Always.", 2),
    ],
)
def test_sentences_are_counted_as_a_person_does(text: str, count: int) -> None:
    assert sentences(text) == count


@pytest.mark.parametrize(
    "text",
    [
        "May I? 3 people come.",
        "Wait 24/7/365.",
        "In November all is dear.",
        "v1.2.3 is old.",
        "At least 2 may fail.",
        "Of 1/2 or 3/4.",
    ],
)
def test_numbers_that_are_no_dates_are_let_be(text: str) -> None:
    assert unfit(RuleEntry("Ask", text)) == []


@pytest.mark.parametrize(
    "bad",
    [
        RuleEntry("Two\nlines", "Ask."),
        RuleEntry("Bold ** inside", "Ask."),
        RuleEntry("", "Ask."),
        RuleEntry("A", "Ask.\n**B**\nC."),
        RuleEntry("A", "Ask.\n## Work"),
        RuleEntry("A", "Ask.\n<!-- open"),
        RuleEntry("A", "\nAsk.\n"),
        RuleEntry("A (pinned)", "Ask."),
        RuleEntry("A", "Ask.", "Two\nlines"),
        RuleEntry(" A", "Ask."),
        RuleEntry("A", "Ask.\r\nNow."),
    ],
)
def test_an_entry_from_elsewhere_that_the_file_would_read_otherwise_is_refused(bad: RuleEntry) -> None:
    assert any("would read as something else" in reason for _, reason in unfit(bad))
    assert unfit(RuleEntry("A", "Ask.", "Work", True)) == []


# -- limits --------------------------------------------------------------------------------------------------


def test_too_many_entries_and_too_long_a_file_are_named_where_they_begin() -> None:
    three = HEAD + entry("A.", "A") + entry("B.", "B") + entry("C.", "C")
    assert lines(three, (3, len(three))) == []
    assert lines(three, (2, 8000)) == [(15, "3 entries, 2 are allowed (memory.wisdom.max_entries)", False)]
    assert lines(three, (3, len(three) - 1)) == [
        (16, f"{len(three)} characters, {len(three) - 1} are allowed (layers.wisdom.max_chars)", False)
    ]


def test_a_category_that_the_settings_do_not_name_is_named() -> None:
    told = one("\n## Garden\n" + entry("Ask."), LIMITS)
    assert told == (4, "`Garden` is no category of memory.wisdom.categories (Work, Home)", False)
    none = (20, 8000)
    assert one("\n## Work\n" + entry("Ask."), none)[1] == "`Work` is no category of memory.wisdom.categories (none)"


# -- any file ------------------------------------------------------------------------------------------------

WORDS = st.text(st.sampled_from("abcÅß ✓#*-`~<>!.(){}[]1\u00a0\u2028\t\v"), min_size=1, max_size=30)
ENTRIES = st.lists(
    st.builds(
        RuleEntry,
        WORDS,
        st.lists(WORDS, max_size=4).map("\n".join),
        st.sampled_from(("", "Work", "## Odd")),
        st.booleans(),
    ),
    max_size=5,
)


@given(
    ENTRIES,
    st.sampled_from(("Adjutant", "Mr - Wisdom", "Å")),
    st.sampled_from(("", "\ufeff")),
    st.sampled_from(("\n", "\r\n")),
)
def test_what_is_rendered_of_any_entries_is_read_again_the_same_or_named(
    entries: list[RuleEntry],
    name: str,
    begin: str,
    newline: str,
) -> None:
    wisdom = Wisdom(
        name,
        "never",
        tuple(sorted(entries, key=lambda each: ("", "Work", "## Odd").index(each.category))),
        begin,
        newline,
    )
    data = render(wisdom).encode()
    found = problems(data, 99, 99_999, ("", "Work", "## Odd"))
    if not found:
        assert render(parse(data, "")).encode() == data
    if not any(unfit(each) for each in wisdom.entries) and not any(problem.hard for problem in found):
        assert parse(data, "").entries == wisdom.entries


@given(st.text(st.sampled_from("ab# *-\n\r`<!->\ufeff\t().:")) | st.text(), st.sampled_from((HEAD, "", HEAD + BODY)))
def test_any_text_is_kept_byte_for_byte_or_named_with_a_line_of_the_file(text: str, head: str) -> None:
    checked((head + text).encode("utf-8", "surrogatepass"))


def checked(data: bytes) -> None:
    found = problems(data, *LOOSE)
    if not found:
        assert render(parse(data, "")).encode() == data
    for each in found:
        assert 1 <= each.line <= data.count(b"\n") + 1
        assert each.message
    if any(each.hard for each in found):
        with pytest.raises(WisdomInvalid):
            parse(data, "w.md")
    elif words(data):
        assert words(render(parse(data, "")).encode()) == words(data)


def words(data: bytes) -> list[str]:
    """The lines that say anything, categories apart: those are put in order, and left out where nothing is in them."""
    found = ["".join(line.split()).lower() for line in data.decode().removeprefix("\ufeff").split("\n")]
    said = [line for line in found if line and not line.startswith("##")]
    return said if len([*filter(None, found)]) == len(said) else sorted(said)


@pytest.mark.parametrize("put", ["", "x", " ", "\n", "*", "#", "-", "\r", "<", "(", "0"])
def test_a_right_file_with_any_one_character_changed_is_kept_or_named(put: str) -> None:
    right = HEAD + "\n**A b (pinned)**\nC **d**.\n<!-- e -->\n\n## Work\n\n**F**\nG.\n"
    assert lines(right) == []
    for at in range(len(right)):
        checked((right[:at] + put + right[at + 1 :]).encode())
        if put:
            checked((right[:at] + put + right[at:]).encode())


def test_a_title_whose_star_is_lost_is_never_taken_for_text_in_silence() -> None:
    for title in ("**Ask for the day (pinned)**", "**Say what it delays**", "**Keys hang by the door ✓**"):
        for broken in (title[1:], title[:-1], f" {title}"):
            assert [each[2] for each in lines(TEXT.replace(title, broken))] == [True], broken


@pytest.mark.parametrize(
    "piece",
    [
        " ",
        " " * 30_000 + "x",
        "*",
        "a ",
        ".",
        "# ",
        "<!-- ",
        "```\n",
        "- ",
        "1",
        'a."',
        "_",
        "~",
        "\n**x**\nA.\n",
        "May ",
    ],
)
def test_a_large_file_is_read_in_a_moment_whatever_it_repeats(piece: str) -> None:
    data = (HEAD + entry(piece * (60_000 // len(piece)))).encode()
    begun = time.process_time()
    assert problems(data, *LOOSE)
    assert time.process_time() - begun < 2


# -- the file on disk ----------------------------------------------------------------------------------------


def test_the_file_is_the_one_of_the_settings_through_a_link_too(tmp_path: Path) -> None:
    app = make_app(tmp_path, layers__wisdom__path="identity/rules.md")
    missing = wisdom_file.read_file(app.files, app.config)
    assert (missing.path, missing.shown, missing.data, missing.sha) == (
        str(tmp_path / "identity" / "rules.md"),
        "identity/rules.md",
        None,
        "",
    )
    (tmp_path / "identity").mkdir()
    (tmp_path / "dotfiles.md").write_text(TEXT)
    (tmp_path / "identity" / "rules.md").symlink_to(tmp_path / "dotfiles.md")
    held = wisdom_file.read_file(app.files, app.config)
    assert held.data == TEXT.encode()
    app.files.replace(held.path, HEAD, expect=held.sha)
    assert (tmp_path / "dotfiles.md").read_text() == HEAD
    assert (tmp_path / "identity" / "rules.md").is_symlink()


def test_a_file_far_too_large_is_refused(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    (tmp_path / "identity").mkdir()
    (tmp_path / "identity" / "wisdom.md").write_text("x" * (wisdom_file.MAX_BYTES + 1))
    with pytest.raises(FileDamaged, match="more than the"):
        wisdom_file.read_file(app.files, app.config)


def test_the_settings_are_the_limits(tmp_path: Path) -> None:
    app = make_app(
        tmp_path, memory__wisdom__max_entries=7, memory__wisdom__categories=["Work"], layers__wisdom__max_chars=900
    )
    assert wisdom_file.limits(app.config) == (7, 900, ("Work",))
