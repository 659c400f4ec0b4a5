"""DOMAIN. How operators speak of the manner of an answer, in German; feedback_words tells how to read it."""

from __future__ import annotations

from adjutant.domain.behavior.feedback_words import (
    APOLOGY,
    DEMAND,
    KEEP,
    LENGTH,
    LESS,
    MILD,
    MORE,
    PRAISE,
    REPEAT,
    START,
    STOP,
    WISH,
    Language,
    Rule,
)

_RULES = (
    Rule(
        PRAISE,
        KEEP,
        "ich (?:liebe|mag|schätze)(?: wirklich| sehr)? (?:die|den|das|diese|dieses|deine|solche) "
        "(?P<n>{some})(?: .{{0,30}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:ich (?:mag|liebe|schätze)(?: es)?|mir gefällt|(?:es ist |sehr |wirklich )*(?:{good})),? "
        "(?:dass|wenn|wie) du (?P<v>.{{3,60}}(?:nennst|gibst|zeigst|schreibst|antwortest|fasst|erklärst|zitierst|"
        "angibst|stellst|beginnst|anfängst|hältst|verwendest|benutzt|bleibst|bist))",
        "kept",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:die |das |der |diese |dieses |deine |solche )?(?P<n>{some})(?: wie (?:diese[rs]?|hier|"
        "dort))? (?:ist|sind|war|waren|hilft|helfen|half|halfen) (?:wirklich |sehr |so |einfach |echt |ganz |"
        "total |mir )*(?:{good}|{useful})(?: .{{0,20}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:die |das |der |diese |dieses |deine |solche )?(?P<n>{n})(?: wie (?:diese[rs]?|hier|"
        "dort))? (?:ist|sind|war|waren|hilft|helfen|half|halfen) (?:wirklich |sehr |so |einfach |echt |ganz |"
        "total |mir )*(?:{useful})(?: .{{0,20}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:die |das |diese |dieses |deine )(?P<n>{n}) (?:ist|sind|war|waren) (?:wirklich |sehr |so "
        "|einfach |echt )*(?:{good}),? (?:bitte )?(?:genau )?so (?:weitermachen|weiter|beibehalten|lassen)",
        whole=True,
    ),
    Rule(
        PRAISE,
        KEEP,
        r"(?:kurze|knappe|prägnante) (?:{a})(?: wie diese[rs]?)? (?:ist|sind|waren|helfen) (?:\w+ "
        "){{0,3}}?(?:{good}|{useful})",
        "short",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:schön|angenehm|wunderbar|herrlich|so|gut und) (?:kurz|knapp)(?: und (?:knapp|bündig|"
        "klar|präzise|prägnant))?",
        "short",
        bare=True,
    ),
    Rule(PRAISE, KEEP, "kurz und (?:knapp|bündig|klar|präzise|prägnant|gut)", "short", bare=True),
    Rule(
        MILD,
        LESS,
        "(?:aber |ja |und )*(?:das|dies) hast du (?:mir )?(?:doch |ja )?(?:schon|bereits|gerade|eben|"
        "vorhin)(?: mal| einmal| zweimal| mehrmals)? (?:gesagt|erzählt|geschrieben|erwähnt|erklärt)(?: .{{0,15}})?",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:aber |ja |und )*(?:das|dies) (?:sagtest|sagst|erzähltest|schriebst) du (?:mir )?(?:doch |"
        "ja )?(?:schon|bereits|gerade|eben|vorhin)(?: .{{0,15}})?",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:aber |ja |und )*du hast (?:mir )?(?:das|dies|dasselbe) (?:doch |ja )?(?:schon|bereits|"
        "gerade|eben|vorhin)(?: mal| einmal| zweimal| mehrmals)? (?:gesagt|erzählt|geschrieben|erwähnt)(?: "
        ".{{0,15}})?",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:schon wieder|immer|wieder|immer wieder) (?:genau )?(?:dasselbe|das gleiche|die gleiche "
        "antwort|dieselbe antwort)",
        "repeat",
        bare=True,
        whole=True,
    ),
    Rule(MILD, LESS, "du wiederholst dich(?: .{{0,20}})?", "repeat"),
    Rule(
        DEMAND,
        STOP,
        "(?:hör|höre)(?: bitte)? auf,?(?: damit,?)? (?:dich|alles|das) (?:immer |ständig )?zu "
        "wiederholen(?: .{{0,20}})?",
        "repeat",
    ),
    Rule(DEMAND, STOP, "(?:bitte )?(?:wiederhole? dich nicht|keine wiederholungen)(?: .{{0,20}})?", "repeat"),
    Rule(
        MILD,
        LESS,
        "du entschuldigst dich (?:ständig|immer|dauernd|zu oft|jedes mal|zu viel|andauernd)(?: .{{0,10}})?",
        "sorry",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:hör|höre)(?: bitte)? auf,?(?: damit,?)? dich (?:immer |ständig )?zu entschuldigen(?: .{{0,20}})?",
        "sorry",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:du musst dich nicht|entschuldige dich nicht) (?:immer|ständig|jedes mal|dauernd)(?: entschuldigen)?",
        "sorry",
    ),
    Rule(DEMAND, STOP, "(?:bitte )?keine entschuldigungen(?: mehr)?", "sorry"),
    Rule(
        MILD,
        LESS,
        "(?:das|dies|es) (?:ist|war|wird|wurde) (?:mir |noch |wieder |immer |etwas |ein bisschen |"
        "viel |einfach |wirklich |leider )*zu (?P<too>{too})(?: für mich)?",
        bare=True,
    ),
    Rule(
        MILD,
        LESS,
        "(?:viel |noch |wieder |etwas |ein bisschen |immer noch )*zu (?P<too>{too})(?: für mich)?",
        bare=True,
    ),
    Rule(
        MILD,
        LESS,
        "(?:deine (?:letzte )?(?:{a})|die (?:letzte )?antwort|du) (?:ist|sind|war|waren|klingst|"
        "schreibst|antwortest|bist|werden|wird) (?:mir |noch |wieder |immer |oft |etwas |ein bisschen |viel |"
        "einfach |meist )*zu (?P<too>{too})(?: für mich)?",
    ),
    Rule(
        MILD,
        LESS,
        "(?:das (?:ist|sind) |du (?:benutzt|verwendest) )?(?:viel |einfach )*zu (?:viel|viele) "
        "(?P<n>{some})(?: für mich)?",
    ),
    Rule(MILD, LESS, "du (?:stellst|fragst) (?:mir )?(?:viel )?zu (?:viele fragen|viel)", "questions"),
    Rule(
        MILD,
        LESS,
        "(?:die|diese|deine) (?P<n>{some}) (?:sind|ist|nerven|nervt|stören|stört)(?: (?:zu viel|"
        "nervig|störend|unnötig|überflüssig))?",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:bitte |und |aber )*(?:keine|ohne|weg mit den|verzichte auf|lass(?: bitte)?|spar dir|"
        "spare dir|schluss mit den|genug)(?: die| den| das| diese)? (?P<n>{some})(?: mehr| weg| sein)*",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:bitte )?(?P<v>(?:frag|rat|rate|frage) nicht(?: mich)?(?: jedes mal| immer| ständig| "
        "dauernd)?(?: nach| zurück| herum)?)",
        "not",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:hör|höre)(?: bitte)? auf,? (?P<v>(?:mich .{{0,20}}zu (?:loben|fragen|belehren)|zu raten|"
        "nachzufragen|zurückzufragen|mir zu danken|.{{0,30}}zu erwähnen))",
        "kept",
    ),
    Rule(DEMAND, LESS, "(?:bitte )?weniger (?P<n>{some})"),
    Rule(DEMAND, STOP, "(?:bitte )?komm(?: bitte)?(?: gleich| direkt)? zum punkt|(?:bitte )?gleich zur sache", "intro"),
    Rule(
        PRAISE, KEEP, "ich (?:mag|liebe|schätze) (?:deine |die |solche |diese )?kurzen? (?:{a})(?: .{{0,20}})?", "short"
    ),
    Rule(MILD, LESS, "du (?:schreibst|redest|sagst|erzählst) (?:viel |einfach |immer )*zu viel", "long"),
    Rule(MILD, LESS, "du fragst (?:viel |immer )?zu oft(?: nach| zurück)?", "questions"),
    Rule(
        DEMAND,
        START,
        "(?:bitte |kannst du |könntest du )*(?:benutze?|verwende|nimm|nutze|antworte in|schreib in|"
        "schreibe in)(?: bitte)? (?:eine |einen |mehr )?(?P<n>{some})(?: benutzen| verwenden)?",
        bare=True,
        asked=True,
    ),
    Rule(DEMAND, MORE, "(?:bitte )?mehr (?P<n>{some})", bare=True),
    Rule(DEMAND, LESS, "(?:bitte )?weniger (?:text|worte|gerede)", "long", bare=True),
    Rule(
        MILD,
        STOP,
        "warum (?:wiederholst|fragst|erklärst|erwähnst) du (?:immer |ständig |jedes mal )(?P<v>.{{3,50}})",
        "kept",
        asked=True,
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:bitte )?(?:beginne?|fang|beende|starte)(?: bitte)? nicht (?P<v>(?:jede |jeden |immer "
        ")?(?:antwort|nachricht)(?:en)? mit .{{2,60}})",
        "kept",
    ),
    Rule(
        DEMAND,
        MORE,
        "(?:bitte )?(?:etwas |viel |ein bisschen |eine )?(?:kürzer|knapper|(?:kürzere|knappere) antwort(?:en)?)",
        "short",
        bare=True,
    ),
    Rule(
        DEMAND,
        MORE,
        "(?:bitte |kannst du |könntest du )*(?:fasse? dich|antworte|halte? (?:dich|es)|dich|"
        "schreib)(?: bitte)?(?: etwas)? (?:kurz|kürzer|knapp|knapper)(?: fassen| halten)?",
        "short",
        asked=True,
    ),
    Rule(
        DEMAND,
        MORE,
        "(?:bitte )?(?:etwas |ein bisschen )?mehr (?P<n>details|tiefe|kontext|beispiele|quellen|zahlen|hintergrund)",
        bare=True,
    ),
    Rule(DEMAND, STOP, "du (?:musst|brauchst) dich nicht (?:zu )?entschuldigen", "sorry", bare=True, whole=True),
    Rule(MILD, LESS, "warum (?:sind deine (?:{a})|bist du|schreibst du) (?:immer )?so (?P<too>{too})", asked=True),
    Rule(DEMAND, LESS, "(?:bitte )?(?:etwas |ein bisschen )?weniger (?P<too>{too})", bare=True),
    Rule(DEMAND, LESS, "(?:bitte )?sei nicht so (?P<too>{too})"),
    Rule(
        DEMAND,
        START,
        "(?:bitte |kannst du |könntest du )*(?P<v>(?:nenn|nenne|zeig|zeige|zitiere) deine quellen|"
        "antworte(?: mir)?(?: bitte)? (?:auf (?:{tongue})|in (?:stichpunkten|stichworten|(?:höchstens |maximal "
        r")?(?:\d|einem|zwei|drei|vier|fünf) (?:zeilen?|sätzen|satz|worten))))",
        asked=True,
    ),
    Rule(MILD, START, "auf (?P<v>{tongue})", "tongue", bare=True, whole=True),
    Rule(WISH, MORE, "(?:mir sind|ich hätte lieber|ich bevorzuge|lieber) (?P<n>{some})(?: lieber)?"),
    Rule(WISH, MORE, "(?:ich hätte lieber|ich bevorzuge) (?:kurze|kürzere|knappe) (?:{a})", "short"),
    Rule(
        DEMAND,
        STOP,
        "(?:bitte |kannst du |könntest du )*(?:lass|spar dir|keine|ohne|weg mit den)(?: bitte)? "
        "(?:die |den |das |diese )?(?:langen|ewigen|üblichen|ganzen) (?P<n>{some})(?: mehr| weg| weglassen)*",
        asked=True,
    ),
    Rule(MILD, LESS, "deine (?:{a}) sind (?:etwas |sehr |so |ziemlich |oft )+(?P<too>{too})"),
    Rule(DEMAND, LESS, "(?:bitte )?nicht so (?P<too>{too})", bare=True),
    Rule(
        MILD, LESS, "(?:das|dies|es) (?:ist|war|wird|wurde) schon wieder (?:viel |etwas )?zu (?P<too>{too})", bare=True
    ),
    Rule(PRAISE, KEEP, "(?:{good}|gute|schöne|tolle|prima) (?P<n>{some})", bare=True),
    Rule(MILD, LESS, "(?:das|dies) (?:weiß|wusste) ich (?:doch )?(?:schon|bereits)", "repeat", bare=True, whole=True),
)
WORDS = Language(
    sure={
        "list": "stichpunkte?n?|aufzählung(?:en)?|aufzählungszeichen|stichwort(?:e|en)?",
        "emoji": "emojis?|smileys?",
        "source": "quellen(?:angaben?)?|quellenangabe|belege|fußnoten",
        "link": "links?",
        "example": "beispiele",
        "detail": "details|einzelheiten",
        "summary": "zusammenfassung(?:en)?",
        "conclusion": "fazit|schlussfolgerung",
        "intro": "einleitung(?:en)?|vorrede|floskeln|füllwörter|höflichkeitsfloskeln",
        "disclaimer": "disclaimer|warnhinweise|vorbehalte",
        "jargon": "fachchinesisch|fachjargon|fachbegriffe|abkürzungen|fremdwörter|anglizismen",
        "bold": "fettdruck|fettschrift|formatierung(?:en)?",
        "exclamation": "ausrufezeichen",
        "compliment": "komplimente|schmeicheleien",
        "plain": "einfache (?:worte|sprache)|klartext",
        "heading": "überschriften|zwischenüberschriften",
        "humour": "witze|scherze",
    },
    open={
        "list": "listen?",
        "tabelle": "tabellen?",
        "number": "zahlen",
        "tone": "ton(?:fall)?|stil",
    },
    answer="antwort(?:en)?|nachrichten|texte|zusammenfassungen|erklärungen",
    good="perfekt|super|toll|klasse|großartig|prima|ideal|wunderbar|genau richtig|sehr gut|gut|spitze|hervorragend|"
    "fantastisch",
    useful="(?:(?:sehr |wirklich |super)?(?:hilfreich|nützlich|praktisch|übersichtlich|klar)|leichter zu lesen|gut "
    "zu lesen|mir sehr geholfen|sehr)",
    too={
        "lang": (LESS, "long"),
        "lange": (LESS, "long"),
        "ausführlich": (LESS, "long"),
        "langatmig": (LESS, "long"),
        "wortreich": (LESS, "long"),
        "viel text": (LESS, "long"),
        "viele worte": (LESS, "long"),
        "detailliert": (LESS, "detailed"),
        "kurz": (MORE, "detail"),
        "knapp": (MORE, "detail"),
        "vage": (LESS, "vague"),
        "allgemein": (LESS, "vague"),
        "ungenau": (LESS, "vague"),
        "förmlich": (LESS, "formal"),
        "formell": (LESS, "formal"),
        "steif": (LESS, "formal"),
        "locker": (LESS, "casual"),
        "technisch": (LESS, "technical"),
        "kompliziert": (LESS, "technical"),
    },
    said={
        "short": (LENGTH, "kurze Antworten"),
        "long": (LENGTH, "lange Antworten"),
        "detail": (LENGTH, "ausführliche Antworten"),
        "detailed": ("detail", "Details in Antworten"),
        "repeat": (REPEAT, "Wiederholungen"),
        "sorry": (APOLOGY, "Entschuldigungen"),
        "vague": ("vague", "vage Antworten"),
        "formal": ("formal", "förmlicher Ton"),
        "casual": ("casual", "lockerer Ton"),
        "technical": ("jargon", "technische Sprache"),
        "questions": ("question", "Rückfragen"),
        "intro": ("intro", "lange Einleitungen"),
        "kept": ("", "{}"),
        "not": ("", "{}"),
        "tongue": ("", "auf {} antworten"),
    },
    short="kurz|kurze|kürzer|kürzere|knapp|knappe|prägnante?",
    long="lang|lange|längere|ausführliche?|detaillierte?",
    head="(?:bitte|ok|okay|hallo|und|aber|also|ach|oh|nein|ja|hm+|ehrlich gesagt|danke|schön|gut|super|toll|prima|"
    "perfekt|eigentlich)[,!:]? ",
    tail=" (?:bitte|danke|ok|nächstes mal|beim nächsten mal|ab jetzt|jetzt|wieder|in zukunft|künftig)",
    reported=r"\b(?:sagt|sagte|erzählt|erzählte|schreibt|schrieb|meint|meinte|fragt|fragte|behauptet|findet|"
    r"beschwert)\b",
    others=r"\b(?:[Aa]n|[Ff]rag|[Rr]uf) (?!(?:Deutsch|Englisch|Stelle)\b)[A-ZÄÖÜ][a-zäöü]+",
    lasting="ab jetzt|von jetzt an|ab sofort|ab heute|in zukunft|künftig|zukünftig|nächstes mal|beim nächsten mal|"
    "immer|nie wieder|nie|niemals|jedes mal|stets",
    wanted="(?:ich (?:will|möchte|hätte gern(?:e)?|wünsche mir)(?:,? dass du)?|du (?:sollst|musst|kannst|solltest)|"
    "kannst du|könntest du|würdest du|bitte|einfach|und|aber)",
    never="keine?n?|nicht|nie wieder|nie|niemals|ohne|hör auf|lass|verzichte auf",
    not_me="(?:ich|wir|er|sie|es|man|der|die|das|den|dem|dieser|diese|dieses|mein|meine|unser|unsere|sein|seine|"
    r"ihr|ihre|ein|eine|wenn|falls|leute|alle|treffen|kommt|brauchen|kaufen|nehmen|öffnet|schließt)\b",
    verbs="(?:antworte(?:n)?|zitiere(?:n)?|fasse? zusammen|erkläre?n?|formuliere?n?|sprich|sag mir|zeig mir|gib "
    "mir|frag mich|warne mich|nenn(?:e)?(?: mich)?|erwähne|duzen|duze mich|siezen|sieze mich|schreib mir)",
    acts="(?:benutze?n?|verwende?n?|setze?n?|schreibe?n?|beginne?n?|anfangen|fang an|beende?n?|enden|füge?|"
    "hinzufügen|liste?n?|gib|geben|zeige?n?|angeben|sortiere?n?|runde?n?|stelle?n?|machen?|halte?n?|rate?n?)",
    places="(?:ersten?|letzten?) (?:zeile|satz|absatz)|ganz oben|am (?:anfang|ende)|(?:jede[rsn]?|alle) (?:pläne?|"
    r"antwort(?:en)?|nachricht(?:en)?|berichte?)|auf (?:deutsch|englisch|norwegisch)|metrisch\w*|vornamen?|"
    r"nachnamen?|empfehlung|fazit|ergebnis|stich(?:punkt|wort)\w*|zusammenfassung|quellen?|wenn du (?:es "
    r")?nicht weißt|wie sicher du bist|kurz\b|kürzer|tabellen?|einfache",
    articles="(?:die|der|das|den|dem|diese|dieses|deine|solche|alle|eine|einen|ein) ",
    vp="(?!)",
    tongue="deutsch|englisch|norwegisch",
    plural={
        "tabelle": "Tabellen",
        "liste": "Listen",
        "zusammenfassung": "Zusammenfassungen",
        "einleitung": "Einleitungen",
    },
    gerunds={},
    rules=_RULES,
)
