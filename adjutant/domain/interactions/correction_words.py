"""DOMAIN. How a correction begins, in English, Norwegian and German: a pattern a line, for where a clause begins."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

# What the patterns below have in common, by the names that stand for it there.
_PARTS = {
    "END": r"(?=\s*(?:[.,:;!]|$))",
    "MORE": "(?:also |still |just |simply |completely |totally |plain |clearly |quite |all |again |way )*",
    "MER": "(?:helt |jo |dessverre |fortsatt |faktisk |også |bare )*",
    "MEHR": "(?:leider |aber |so |doch |ja |immer noch |schon wieder |ganz |völlig |einfach )*",
    "THIS": "(?:that|this|it)",
    "IS": "(?:'s| is| was|'re| are| were)",
    "ISNT": "(?:(?:'s| is| was| are| were|) ?(?:not|isn'?t|wasn'?t|aren'?t))",
    "DONT": "(?:do ?n'?t|do not|does ?n'?t|does not|did ?n'?t|did not)",
    "FACT": "(?:the|that|this|those|these|your) (?:\\w+ )?xfact(?:form)?x",
    "SAK": "(?:den |det )?xfact(?:form)?x",
    "SACHE": "(?:der|die|das|deine?) (?:\\w+ )?xfact(?:form)?x",
    "FORM": "x(?:fact)?formx",
}
# What an answer is made of: of these nothing else can well be wrong.
_FACTS = """
    date dates day days month months year years hour hours weekday weekdays deadline amount amounts sum sums total
    totals figure figures number numbers price prices name names spelling address person persons reply summary list
    lists file files line lines link links currency unit units order quote quotes fact facts math maths calculation
    datoen datoene dagen dagene året årene tiden tidspunktet klokkeslettet fristen fristene beløpet beløpene summen
    tallet tallene prisen prisene navnet navnene adressen adressene svaret svarene listen lista filen fila filene
    linjen linja linjene valutaen rekkefølgen sitatet personen
    datum daten tag monat jahr uhrzeit zeit frist betrag beträge summe zahl zahlen preis preise name namen adresse
    antwort liste datei zeile währung reihenfolge person
"""
# How an answer is written.
_FORMS = """
    table tables list lists bullet bullets emoji emojis heading headings headline headlines summary summaries background
    jokes explanation explanations detail details introductions lectures apologies tabell tabeller lister punktlister
    emojier overskrifter bakgrunn bakgrunnen forklaring forklaringer detaljer tabellen listen aufzählungen überschriften
    hintergrund hintergründe erklärungen einzelheiten floskeln
