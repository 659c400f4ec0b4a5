"""Templates in hassil's notation, and the phrases that they find."""

from __future__ import annotations

import pytest

from adjutant.language.phrases import Match, Matcher, matcher


def slots(found: Match | None) -> dict[str, str] | None:
    """What stands in the slots of a match."""
    return None if found is None else dict(found.slots)


def test_optional_parts_alternatives_and_slots() -> None:
    known = Matcher({"mute": ["[please] (stop|no more) {thing}"]})
    text = "Please stop telling me about clippings, thanks."
    (found,) = known.find(text)
    assert (found.name, text[found.start : found.end]) == ("mute", "Please stop telling me about clippings")
    assert slots(found) == {"thing": "telling me about clippings"}
    assert slots(known.first("No more News today!")) == {"thing": "News today"}
    assert slots(known.first("Hello. Stop that. Now")) == {"thing": "that"}
    assert known.first("stopping it") is None
    assert known.first("please stop") is None


@pytest.mark.parametrize(
    ("template", "text", "said"),
    [
        ("waiting for {who} [since {when}]", "waiting for Berg since Monday", {"who": "Berg", "when": "Monday"}),
        ("{who} owes (me|us) {thing}", "Anna Berg owes us an answer", {"who": "Anna Berg", "thing": "an answer"}),
        ("call* {who}", "Calling Berg", {"who": "Berg"}),
        ("don't <do> it", "do not ever do it", {}),
        ("{n} things", "24 things", {"n": "24"}),
        ("a (b [c]|d) e", "a b c e", {}),
        ("a (b [c]|d) e", "a d e", {}),
    ],
)
def test_a_template_matches_a_whole_text(template: str, text: str, said: dict[str, str]) -> None:
    known = Matcher({"x": [template]}, {"do": "[ever] (do|say)"})
    assert slots(known.whole(text)) == said
    assert known.whole(f"{text} again and again and again and again again") is None


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("stop {thing}", "stop. Then go"),
        ("stop that thing", "stop that. Thing two"),
        ("a b", "a\n\nb"),
        ("a b", "a\n- b"),
        ("cat", "category"),
        ("{who} owes me", "Anna. owes me"),
    ],
)
def test_what_is_another_word_list_or_sentence_does_not_match(template: str, text: str) -> None:
    known = Matcher({"x": [template]})
    assert known.first(text) is None
    assert known.find(text) == []


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("(late|over*) [by {days}]", "overdue"),
        ("(late|{thing} off) again", "way off again"),
        ("[never] <do> (it|that)", "say that"),
        ("pre* (one|two)", "prefer two"),
        ("don't [you] go", "do not; don't go"),
    ],
)
def test_each_way_through_a_template_is_found(template: str, text: str) -> None:
    assert Matcher({"x": [template]}, {"do": "(do|say)"}).first(text) is not None


def test_a_slot_takes_at_most_eight_words_of_one_clause() -> None:
    known = Matcher({"x": ["begin {thing} end"]})
    assert slots(known.first("begin a b c d e f g h end")) == {"thing": "a b c d e f g h"}
    assert known.first("begin a b c d e f g h i end") is None
    assert known.first("begin a, b end") is None


def test_the_longest_match_at_a_place_and_no_two_of_a_name_over_each_other() -> None:
    known = Matcher({"due": ["what is due [today]", "due"], "day": ["due today"]})
    found = known.find("what is due today, and what is due")
    assert [(each.name, each.start, each.end) for each in found] == [("due", 0, 17), ("day", 8, 17), ("due", 23, 34)]


def test_a_template_that_begins_with_a_slot_is_found_in_a_text_without_end() -> None:
    known = Matcher({"x": ["{who} promised"]})
    assert len(known.find("and Berg promised. " * 1000)) == 1000


@pytest.mark.parametrize("template", ["(a", "a)", "[a|b", "<no>", "{x", "<loop>", "a ] b", "<a", "{}"])
def test_a_template_that_is_none_is_refused(template: str) -> None:
    with pytest.raises(ValueError):
        Matcher({"x": [template]}, rules={"loop": "<loop>"})


@pytest.mark.parametrize(
    "rules",
    [
        {"a": "<b>", "b": "[c] <a>"},
        {"a": "<b0>", **{f"b{n}": f"<b{n + 1}>" for n in range(2000)}, "b2000": "c"},
        {"a": "<b0>", **{f"b{n}": f"<b{n + 1}> <b{n + 1}>" for n in range(18)}, "b18": "word"},
        {"a": "word " * 20_000},
    ],
    ids=["a circle", "too deep", "doubled again and again", "too long"],
)
def test_rules_that_grow_without_bound_are_refused(rules: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        Matcher({"x": ["<a>"]}, rules)


def test_a_template_of_nothing_never_matches() -> None:
    known = Matcher({"x": ["[a] [b]", ""]})
    assert known.whole("c") is None
    assert known.find("c d") == []
    assert slots(known.whole("a b")) == {}
    assert known.find("") == []
    assert known.first("") is None
    assert known.whole("") is None


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("What is due this week?", "due", {"when": "this week"}),
        ("what's due on Friday", "due", {"when": "Friday"}),
        ("What is overdue?", "late", {}),
        ("who am I waiting for", "waiting", {}),
        ("what should I do today", "today", {"when": "today"}),
        ("What should I do now?", "today", {}),
        ("what is open", "open", {}),
        ("What is blocked?", "blocked", {}),
        ("what is open with Anna Berg?", "with", {"who": "Anna Berg"}),
        ("what is left on the Kessler handover", "on", {"project": "the Kessler handover"}),
        ("Was ist diese Woche fällig?", "due", {"when": "diese Woche"}),
        ("Was ist überfällig?", "late", {}),
        ("Auf wen warte ich noch?", "waiting", {}),
        ("Was soll ich heute tun?", "today", {"when": "heute"}),
        ("Was ist noch offen?", "open", {}),
        ("Hva forfaller denne uka?", "due", {"when": "denne uka"}),
        ("Hva er forsinket?", "late", {}),
        ("Hvem venter jeg på?", "waiting", {}),
        ("Hva skal jeg gjøre i dag?", "today", {"when": "i dag"}),
        ("Hva gjenstår?", "open", {}),
    ],
)
def test_questions_about_what_is_open(text: str, name: str, said: dict[str, str]) -> None:
    found = matcher("questions", "agenda").whole(text)
    assert found is not None
    assert (found.name, slots(found)) == (name, said)


@pytest.mark.parametrize(
    "text",
    [
        "How much is the rent?",
        "When is the boiler service due to Berg's letter of last year, and who signed it?",
        "what did we decide about the roof",
        "Where is the spare key?",
        "Wie hoch ist die Miete?",
        "Hvor mye er husleien?",
        "",
    ],
)
def test_questions_about_something_else(text: str) -> None:
    assert matcher("questions", "agenda").whole(text) is None


def test_a_list_of_templates_has_its_key_for_a_name() -> None:
    found = matcher("matters", "waiting").first("We are still waiting for Berg, sadly")
    assert found is not None
    assert (found.name, slots(found)) == ("waiting", {"who": "Berg"})
    assert matcher("matters", "waiting", "de").first("waiting for Berg") is None
    assert matcher("matters", "nothing").find("waiting for Berg") == []
