"""The items of a layer: what they are, what they are called, and which of them an answer used."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.learning import layer_items
from adjutant.domain.learning.layer_items import LayerItem, find_used, split_text
from adjutant.store.tree import LAYERS
from tests.conftest import CHECKOUT, make_app

USER = """\
# User

<!-- Who you are. Not read:
- this is no item
## nor this
-->

- Hours: weekdays 8 to 17
- Pays the household bills herself, on Sunday
  evenings, from the joint account
  - and the rent

* Hours: never

A paragraph after the list.

## Style ##

Short and dry, in British spelling.

```
# no heading
- no bullet
```

### Empty

## Lists

1. First of all
2) Second
"""


def ids(text: str) -> list[str]:
    return [each.id for each in split_text("user", "identity/user.md", text)]


def test_sections_and_top_level_bullets_are_items_with_their_lines() -> None:
    found = {each.id: each for each in split_text("user", "identity/user.md", USER)}
    assert list(found) == [
        "user#hours",
        "user#pays-the-household-bills-herself",
        "user#hours-2",
        "user#user",
        "user#style",
        "user#first-of-all",
        "user#second",
    ]
    assert found["user#pays-the-household-bills-herself"] == LayerItem(
        "user#pays-the-household-bills-herself",
        "user",
        "identity/user.md",
        "- Pays the household bills herself, on Sunday\n  evenings, from the joint account\n  - and the rent",
        9,
        3,
    )
    assert (found["user#user"].line, found["user#user"].text) == (15, "A paragraph after the list.")
    assert (found["user#style"].line, found["user#style"].lines) == (17, 8)


def test_an_id_stays_when_another_item_comes_goes_or_changes() -> None:
    before = {each.id: each.text for each in split_text("user", "u", USER)}
    shorter = USER.replace("- Pays the household bills herself, on Sunday\n", "").replace("dry", "warm")
    after = {each.id for each in split_text("user", "u", f"# New\n\nFirst.\n\n{shorter}")}
    assert {"user#hours", "user#hours-2", "user#style", "user#second"} <= after
    assert set(before) - after == {"user#pays-the-household-bills-herself"}
    assert ids("- Hours: nine to five\n") == ids("- Hours: at night\n") == ["user#hours"]


def test_entries_of_wisdom_are_headed_by_a_bold_line() -> None:
    text = "# Adjutant - Wisdom\n\n---\n\n**Say what it delays (pinned)**\nName what waits.\n\n**Ask**\n\nOnce.\n"
    assert ids(text) == ["user#say-what-it-delays", "user#ask"]
    assert ids("**Bold** and **bold** is no heading\n") == ["user#bold-and-bold-is-no"]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Ærlige svar, på norsk!", "ærlige-svar-på-norsk"),
        ("Don't guess", "dont-guess"),
        ("", "item"),
        ("x" * 90, "x" * 40),
        ("日本語 の 見出し", "日本語-の-見出し"),
    ],
)
def test_a_slug_holds_letters_and_digits_of_any_script(name: str, slug: str) -> None:
    assert layer_items.slug(name) == slug


def test_the_checkouts_own_layers_have_items_and_a_missing_one_has_none(tmp_path: Path) -> None:
    app = make_app(tmp_path / "mine")
    (tmp_path / "mine" / "identity").mkdir()
    for name in LAYERS[:-1]:
        text = (CHECKOUT / "identity" / f"{name}.md").read_text()
        (tmp_path / "mine" / "identity" / f"{name}.md").write_text(text)
    found = layer_items.read_items(app.files, app.config)
    assert {each.layer for each in found} == set(LAYERS[:-1])
    assert len({each.id for each in found}) == len(found)
    for each in found:
        lines = (CHECKOUT / each.path).read_text().split("\n")
        assert lines[each.line - 1 : each.line - 1 + each.lines] == each.text.split("\n")


@settings(derandomize=True, max_examples=60)
@given(st.text(alphabet="# -*ab1.\n`<!>", max_size=120))
def test_in_any_text_each_line_is_in_one_item_at_most_and_each_id_is_its_own(text: str) -> None:
    found = split_text("user", "u", text)
    assert len({each.id for each in found}) == len(found)
    end = 0
    for each in found:
        assert each.line > end
        assert each.lines == len(each.text.split("\n"))
        assert each.text.strip()
        end = each.line + each.lines - 1
    assert end <= len(text.split("\n"))


# -- use -----------------------------------------------------------------------------------------------------

EVERY = split_text(
    "user",
    "identity/user.md",
    """\
- Pays the household bills herself, on Sunday evenings, from the joint account
- Collects fountain pens and wants to hear of auctions
- Wants to hear early about money and about anything that moves the ship date
- Betaler husleien selv, fra felleskontoen, siste virkedag i måneden
- Sammelt Füllfederhalter und möchte von Versteigerungen hören
- Hours: weekdays, nine to five
""",
)
BILLS, PENS, _, RENT, FEDERN, HOURS = (each.id for each in EVERY)


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ("Two household bills are open; both go from the joint account.", (BILLS,)),
        ("There is an auction of fountain pens in Oslo.", (PENS,)),
        ("", ()),
        ("Yes, I want to hear about it early.", ()),
        ("Husleien betales fra felleskontoen på siste virkedag.", (RENT,)),
        (
            "Am Montag werden zwei Füllfederhalter versteigert; die Versteigerung der Sammlung ist in "
            "Bonn, man sammelt.",
            (FEDERN,),
        ),
        (f"As you have it in {PENS}.", (PENS,)),
        ("As in user#hours.", (HOURS,)),
        ("See identity/user.md#L3 and user.md:2", (EVERY[2].id,)),
        ("See identity/user.md:9 and my/identity/user.md:1", ()),
    ],
)
def test_what_an_answer_used(answer: str, items: tuple[str, ...]) -> None:
    assert find_used(EVERY, answer) == items


def test_a_citation_of_an_item_is_a_use() -> None:
    assert find_used(EVERY, "So.", [("identity/user.md", PENS.partition("#")[2]), ("identity/tools.md", "x")]) == (
        PENS,
    )


def test_what_stands_in_many_items_proves_none() -> None:
    every = split_text("user", "u", "".join(f"- Oven, permit and bakers, {name}\n" for name in ("ten", "two", "six")))
    assert find_used(every, "The oven, the permit and the bakers are ready.") == ()
    assert len(find_used(every[:2], "The oven, the permit and the bakers are ready.")) == 2
