"""What a text is when nobody says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjutant.domain.memory.notes import concepts_of, type_of
from tests.conftest import make_app

TOLD = """
decision|We decided to move the wiki to Outline.
decision|Agreed with Ruth that invoices go out on the first.
decision|Vi bestemte at lanseringen flyttes til mars.
decision|Wir haben beschlossen, den Anbieter zu wechseln.
invariant|Never push to main without a review.
invariant|Backups must always be encrypted before they leave the house.
invariant|Passordfiler skal aldri ligge i git.
invariant|Der Hauptschalter muss nachts aus sein.
gotcha|Watch out: the import fails when the CSV has a BOM.
gotcha|The staging database silently drops rows over 64 KB.
gotcha|Vorsicht, der Export bricht ab bei Umlauten im Dateinamen.
pattern|Deliveries from Brandt usually arrive two days late.
pattern|Every Monday the queue doubles before noon.
pattern|Halvorsen pleier å svare på kvelden.
preference|Sam prefers a call to an email.
preference|Hun foretrekker møter før lunsj.
preference|Er mag keine langen Mails.
person|Ruth is our accountant, she works at Berg & Co.
person|Anna's birthday is on 3 May.
person|Frau Klein ist die Ansprechpartnerin bei der Bank.
fact|The office in Oslo is on the fourth floor.
fact|The API listens on port 8443.
fact|
correction|Actually the meeting room holds eight, not ten.
correction|The earlier number was wrong: rent is 1,450 euros.
correction|Der Liefertermin stimmt nicht, es ist der 12. Mai.
"""


@pytest.mark.parametrize(("type", "text"), [line.split("|") for line in TOLD.strip().split("\n")])
def test_the_type_is_what_the_words_tell(type: str, text: str) -> None:
    assert type_of(text) == type


def test_a_heading_that_names_a_type_decides() -> None:
    assert type_of("Never after ten in the evening", "Preferences of Sam") == "preference"
    assert type_of("Never after ten in the evening", "Misc") == "invariant"


def test_concepts_are_those_of_the_taxonomy(tmp_path: Path) -> None:
    files = make_app(tmp_path).files
    assert "adjutant:platform" in concepts_of(files, "The Kubernetes cluster needs a new node pool before Friday.")
    assert concepts_of(files, "Tea is at four.") == ()
