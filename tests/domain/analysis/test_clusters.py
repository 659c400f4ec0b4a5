"""What was said again in other words, measured on returning.txt; what only looks so is never brought together."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjutant.domain.analysis import clusters
from adjutant.domain.analysis.clusters import NEAR, Utterance, Weights, grouped, nearness
from adjutant.domain.analysis.gists import gist, joined, opened
from adjutant.domain.behavior.own_words import sentences
from tests.domain.analysis.returning import rows


def said(message: str) -> Utterance:
    return Utterance(joined(gist(opened(each)) for each in sentences(message)))


WEIGHTS = Weights(
    said(message).gist for kind in ("same", "other", "asked", "unlike") for row in rows(kind) for message in row
)


def test_the_same_in_three_wordings_is_found() -> None:
    triples = rows("same")
    found = [row for row in triples if grouped([said(each) for each in row], WEIGHTS) == [[0, 1, 2]]]
    assert len(triples) >= 40 and len(found) >= 0.9 * len(triples), [row for row in triples if row not in found]


def test_another_matter_is_never_taken_for_it() -> None:
    pairs = rows("other")
    merged = [row for row in pairs if grouped([said(each) for each in row], WEIGHTS)]
    assert len(pairs) >= 48 and not merged


def test_all_of_them_together_stay_apart() -> None:
    messages = [(number, said(each)) for number, row in enumerate(rows("same")) for each in row]
    random.Random(1).shuffle(messages)
    groups = grouped([each for _, each in messages], WEIGHTS)
    assert len(groups) >= 36
    assert all(len({messages[at][0] for at in group}) == 1 for group in groups)


def test_who_calls_the_other_right_is_not_with_them() -> None:
    group = ("Invoices go to Berg, not Hansen.", "Berg gets the invoices.", "Invoices go to Hansen, not Berg.")
    assert grouped([said(each) for each in group], WEIGHTS) == [[0, 1]]


def test_the_question_before_it_helps_where_little_is_said() -> None:
    about = gist("whom do we send the invoices to?")
    alone, after = said("Berg!"), said("Berg!")._replace(about=about)
    assert nearness(alone, said("Berg."), WEIGHTS) == 0.0
    assert nearness(after, said("Berg.")._replace(about=about), WEIGHTS) >= NEAR


def test_what_is_said_a_hundred_times_alike_is_one_group() -> None:
    many = [said("Invoices go to Berg, not Hansen.") for _ in range(100)]
    many += [said(f"Invoices go to Berg, not Hansen, says {name}") for name in ("Ola", "Kari")]
    assert grouped([*many, said("The oven in hall 2 takes 40 minutes.")], WEIGHTS) == [list(range(102))]


def test_of_very_many_the_newest_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "MOST", 3)
    messages = [
        "The vet of the cats is Weiss.",
        "Weiss is the vet of our old cats.",
        "The oven takes 40 minutes.",
        "The choir sings at noon.",
        "At noon the choir sings in the hall.",
    ]
    assert grouped([said(each) for each in messages], WEIGHTS) == [[3, 4]]
    monkeypatch.setattr(clusters, "MOST", 5)
    assert grouped([said(each) for each in messages], WEIGHTS) == [[0, 1], [3, 4]]


@pytest.mark.parametrize("words", ["the invoice of {} goes to {}", "{} meets {}"])
def test_what_is_held_against_each_other_grows_with_what_is_said_not_with_its_square(words: str) -> None:
    def compared(count: int) -> int:
        pairs = list[tuple[int, int]]()
        grouped(
            [said(words.format(f"Kor{number}a", f"Bel{number}o")) for number in range(count)],
            WEIGHTS,
            lambda one, two: float(bool(pairs.append((one, two)))),
        )
        return len(pairs)

    few, many = compared(300), compared(600)
    assert few <= 300 * clusters.COMMON and many <= 2 * few


@settings(derandomize=True, max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from([each for name in ("same", "other") for row in rows(name) for each in row]), max_size=12)
)
def test_groups_hold_nothing_that_is_set_apart(messages: list[str]) -> None:
    utterances = [said(each) for each in messages]
    groups = grouped(utterances, WEIGHTS)
    assert sorted(at for group in groups for at in group) == sorted({at for group in groups for at in group})
    for group in groups:
        assert len(group) > 1 and group == sorted(group)
        for one, two in combinations(group, 2):
            assert not clusters.apart(utterances[one].gist, utterances[two].gist, WEIGHTS.names)


@settings(derandomize=True, max_examples=80, deadline=None)
@given(
    st.sampled_from([each for row in rows("same") for each in row]),
    st.sampled_from([each for row in rows("other") for each in row]),
)
def test_nearness_is_mutual(one: str, two: str) -> None:
    assert nearness(said(one), said(two), WEIGHTS) == pytest.approx(nearness(said(two), said(one), WEIGHTS))
    assert nearness(said(one), said(one), WEIGHTS) in (0.0, pytest.approx(1.0))
