"""Below which workload a concept goes."""

from __future__ import annotations

from adjutant.domain.learning.suggestions import words
from adjutant.domain.recall import taxonomy
from adjutant.store.files import Files
from adjutant.store.tree import Tree

BREW = (
    "how long does kombucha ferment?",
    "my kombucha smells of vinegar",
    "a second batch of kombucha with ginger",
    "feed the scoby",
)


def test_a_concept_goes_below_the_workload_of_most_of_its_texts_and_not_of_half() -> None:
    scheme = taxonomy.load(Files(Tree("/nowhere"), dry=True))
    assert words.nearest(BREW, scheme) == "adjutant:knowledge"  # "batch" and "feed" make no pipeline of it
    assert words.nearest(BREW[2:], scheme) == "adjutant:pipeline"
