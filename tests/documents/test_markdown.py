"""Pages are read as CommonMark and GitHub read them (markdown-it is the oracle), and as people type them."""

from __future__ import annotations

import frontmatter as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adjutant.documents import frontmatter, markdown
from adjutant.documents.markdown import boxed, elements, plain

VOCABULARY = ("boat", "rent", "Berg", "kitchen", "x", "æøå", "12", "2026-11-24", "10:30", "a.b")
WORDS = st.lists(st.sampled_from(VOCABULARY), min_size=1)
LINE = st.tuples(st.sampled_from(("word", "Word")), WORDS).map(lambda two: " ".join([two[0], *two[1]]))
NASTY = st.sampled_from(
    ["- no", "# no", "| a | b |", "|---|---|", "> no", "    deep", "", "===", "<!-- no -->", "1. no"]
)
BOX = st.sampled_from(["", "[ ] ", "[x] ", "[-] "])


@st.composite
def lists(draw: st.DrawFn, indent: str = "", depth: int = 0) -> list[str]:
    ordered, lines = draw(st.booleans()), []
    mark = draw(st.sampled_from("-*+"))
    for number in range(1, draw(st.integers(1, 3)) + 1):
        marker = f"{number}. " if ordered else f"{mark} "
        lines.append(f"{indent}{marker}{draw(BOX)}{draw(LINE)}")
        below = indent + " " * len(marker)
        if draw(st.booleans()):
            lines.append(f"{below}{draw(LINE)}")
        if depth < 3 and draw(st.booleans()):
            lines += draw(lists(below, depth + 1))
    return lines


@st.composite
def tables(draw: st.DrawFn) -> list[str]:
    width, outer = draw(st.integers(2, 4)), draw(st.booleans())

    def row(cells: list[str]) -> str:
        return f"| {' | '.join(cells)} |" if outer else " | ".join(cells)

    cells = st.lists(LINE.map(lambda line: line.replace("x", "a \\| b")), min_size=width, max_size=width)
    rule = st.sampled_from(["---", ":--", "--:", ":-:"])
    rows = [row(draw(cells)) for _ in range(draw(st.integers(1, 3)))]
    return [row(draw(cells)), row([draw(rule) for _ in range(width)]), *rows]


@st.composite
def fences(draw: st.DrawFn) -> list[str]:
    mark, shorter = draw(st.sampled_from([("```", "``"), ("~~~", "```"), ("`````", "````")]))
    return [f"{mark}{draw(st.sampled_from(['', 'py']))}", *draw(st.lists(NASTY, max_size=4)), shorter, mark]


BLOCKS = st.one_of(
    st.tuples(st.integers(1, 6), LINE, st.sampled_from(["", " #", " ###"])).map(
        lambda t: ["#" * t[0] + f" {t[1]}{t[2]}"]
    ),
    st.tuples(LINE, st.sampled_from(["===", "---", "-----"])).map(list),
    st.lists(LINE, min_size=1, max_size=3),
    lists(),
    tables(),
    fences(),
    st.lists(LINE, min_size=1, max_size=3).map(lambda lines: [f"    {line}" for line in lines]),
    st.lists(LINE, min_size=1, max_size=2).map(lambda lines: [f"> {line}" for line in lines]),
    st.just(["***"]),
    st.just(["<!-- a comment", "- of two lines -->"]),
)


def apart(blocks: list[list[str]]) -> list[str]:
    """The lines of a page: a blank line between blocks, and a paragraph between two that would join."""
    lines: list[str] = []
    for block in blocks:
        if lines and block[0].startswith((" ", "-", "*", "+", "1", "<")):
            lines += ["between", ""]
        lines += [*block, ""]
    return lines


