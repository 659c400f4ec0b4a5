"""DOMAIN. The form of the words in which operators speak of the manner of an answer; a module a language holds them.

A matter is what such a word is about (`list`, `emoji`, `repeat`); two remarks on one matter count together. A pattern
is held against a whole clause: lower case, straight apostrophes, no marks at its ends. In it `{n}` is any noun of
manner, `{some}` one that is hardly used of anything else, `{many}` that or the plural of an open one, `{a}` what an
answer is called, `{too}` an adjective of `too`, `{good}` praise, `{useful}` the praise that a table or a list gets as a
text and not as a thing, `{tongue}` a language. A pattern's line breaks stand where there was room.
"""

from __future__ import annotations

from typing import NamedTuple

PRAISE, MILD, DEMAND, WISH = KINDS = ("praise", "mild", "demand", "wish")
KEEP, MORE, LESS, STOP, START = "KEEP", "MORE", "LESS", "STOP", "START"
LONGEST_SENTENCE = 320
LENGTH, REPEAT, APOLOGY = "length", "repeat", "apology"


class Rule(NamedTuple):
    """`pattern` of a clause (`whole`: of a sentence). What it says comes from its group `n` (a noun phrase), `v` (a
    phrase as it stands) or `too` (an adjective), else from `say`, a key of the language's SAID. `bare`: it names
    neither the answer nor who gave it, and means something only behind an answer."""

    kind: str
    type: str
    pattern: str
    say: str = ""
    bare: bool = False
    whole: bool = False
    asked: bool = False


class Language(NamedTuple):
    """`sure`: {matter: nouns hardly used of anything else}; `open`: those that things are called by, too.

    `too`: {adjective: (type, what is said)}; `said`: {key: (matter, text)}; `short`, `long`: lengths, for matters of
    what stands; `head`, `tail`: what is cut from a clause's ends; `reported`: who speaks is somebody else; `lasting`:
    markers of a standing wish; `others`: whom a text or a task is for; `wanted`: how a wish begins; `not_me`: what a
    wish begins with that is no wish to the agent; `never`: a wish that something be not; `verbs`: of speaking and
    writing, after which anything may follow; `acts`: verbs that mean it only beside a noun of manner.
    """

    sure: dict[str, str]
    open: dict[str, str]
    answer: str
    good: str
    useful: str
    too: dict[str, tuple[str, str]]
    said: dict[str, tuple[str, str]]
    short: str
    long: str
    head: str
    tail: str
    reported: str
    others: str
    lasting: str
    wanted: str
    never: str
    not_me: str
    verbs: str
    acts: str
    places: str
    articles: str
    vp: str
    tongue: str
    plural: dict[str, str]
    gerunds: dict[str, str]
    rules: tuple[Rule, ...]
