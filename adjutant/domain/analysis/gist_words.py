"""DOMAIN. The words by which a gist is read: what corrects, counts, denies, sets against, and sides of one matter."""

from __future__ import annotations

import re

# What a correction says of any matter: that it is one.
_CORRECTING = """
    no nope not wrong incorrect mistake mistaken meant mean correction correct right told said say saying remember again
    already actually error mixed confused sorry still always never please instead rather but
    nei feil rettelse mente mener sa sagt riktig igjen allerede jo husk ikke aldri alltid takk heller men stemmer
    nein falsch stimmt meinte meine gesagt sagte doch schon wieder korrektur fehler richtig nicht nie immer bitte
    sondern statt anstatt eigentlich jo
"""
SAID_OF_ALL = frozenset(_CORRECTING.split())
_COUNTED = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve",
    "nb": "null en to tre fire fem seks sju åtte ni ti elleve tolv",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
_TENS = {
    "en": "twenty 20 thirty 30 forty 40 fifty 50 sixty 60 ninety 90 hundred 100 fifteen 15",
    "nb": "tjue 20 tretti 30 førti 40 femti 50 seksti 60 hundre 100 femten 15",
    "de": "zwanzig 20 dreißig 30 vierzig 40 fünfzig 50 sechzig 60 hundert 100 fünfzehn 15",
}
_OFTEN_AN_ARTICLE = frozenset(("one", "en", "to"))
NUMBERS: dict[str, dict[str, str]] = {
    language: {word: str(number) for number, word in enumerate(words.split()) if word not in _OFTEN_AN_ARTICLE}
    | dict(zip(_TENS[language].split()[::2], _TENS[language].split()[1::2], strict=True))
    for language, words in _COUNTED.items()
}
_MEASURES = """
    uhr kl clock minute minutes minutt minutter minuten dager tage tagen frau herr herrn mr mrs ms kr am pm
"""
UNITS = frozenset(_MEASURES.split())
DAY_ENDS = ("", "s", "er", "en", "ene", "e")
CAPITAL_MONTHS = frozenset(("may", "march"))  # small they are other words
NOT = frozenset(["not", "never", "ikke", "ei", "aldri", "nicht", "nie", "niemals"])
INSTEAD = (
    ("instead", "of"),
    ("rather", "than"),
    ("no", "longer"),
    ("i", "stedet", "for"),
    ("statt",),
    ("anstatt",),
    ("anstelle", "von"),
    ("fremfor",),
    ("enn",),
    ("nicht", "mehr"),
)
_JOINING = """
    and but is are was were isn aren wasn og men er var und aber ist sind war s it
"""
BEFORE_A_CONTRAST = frozenset(_JOINING.split())
# Two sides of one matter: what says one is no other way to say the other.
_SIDED = """
    start begin beginning opening starte begynne begynner anfang beginn beginnen anfangen|end ends ending finish
    stop closing slutt slutte slutter ende enden endet aufhören;
    before før vor|after etter nach;
    first første erste ersten|last siste letzte letzten;
    open opens åpner öffnet|close closes closed shut stenger lukker schließt;
    early tidlig früh|late sen sent spät;
    arrive arrives arrival ankommer ankunft|leave leaves depart departure avgang drar abfahrt;
    buy kjøpe kaufen|sell selge verkaufen;
    more mer mehr maximum max|less fewer mindre weniger minimum min;
    enable allow|disable forbid;
    increase raise øke erhöhen|decrease reduce lower senke senken;
    import importere|export eksportere;
    incoming|outgoing;
    renew|revoke;
    lock|unlock;
    morning morgen morgens|evening kveld abends;
    old gammel alt alte|new ny neu neue;
    above over über|below under unter
"""
SIDES = tuple(tuple(frozenset(side.split()) for side in pair.split("|")) for pair in _SIDED.split(";"))
BUT = frozenset(["but", "men", "sondern"])
# A negation in other words: "leave drafts out", "no drafts", "stop sending drafts".
_DENIALS = """
    no none nobody without stop stops stopped avoid skip drop dropped omit exclude remove cannot ingen uten
    slutt stopp unngå dropp fjern kein keine keinen keinem keiner ohne stoppe lass weglassen vermeide nothing
"""
DENYING = frozenset(_DENIALS.split())
OPENERS = re.compile(
    r"(?:(?:wrong [^\W\d_]+(?=\s*[,.:;!–—-])|no+|nope|nah|hm+|sorry|oh|ah|well|actually|again|once more|wrong again"
    r"|still wrong|wrong|incorrect|not right"
    r"|not correct|not quite|not true|not (?:that|this)|correction|as i (?:said|told you)"
    r"|i (?:already |just )?(?:said|meant|mean|told you)(?: (?:already|before|so|yesterday|last week|twice))*"
    r"|you (?:mixed|confused) (?:them|that|it|this)(?: up)?|you (?:forgot|got (?:it|that) wrong)(?: again)?"
    r"|(?:that|this|it)(?: is|['’]s| was)(?: still)?(?: not|n['’]t)? "
    r"(?:wrong|right|correct|incorrect|true|false|not what i (?:asked|meant|said)(?: for)?)(?: again)?"
    r"|that isn['’]t (?:right|correct|true)"
    r"|nei|nope|niks|feil(?: igjen)?|det (?:er|var) feil(?: igjen)?|det stemmer ikke|ikke riktig|rettelse"
    r"|jeg (?:sa|mente|mener)(?: jo)?|som (?:jeg )?sagt|du (?:tar feil|glemte)"
    r"|nein|nö|falsch|das (?:stimmt|ist) (?:so )?(?:nicht|falsch)(?: richtig)?|stimmt nicht|nicht richtig|korrektur"
    r"|ich (?:sagte|meinte|meine)(?: doch| ja)?|wie (?:ich )?(?:gesagt|sagte)|schon wieder falsch)"
    r"(?![^\W_])[\s,.:;!–—-]*)+(?:(?:that|at|dass)\s+)?",
    re.IGNORECASE,
)