"""
_ENGLISH = r"""
    (?:THIS|that one|your \w+|FACT)IS MORE(?:wrong|incorrect|false|mistaken|off|outdated)\b
    (?:THIS|FACT)ISNT MORE(?:right|correct|true|what i|how i|who i|the \w+ i)\b
    THIS (?:can'?t|cannot|can not) be (?:right|true|correct)
    THISIS (?:the )?(?:wrong|old|outdated)\b
    THISIS (?:a|about the) (?:different|other|question about)\b
    (?:those|these|FACT)IS (?:from |of )?last \w+
    THISIS (?:from )?last \w+'s
    THIS should (?:be|have been|say|read)\b(?! (?:fine|ok|okay|enough|easy|all|possible|good|it|great))
    THIS DONT (?:answer|help|say that|make sense)
    (?:this|that) is (?:now )?the \w+ time i
    [^.?!,]{1,40} DONT exist\b
    not what i\b
    not (?:true|correct|right)\b
    not (?:quite|exactly|really)(?=[,:.] \S)
    not (?:that|this|those) (?:one|ones|\w+),
    not (?:the |my |in |on |for )?[\w-]+(?: [\w-]+)?, (?:the|my|in|on|for|but) [^.?!,]{1,24}[.!]*$
    (?:wrong|incorrect|false)END
    wrong \w+END
    no such \w+\b
    there(?:'s| is| are| was| were) no such\b
    no (?:more )?FORM(?: please|,? i said)?[.!]*$
    you(?:'ve| have)? (?:got|get|have) (?:(?:that|it|this|them)(?: \w+)? wrong|the wrong)
    you(?:'re| are| were) (?:wrong|mistaken|mixing|confusing|inventing|making|repeating|ignoring|still)
    you(?:'ve| have)? (?:misunder|misread|mistook|misheard|forgot(?!ten about me)|left out|missed|mixed|confus|invented)
    you(?:'ve| have)? (?:made (?:that|it|this) up|ignored|skipped|repeated)
    you (?:DONT|have ?n'?t|have not|are ?n'?t) (?:answer|read|listen|look|understand|address|follow|mention|include)
    you DONT say wh
    you keep (?:giving|saying|telling|using|mixing|writing|sending|forgetting|calling|making|repeating|adding)
    (?:again you|you again)\b
    i meant\b
    i said\b[^.?!]{1,60}\bnot?\b(?! to\b)
    i said (?:no|without|only)\b(?! to\b)
    i (?:want(?:ed)?|need(?:ed)?|asked (?:you )?(?:for|about)|said)\b[^.?!]{1,60}, (?:not|no|without|rather than)\b
    i (?:want(?:ed)?|need(?:ed)?|asked (?:you )?(?:for|about)|said)\b[^.?!]{1,60}\bonly\b
    i wanted (?!to\b|you to know)
    i was (?:asking|talking) about\b
    i asked (?:you )?(?:who|when|what|where|which|how|why|whether|if)\b
    i(?:'ve| have)? (?:already )?(?:told|asked) you\b(?! (?:about|to remind))
    i(?:'ve| have)? (?:already |just )*(?:said|told you|explained|corrected) (?:THIS|so)\b(?! (?:to|in|at|with))
    i DONT (?:ask for|say|mean)\b
    i DONT (?:want|need|like) (?:\w+ ){0,2}FORM\b
    (?:as|like) i(?:'ve| have)? (?:already )?(?:said|told|wrote|written|mentioned|asked)
    for the (?:second|third|fourth|last|\w+th) time\b
    (?:DONT|never) (?:guess|invent|assume|make (?:things|stuff|it) up|call me)\b
    (?:DONT|never) (?:use|write|give me|send me) (?:\w+ )?FORM\b
    stop (?:inventing|guessing|making (?:things|stuff|it|that)|repeating|apologi|calling|using|writing|adding)
    stop (?:giving|telling|starting|ending|quoting|asking me)
    the other way a?round
    (?:way |far |much )?too (?:long|wordy|verbose|vague|detailed|formal)END
    (?:again|once more)(?=:)
    (?:check|look|count|try|think)(?: [^.?!,:]{1,30})? againEND
    read(?: [^.?!,:]{1,30})? again(?=[,:] )
    [\w' ]{1,30} never \w+(?: to| for)? (?:that|this|it|so)(?=\s*[.,;!]|$)
    [\w']{1,20} (?:does|do|did|is|was|has)(?:n'?t| not) [^.?!,]{1,40}, [\w']{1,20} (?:does|do|did|is|was|has)(?=[.!]*$)
"""
_NORWEGIAN = r"""
    (?:det|dette|SAK) (?:er|var|blir) MER(?:feil|galt|gal|gale|utdatert)\b(?! på)
    (?:det|SAK) (?:er|var) MERikke MER(?:riktig|rett|sant|korrekt|det jeg|slik jeg)
    (?:(?:det|SAK) )?stemmer MERikke
    ikke det jeg\b
    ikke den,
    ikke (?:helt|akkurat|riktig)(?=[,:.] \S)
    ikke gjett
    feilEND
    feil \w+END
    jeg mente\b
    jeg sa\b[^.?!]{1,60}\bikke\b
    jeg sa jo\b
    jeg (?:har |hadde )?(?:jo )?(?:spurte|spurt|ba|bedt|ville ha|vil ha|sa)\b[^.?!]{1,60}, (?:ikke|uten|bare)\b
    jeg spurte (?:om|etter) [^.?!,]{1,24}[.!]*$
    jeg (?:har|hadde) (?:jo |allerede |alt )?(?:sagt|bedt)\b(?! (?:til|ja|nei|fra))
    (?:jeg vil ikke ha|ingen) (?:\w+ )?FORM[.!]*$
    som (?:jeg (?:alt |allerede |har )*)?(?:sagt|sa)\b
    du (?:har )?(?:misforst|glemte|glemt|glemmer|tok feil|tar feil|bland|overså|oversett|hoppet|fant på|gjentar)
    du svar(?:er|te) (?:ikke|på noe annet|på feil)
    du (?:har|fikk) (?:feil|ikke (?:svart|lest|forstått))
    slutt (?:å|med å) (?:gjette|finne på|gjenta|bruke|kalle|skrive)
    (?:det|dette) (?:har|hadde) (?:vi|jeg) (?:aldri|ikke) \w+
    (?:vi|jeg) har aldri \w+ (?:det|dette)\b
    (?:altfor |for )(?:langt?|ordrikt?|vagt?|detaljert)END
    sjekk (?:det )?igjenEND
    igjen(?=:)
    omvendt\b
"""
_GERMAN = r"""
    (?:das|es|dies|SACHE) (?:ist|war|sind|waren) MEHR(?:falsch|veraltet)
    (?:das|es|dies|SACHE) (?:ist|war|sind|waren) MEHRnicht MEHR(?:richtig|korrekt|wahr|was ich|das,? was)
    (?:(?:das|SACHE) )?stimm(?:t|en) MEHRnicht
    falschEND
    falsche[rsn]? \w+END
    (?:das|danach|darum) hab(?:e|t)? ich (?:doch |gar |ja )?nicht (?:gefragt|gemeint|gesagt|gewollt|gebeten)
    ich meinte\b
    ich (?:sagte|wollte|will|brauche)\b[^.?!]{1,60}, (?:nicht|kein\w*|ohne|nur)\b
    ich sagte\b[^.?!]{1,60}\bnicht\b
    ich habe? (?:es )?(?:dir|doch|ja|bereits|schon) [^.?!,]{0,24}gesagt
    ich habe? (?:doch )?(?:nach|um) [^.?!,]{1,40} (?:gefragt|gebeten)
    wie (?:ich )?(?:schon |bereits )?(?:gesagt|sagte)
    du (?:hast|hattest) [^.?!]{0,40}(?:falsch|missverstanden|vergessen|verwechselt|übersehen|erfunden)
    du (?:hast|hattest) [^.?!]{0,40}nicht (?:gelesen|beantwortet|verstanden)
    du (?:irrst|verwechselst|liegst falsch|vergisst|wiederholst|antwortest)
    nicht (?:ganz|wahr|richtig|korrekt)(?=[,:.] \S)
    nicht (?:die|der|das|den),
    das beantwortet \w+ frage nicht
    (?:das|so) (?:haben|hatten|habe|hatte) (?:wir|ich) (?:nie|nicht|niemals) \w+
    hör auf zu \w+
    (?:ich will )?keine FORM[.!]*$
    (?:prüf|schau|lies) [^.?!,]{0,30}(?:noch ?mal|nochmals|erneut)END
    (?:nochmal|noch einmal)(?=:)
    (?:viel )?zu (?:lang|ausführlich|vage)END
    (?:umgekehrt|andersrum|andersherum)\b
"""
# These correct as questions.
_ASKED = r"""
    did ?n'?t i (?:ask|tell|say)
    how (?:often|many times) (?:do|must|did|have) i\b
    sa jeg ikke
    hvor (?:ofte|mange ganger) må jeg
    habe? ich (?:dir )?(?:das )?nicht (?:gesagt|gebeten)
    wie oft (?:muss|soll) ich
"""
# What follows a "no, …" that only declines, thanks, or puts off.
_DECLINING = r"""
    thanks? | thank you | cheers | problem | worr | need | rush | hurry | idea | more | nothing | none | never mind
    not (?:now|yet|today|necessary|needed|really|at all|that i)
    leave | let'?s | let it | keep | wait | skip | just | only if | later | maybe | don'?t | do not | please | go ahead
    i'?m (?:good|fine|ok|done) | i (?:don'?t|do not) (?:think|need|want|know)
    THIS(?:'s| is| was| will be|'ll be)? (?:all|fine|ok|okay|good|enough|it|great|everything)
    THIS(?:'s| is| was)? not (?:necessary|needed|urgent)
    takk | det (?:er|var|går) (?:greit|fint|bra|alt|ok|nok|helt) | det holder | ikke (?:nå|ennå|enda|i dag|nødvendig)
    ingen | ingenting | la\b | bare | vent | senere | kanskje | ikke gjør
    danke | das (?:war|ist|wär|reicht|passt)(?:'s| es| alles| gut| okay| ok| in ordnung| genug|\s*[.!]*$)
    schon gut | passt | alles gut | lass | (?:jetzt |heute |noch )?nicht (?:jetzt|heute|nötig|mehr)
    (?:noch|jetzt|heute) nicht | keine?\b | nichts | warte | später | erst\b | vielleicht
"""
_FILLING = r"""
    but | sorry | hm+ | well | actually | wait | hang on | oh | ah | uh | erm | okay | ok | yes | yeah | and | so
    please | i think | i believe | i'm afraid
    jeg tror | hæ | men | altså | beklager | vent | nja | jo | og | dessverre | egentlig
    ich glaube | hä | aber | also | äh | naja | ja | und | bitte | leider | tut mir leid | men | eigentlich
"""


def _written_out(lines: str) -> list[str]:
    for name in sorted(_PARTS, key=len, reverse=True):
        lines = lines.replace(name, _PARTS[name])
    return [line.strip() for line in lines.strip().split("\n")]


def _one_of(lines: list[str]) -> str:
    return f"(?:{'|'.join(lines)})"


def _listed(lines: str) -> list[str]:
    return [each.strip() for line in _written_out(lines) for each in line.split(" | ")]


_FACT, _FORM = frozenset(_FACTS.split()), frozenset(_FORMS.split())
_WORD = re.compile(r"[^\W\d_]{3,}")
_LANGUAGES = {"en": _ENGLISH, "nb": _NORWEGIAN, "de": _GERMAN}
CORRECTS_AS_QUESTION = re.compile(_one_of(_written_out(_ASKED)))
DECLINES = re.compile(_one_of(_listed(_DECLINING)))
FILLER = re.compile(rf"(?:{_one_of(_listed(_FILLING))}\b[,. ]*)+", re.IGNORECASE)
NO = re.compile(
    r"(?:no|nope|nah|nei|nein|nee)(?:[, ]+(?:no|nei|nein))*(?:[,.:!;]+|\s[-–—]|(?=\s+(?:i|it|it's|that|that's|this|you|"
    r"we|the|jeg|det|du|den|vi|ich|das|es|der|die|wir)\b))\s*(?=\S)"
)
ONLY_NO = re.compile(r"(?:no|nope|nah|nei|nein)[.!]*$")
# "Not Brandt!"; "…, not Monday".
NOT_THAT = re.compile(r"(?:not|ikke|nicht) (?:(?:the|den|det|der|die|das) )?([^\W_]\w{2,})[.!]*$", re.IGNORECASE)
CONTRAST = re.compile(
    r"(?:,| and| og| und) (?:not|ikke|nicht) (?:(?:the|a|in|on|at|to|by|from|den|det|på|i|til|der|die|das|am|im|an|"
    r"bei) )?([^\W_][\w.,:-]*)"
)
STATES = re.compile(
    r"(?:it|he|she|they|that|det|han|hun|den|es|er|sie|das)(?:'s| is| was| are| er| var| ist| war| sind| comes| kommer|"
    r" kommt)\b",
    re.IGNORECASE,
)


def begins(clauses: Iterable[str], language: str) -> bool:
    """Whether one of these clauses, written as `kinds` does, begins as a correction in a language ("": in any)."""
    patterns = [_patterns(each) for each in ([language] if language else _LANGUAGES)]
    return any(pattern.match(clause) for clause in clauses for pattern in patterns)


@lru_cache(maxsize=3)
def _patterns(language: str) -> re.Pattern[str]:
    """A millisecond or five, so only once it is needed."""
    return re.compile(_one_of(_written_out(_LANGUAGES[language])))


def kinds(text: str) -> str:
    """A text in small letters with the words for parts and forms of an answer as the patterns have them."""
    return _WORD.sub(_kind, text)


def _kind(word: re.Match[str]) -> str:
    kind = ("fact" if word[0] in _FACT else "") + ("form" if word[0] in _FORM else "")
    return f"x{kind}x" if kind else word[0]
