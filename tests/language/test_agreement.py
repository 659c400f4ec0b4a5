"""When one rule covers another, says the same, or the contrary."""

from __future__ import annotations

import pytest

from adjutant.language.likeness import again, contradicts, is_covered, share

BACKUPS = "Backups of the shop\nBackups of the shop are kept for 30 days, on the disk in the cellar."
FRIDAYS = "Never deploy on Fridays\nNobody is there on Saturday to mend it."
LUNCH = "Lunsj er klokka tolv\nKjøkkenet stenger for lunsj klokka tolv hver onsdag."


@pytest.mark.parametrize(
    ("item", "entry"),
    [
        ("Keep backups of the shop for 30 days.", BACKUPS),
        ("The shop's backups are kept 30 days", BACKUPS),
        ("Do not deploy on Fridays.", FRIDAYS),
        ("never deploy on a friday", FRIDAYS),
        ("Kjøkkenet stenger klokka tolv hver onsdag", LUNCH),
    ],
)
def test_an_entry_that_says_it_covers_it(item: str, entry: str) -> None:
    assert is_covered(item, entry)
    assert not contradicts(item, entry)


@pytest.mark.parametrize(
    ("item", "entry"),
    [
        ("Keep backups of the shop for 90 days.", BACKUPS),
        ("Backups of the shop are never kept on the disk in the cellar.", BACKUPS),
        ("Backups of the bakery and its till are kept in the attic for 30 days.", BACKUPS),
        ("Backups", BACKUPS),
        ("Deploy on Fridays.", FRIDAYS),
        ("Never deploy on Mondays.", FRIDAYS),
    ],
)
def test_another_figure_a_denial_or_too_little_in_common_is_not_covered(item: str, entry: str) -> None:
    assert not is_covered(item, entry)


@pytest.mark.parametrize(
    ("item", "entry"),
    [
        ("Backups of the shop are kept 90 days", BACKUPS),
        ("Deploying on Fridays is fine", FRIDAYS),
        ("Kjøkkenet stenger for lunsj klokka tolv hver torsdag", LUNCH),
        ("Send the report after the meeting", "Send the report before the meeting"),
        ("Rechnungen gehen am Montag raus", "Rechnungen gehen am Freitag raus"),
    ],
)
def test_the_contrary_and_another_value_contradict(item: str, entry: str) -> None:
    assert contradicts(item, entry)
    assert not is_covered(item, entry)


@pytest.mark.parametrize(
    ("item", "entry"),
    [
        ("Never deploy on Mondays", FRIDAYS),
        ("Backups of the bakery go to the attic on Sundays", BACKUPS),
        ("Nobody answers mail after six", FRIDAYS),
        ("Room 12 is painted in May", "Room 14 is rented in June"),
    ],
)
def test_what_speaks_of_something_else_contradicts_nothing(item: str, entry: str) -> None:
    assert not contradicts(item, entry)


@pytest.mark.parametrize(
    ("item", "entry"),
    [
        ("Invoices to Berg go out on the first of the month.", "Invoices to Hansen go out on the first of the month."),
        ("Never sell rye bread by weight on market days.", "Never sell oat bread by weight on market days."),
        ("Backups of Kestrel stay for 30 days on the server.", "Backups of Merlin stay for 90 days on the server."),
        (
            "Fakturaer til Berg sendes den første dagen i måneden",
            "Fakturaer til Hansen sendes den første dagen i måneden",
        ),
    ],
)
def test_what_is_said_of_somebody_or_something_else_is_another_rule(item: str, entry: str) -> None:
    assert not is_covered(item, entry)
    assert not is_covered(entry, item)
    assert not again(item, entry)
    assert not contradicts(item, entry)
    assert not contradicts(entry, item)


def test_a_name_that_only_one_of_them_has_makes_no_difference() -> None:
    bills = "Bills of the landlord go out on the first"
    assert is_covered(bills, f"{bills}, says Ina")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Weigh the flour twice.", "The flour: weigh it twice!", True),
        ("Backups of the shop are kept for 30 days", "The shop's backups are kept 30 days", True),
        ("Backups of the shop are kept for 30 days", "The shop's backups are kept 90 days", False),
        ("Always weigh the flour twice", "Never weigh the flour twice", False),
        ("A backup counts only once a restore has been tried.", "Try the restore of every backup.", False),
        ("Weigh the flour twice", "Weigh the flour twice, then sift the rye and heat the stone oven slowly", False),
    ],
)
def test_the_same_said_again_is_known_by_its_words(one: str, other: str, same: bool) -> None:
    assert again(one, other) is same


def test_what_is_not_in_the_support_is_told_stem_by_stem() -> None:
    part, missing = share("Fire the oven with the hood running", "Never fire an oven without the hood running.")
    assert (part, missing) == (1.0, frozenset())
    part, missing = share("Pay the mill at once", "Never fire an oven.")
    assert part == 0
    assert "mill" in missing
    assert share("", "anything") == (0.0, frozenset())
