"""DOMAIN. What a text is when nobody says: which type of note, and which concepts it is about."""

from __future__ import annotations

from collections import Counter

from adjutant.domain.recall import classify, taxonomy
from adjutant.language.pack import cached
from adjutant.language.phrases import Matcher, matcher
from adjutant.store.files import Files

FILE, DEFAULT = "notes", "fact"
ORDER = ("correction", "decision", "gotcha", "preference", "person", "invariant", "pattern")  # of those said as often


def type_of(text: str, heading: str = "") -> str:
    """The type of a note with this text; the heading it stands under decides where it names one."""
    named = _matcher("headings").first(heading)
    if named is not None:
        return named.name
    found = Counter(match.name for match in _matcher("types").find(text))
    return max(sorted(found, key=ORDER.index), key=lambda type: found[type], default=DEFAULT)


@cached(2)
def _matcher(key: str) -> Matcher:
    return matcher(FILE, key)


def concepts_of(files: Files, text: str) -> tuple[str, ...]:
    """Ids of the concepts a text is about; () when the rules are not sure. Raises TaxonomyInvalid, FileDamaged."""
    return classify.classify(text, taxonomy.load(files)).concepts