def as_markdown_it(lines: list[str]) -> list[tuple[object, ...]]:
    """Headings, items, rows and code by the oracle."""
    found: list[tuple[object, ...]] = []
    tokens, depth, at = MarkdownIt("commonmark").enable("table").parse("\n".join(lines)), -1, 0
    for number, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 0
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "heading_open":
            found.append(("heading", line, int(token.tag[1]), tokens[number + 1].content))
        elif token.type == "list_item_open":
            box, text = boxed(tokens[number + 2].content)
            found.append(("item", line, depth, box, text))
        elif token.type == "tr_open":
            at = number
        elif token.type == "tr_close" and tokens[at + 1].type == "td_open":
            cells = tuple(each.content for each in tokens[at:number] if each.type == "inline")
            found.append(("row", tokens[at].map[0] + 1, cells))
        elif token.type in ("fence", "code_block"):
            found.append(("code", line, token.content.rstrip("\n")))
    return found


def as_we(lines: list[str]) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for each in elements(lines):
        if each.kind == "heading":
            found.append(("heading", each.line, each.level, each.text))
        elif each.kind == "item":
            found.append(("item", each.line, each.level, each.box, each.text))
        elif each.kind == "row":
            found.append(("row", each.line, each.cells))
        elif each.kind == "code":
            found.append(("code", each.line, each.text.rstrip("\n")))
    return found


@settings(max_examples=200, deadline=None)
@given(st.lists(BLOCKS, max_size=6).map(apart))
def test_headings_items_rows_and_code_are_those_of_markdown_it(lines: list[str]) -> None:
    assert as_we(lines) == as_markdown_it(lines)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- one\n - two", [("item", 1, 0, "", "one"), ("item", 2, 1, "", "two")]),  # nested by one blank
        ("24. November Zahnarzt", []),
        ("24. 11. Zahnarzt", []),
        ("several lines\nof words\n---", []),  # a rule below them
        ("2026. A year is no number of a list", []),
        ("#tag", []),
        ("- [ ]\n", [("item", 1, 0, "open", "")]),
        ("| a | b |\n|---|---|\n| c |\nwords", [("row", 3, ("c",))]),  # what has no pipe ends the table
    ],
)
def test_what_people_type_in_notes_is_read_as_they_mean_it(text: str, found: list[object]) -> None:
    assert as_we(text.split("\n")) == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Call [[people/berg|Berg]] about [[frames]]", "Call Berg about frames"),
        ("see [the list](http://a.b/c) and ![alt](x.png) or [ref][1]", "see the list and alt or ref"),
        ("**bold** and *it* and ***both*** and __b__ and _i_", "bold and it and both and b and i"),
        ("**a *b* c**", "a b c"),
        ("`code` and ``co`de``", "code and code"),
        ("~~gone~~ ==marked==", "gone marked"),
        ("snake_case 2 * 3 * 4 a_b_c *.md", "snake_case 2 * 3 * 4 a_b_c *.md"),
        ("<https://example.org/a_b>", "https://example.org/a_b"),
        ("a == b", "a == b"),
    ],
)
def test_plain_takes_off_what_a_page_does_not_show(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_quote_behind_a_comment_is_one() -> None:
    found = markdown.elements(["<!-- seen -->> the ferry leaves", "", "> a <!-- b", "> c --> d"])
    said = [(each.text.strip(), each.quoted) for each in found if each.kind != "comment"]
    assert said == [("the ferry leaves", True), ("a\nd", True)]


def test_lines_without_comments_and_those_that_begin_inside_one() -> None:
    found = markdown.page(["a <!-- b", "- c", "d --> e", "f"])
    assert found.lines == ["a  ", "", " e", "f"]
    assert found.inside == {1, 2}


VALUES = st.one_of(LINE, st.lists(LINE.map(lambda line: line.replace(":", "")), min_size=1, max_size=3))


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["title", "tags", "by"]), VALUES), st.lists(LINE, max_size=3))
def test_frontmatter_is_that_of_python_frontmatter(values: dict[str, object], body: list[str]) -> None:
    text = f"---\n{frontmatter.dump(values)}---\n" + "\n".join(body)
    post = oracle.loads(text)
    found = frontmatter.read(text, "a.md")
    assert (found.plain(), found.body.strip()) == (post.metadata, post.content.strip())
    fields, first = frontmatter.split(text)
    assert {field.name for field in fields} == set(values)
    assert text.split("\n")[first:] == (body or [""])
    assert all(text.split("\n")[field.line - 1].startswith(f"{field.name}:") for field in fields)
