"""FILES. The words of a search: which say nothing, and which are forms of one."""

from __future__ import annotations

import re

# Function words by language. A question is read in the language most of whose function words it holds, so that the
# English "war" is not lost to the German one.
STOP = {
    language: frozenset(words.split())
    for language, words in {
        "en": """
        a about above after again against all also am an and any are aren as at be because been before being below
        between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from
        further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it
        its itself just ll m me more most my myself no nor not now of off on once only or other our ours ourselves out
        over own re s same shan she should shouldn so some such t than that the their theirs them themselves then there
        these they this those through to too under until up ve very was wasn we were weren what when where which while
        who whom whose why will with won would wouldn you your yours yourself yourselves please tell""",
        "nb": """
        alle at av bare begge ble blei bli blir blitt både da de deg dem den denne der dere deres det dette di din
        disse ditt du eg eller en er et ett etter for fordi fra før ha hadde han hans har hennes her hos hun hva hvem
        hver hvilke hvilken hvilket hvor hvordan hvorfor i ikke inn ja jeg kan kom kunne man me med meg men mens mi min
        mine mitt mot mye nei noe noen nå når og også om opp oss over på samme seg selv si sia siden sin sine sitt skal
        skulle slik so som så til um under ut var ved vi vil ville vår være vært å""",
        "de": """
        aber alle als am an auch auf aus bei bin bis bist da damit dann das dass dein dem den denn der des die dies
        diese doch dort du durch ein eine einem einen einer eines er es euer für gab habe haben hat hatte hier ich ihm
        ihn ihr im in ist ja jede kann kein keine mein mich mir mit nach nicht noch nur ob oder ohne sehr sein seine
        sich sie sind so über um und uns unser unter vom von vor wann war waren warum was weil welche wenn wer werden
        wie wieder wir wird wo wurde zu zum zur""",
    }.items()
}

# Forms that no stemmer brings together: verbs that change their vowel, plurals that do, and what has two names.
_FORMS = """
    buy bought purchase; go went gone; see saw seen; take took taken; give gave given; get got gotten; make made;
    come came; begin began begun start started; find found; feel felt; think thought; tell told; meet met; leave
    left; keep kept; hold held; know knew known; grow grew grown; write wrote written; eat ate eaten; drink drank
    drunk; drive drove driven; ride rode ridden; run ran; swim swam swum; sing sang sung; speak spoke spoken; teach
    taught; bring brought; catch caught; fight fought; sell sold; spend spent; send sent; build built; lose lost;
    win won; hear heard; choose chose chosen; draw drew drawn; fall fell fallen; fly flew flown; forget forgot
    forgotten; lead led; mean meant; pay paid; say said; sit sat; sleep slept; stand stood; steal stole stolen; wear
    wore worn; break broke broken; become became; shoot shot; understand understood; wake woke woken; throw threw
    thrown; hang hung; learn learnt; tear tore torn; deal dealt; feed fed; bite bit bitten; blow blew blown; seek
    sought; freeze froze frozen; hide hid hidden; lay laid; lend lent; rise rose risen; shake shook shaken; show
    shown; stick stuck; strike struck; sweep swept; swear swore sworn; bend bent; child children kid kids; man men;
    woman women; foot feet; tooth teeth; mouse mice; person people; wife wives; life lives; knife knives; mom mum
    mother; dad father; picture pictures photo photos photograph image images; movie movies film films; vacation
    holiday; big large; sick ill; scared afraid; contest competition; injury injured hurt; house home; job career;
    fix repair mend; delete remove; cv resume; doctor physician; k8s kubernetes; db database; repo repository;
    config configuration; docs documentation; auth authentication; app application; postgres postgresql
"""
FORMS: dict[str, tuple[str, ...]] = {}
for _line in _FORMS.split(";"):
    _words = _line.split()
    FORMS.update({_word: tuple(other for other in _words if other != _word) for _word in _words})

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FOREIGN = """
    januar january; februar february; mars march; märz march; mai may; juni june; juli july; oktober october;
    desember december; dezember december; jan january; feb february; mar march; apr april; jun june; jul july;
    aug august; sept september; sep september; oct october; okt october; nov november; dec december; des december;
    mandag monday; tirsdag tuesday; onsdag wednesday; torsdag thursday; fredag friday; lørdag saturday; søndag sunday;
    montag monday; dienstag tuesday; mittwoch wednesday; donnerstag thursday; freitag friday; samstag saturday;
    sonntag sunday
"""
for _line in _FOREIGN.split(";"):
    _here, _english = _line.split()
    FORMS[_here] = (_english,)
DATE_WORDS = frozenset((*MONTHS, *DAYS))

# What is told with a time of its own answers "when" and "how long" (English, Norwegian, German). With the mark that may
# follow it, so that splitting at blanks is enough: every message is looked through when it is taken in.
_TIMELY = f"""
    yesterday today tonight tomorrow week weeks weekend month months year years ago last next recently day days night
    morning since summer winter spring fall autumn januar februar mars mai juni juli oktober desember dezember märz
    mandag tirsdag onsdag torsdag fredag lørdag søndag montag dienstag mittwoch donnerstag freitag samstag sonntag går
    dag uke uka uken uker måned måneden måneder år siden forrige neste gestern heute morgen woche wochen monat monate
    jahr jahre letzte letzten letztes nächste nächsten nächstes seit {" ".join((*MONTHS, *DAYS))}
"""
TIMELY = frozenset(f"{word}{mark}" for word in _TIMELY.split() for mark in ("", ".", ",", "!", "?", ";", ":", ")"))
ASKS_WHEN = re.compile(
    r"\s*(?:when|how long|(?:what|which) (?:year|month|day|date|time|week)|når|hvor lenge|hvilke[nt]? (?:dag|dato|år|"
    r"uke|måned)|wann|wie lange|welche[rsmn]? (?:tag|datum|jahr|woche|monat))\b",
    re.IGNORECASE,
)

# What is asked for is a figure or a day (the same languages).
ASKS_FIGURE = re.compile(
    r"\b(?:how (?:much|many|long|old|often|high|big|far)|when|price|cost|rent|fee|budget|amount|rate|limit|deadline|"
    r"version|date|number|(?:what|which) (?:time|day|month|year)|hvor (?:mye|mange|lenge|gammel|ofte|høy|stor|langt)|"
    r"når|pris|koster|leie|avgift|budsjett|beløp|grense|frist|versjon|dato|antall|hvilke[nt]? (?:dag|dato|år|måned)|"
    r"wie ?(?:viele?|lange|oft|alt|hoch|weit)|wann|preis|kostet|kosten|miete|gebühr|betrag|grenze|datum|anzahl|"
    r"welche[rsmn]? (?:tag|monat|jahr))s?\b",
    re.IGNORECASE,
)
