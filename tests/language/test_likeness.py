"""When two texts say the same: what is only another way to write it does, what could make a difference does not."""

from __future__ import annotations

import pytest

from adjutant.language import likeness

SAME = (
    ("Never deploy on Fridays.", "never deploy on friday"),
    ("Never deploy on Fridays", "NEVER DEPLOY ON FRIDAYS!"),
    ("Never deploy on Fridays", "On Fridays, never deploy."),
    ("Don't deploy on Fridays", "Do not deploy on Fridays"),
    ("- Use **tabs** for the repo", "Use tabs for repo"),
    ("We can't ship policies", "we cannot ship policy"),
    ("I'll pay", "I will pay"),
    ("Avoid deploying on Mondays", "avoid deploy on Mondays"),
    ("Server restarts lose the cache", "Server restart loses cache"),
    ("Use “smart” quotes", "use smart quotes"),
    ("Ikke bruk lange linjer på fredager", "ikke bruk lang linje på fredag"),
    ("Wir benutzen keine Tabs in der Datei", "Wir benutzen keine Tabs in Datei!"),
    ("Bruk aldri tabulator i filene", "bruk ikke tabulator i filen"),
)
OTHER = (
    ("Deploy on Fridays", "Never deploy on Fridays"),
    ("Pay 300 euros", "Pay 30 euros"),
    ("Pay $5", "Pay €5"),
    ("keep it <5", "keep it >5"),
    ("version 1.2", "version 1.20"),
    ("Ask Anna", "Ask Bob"),
    ("Anna manages Bob", "Bob manages Anna"),
    ("Anna is not the lead, Bob is", "Bob is not the lead, Anna is"),
    ("Hans pays", "Han pays"),
    ("Prefer tabs over spaces", "Prefer spaces over tabs"),
    ("From Oslo to Bergen", "From Bergen to Oslo"),
    ("Ship before the test", "Test before the ship"),
    ("Anna was the lead", "Anna is the lead"),
    ("We used MySQL", "We use MySQL"),
    ("Ina bruker vim", "Ina brukte vim"),
    ("You must not sign", "You need not sign"),
    ("Is Anna the lead?", "Anna is the lead."),
    ("The build is slow", "The building is slow"),
    ("Use past tense", "Use paste tense"),
    ("the universal adapter", "the university adapter"),
    ("the news of the site", "the new of the site"),
    ("tell us", "tell US"),
    ("run it with -r", "run it with -R"),
    ("- [ ] call the bank", "- [x] call the bank"),
    ("Das ist schon gut", "Das ist schön gut"),
    ("https://a.example/c", "https://a.example/C"),
    ("", ""),
    ("***", "---"),
)


@pytest.mark.parametrize(("one", "two"), SAME)
def test_another_way_to_write_it_says_the_same(one: str, two: str) -> None:
    assert likeness.same(one, two)
    assert likeness.same(two, one)


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_what_could_make_a_difference_does(one: str, two: str) -> None:
    assert not likeness.same(one, two)
    assert not likeness.same(two, one)


@pytest.mark.parametrize(("one", "two"), SAME)
def test_the_filter_lets_everything_through_that_says_the_same(one: str, two: str) -> None:
    assert all(mark in likeness.fold(two) for mark in likeness.marks(one))
    assert all(mark in likeness.fold(one) for mark in likeness.marks(two))


def test_a_query_holds_in_whatever_form_its_words_stand() -> None:
    text = "Never deploy on Fridays: Brandt is away"
    assert likeness.holds(text, likeness.content("the deploys on friday"))
    assert likeness.holds(text, likeness.content("BRANDT"))
    assert not likeness.holds(text, likeness.content("deploy Monday"))
    assert likeness.content("the of ***") == ()
