"""DOMAIN. How operators speak of the manner of an answer, in Norwegian; feedback_words tells how to read it."""

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
    Language,
    Rule,
)

_RULES = (
    Rule(
        PRAISE,
        KEEP,
        "(?:jeg )?(?:virkelig )?(?:elsker|liker|likte|setter pris på|digger)(?: virkelig| veldig "
        "godt| godt)? (?:den|det|de|disse|denne|dette|slike|sånne)? ?(?P<n>{some})(?: .{{0,40}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:jeg )?(?:elsker|liker|likte|setter pris på)(?: det)?(?: godt)? (?:at|når|hvordan) du (?P<v>{vp}.{{3,80}})",
    ),
    Rule(PRAISE, KEEP, "(?:det er |det var |så )?(?:{good}) at du (?P<v>{vp}.{{3,80}})"),
    Rule(
        PRAISE,
        KEEP,
        "(?:den |det |de |disse |denne |dette )?(?P<n>{some})(?: som (?:dette|denne|disse))? (?:er|"
        "var|fungerer|fungerte|hjelper|hjalp) (?:veldig |så |bare |helt |virkelig )*(?:{good}|{useful})(?: "
        ".{{0,20}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:den |det |de |disse |denne |dette )?(?P<n>{n})(?: som (?:dette|denne|disse))? (?:er|var|"
        "fungerer|fungerte|hjelper|hjalp) (?:veldig |så |bare |helt |virkelig )*(?:{useful})(?: .{{0,20}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:korte|knappe|konsise) (?:{a})(?: som (?:dette|denne|disse))? (?:er|var|fungerer) "
        r"(?:\w+ ){{0,3}}?(?:{good}|{useful})",
        "short",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:deilig|herlig|fint|godt|passe|passelig|befriende|kjempefint|så) (?:og )?kort(?: og "
        "(?:konsist?|presist?|klart?|greit?|godt?|tydelig))?",
        "short",
        bare=True,
    ),
    Rule(PRAISE, KEEP, "(?:kort og (?:godt|konsist|presist|greit|klart|tydelig))", "short", bare=True),
    Rule(
        MILD,
        LESS,
        "(?:men |ja |og )*(?:det|dette) (?:har du|sa du|fortalte du(?: meg)?|skrev du|nevnte du)(?: "
        "meg)?(?: alt| allerede| nettopp| jo)*(?: sagt| fortalt(?: meg)?| skrevet| nevnt)?(?: allerede| alt| før| "
        "i sted| tidligere| i går| nettopp| to ganger| flere ganger)+",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:men |ja |og )*(?:det|dette) har du (?:jo )?(?:allerede|alt|nettopp) (?:sagt|fortalt meg|skrevet|nevnt)",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:men |ja |og )*du (?:har )?(?:jo )?(?:allerede|alt|nettopp) (?:sagt|sa|fortalt meg|nevnt|"
        "skrevet) (?:det|dette|det samme)(?: .{{0,20}})?",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:men |ja |og )*du (?:har )?(?:sagt|sa|fortalt meg|nevnte|nevnt) (?:det|dette|det samme)(?: "
        "allerede| alt| før| i sted| tidligere| nettopp| flere ganger| i går)+",
        "repeat",
    ),
    Rule(MILD, LESS, "(?:igjen|alltid),? (?:nøyaktig )?det samme(?: svaret)?", "repeat", bare=True, whole=True),
    Rule(MILD, LESS, "(?:det )?samme svaret? (?:igjen|som (?:sist|før|i går))", "repeat", bare=True, whole=True),
    Rule(MILD, LESS, "du (?:bare |alltid |stadig )?gjentar deg(?: selv)?(?: .{{0,20}})?", "repeat"),
    Rule(
        DEMAND,
        STOP,
        "(?:slutt|stopp) (?:med )?å (?:gjenta(?: deg(?: selv)?| det samme| alt)?|si det samme)(?: .{{0,20}})?",
        "repeat",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:ikke gjenta|du trenger ikke (?:å )?gjenta) (?:deg(?: selv)?|det samme|alt|det|"
        "spørsmålet mitt)(?: .{{0,20}})?",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "du (?:beklager|unnskylder(?: deg)?|sier unnskyld|sier beklager) (?:hele tiden|for mye|alltid|"
        "stadig|hver gang|så mye|konstant)",
        "sorry",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:slutt|stopp) (?:med )?å (?:beklage|unnskylde|si unnskyld|si beklager)(?: deg)?(?: .{{0,30}})?",
        "sorry",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:du trenger ikke|ikke|ingen grunn til å) (?:å )?(?:beklage?|unnskylde?|si unnskyld)(?: "
        "deg)? (?:hele tiden|hver gang|så mye|alltid)",
        "sorry",
    ),
    Rule(
        MILD,
        LESS,
        "(?:det|dette) (?:er|var|ble) (?:litt |altfor |alt |veldig |fortsatt |igjen |mye |rett og "
        "slett )*(?:for |altfor )(?P<too>{too})(?: svar)?(?: igjen| for meg)*",
        bare=True,
    ),
    Rule(
        MILD, LESS, "(?:litt |alt |mye |fortsatt |igjen )*(?:altfor|for) (?P<too>{too})(?: igjen| for meg)*", bare=True
    ),
    Rule(
        MILD,
        LESS,
        "(?:svar(?:et|ene)?(?: dine| ditt)?|meldingene dine|forklaringene? dine?|oppsummeringene? "
        "dine?|du) (?:er|var|ble|blir|skriver|høres|virker) (?:litt |alt |mye |fortsatt |igjen |ofte |alltid "
        ")*(?:altfor|for) (?P<too>{too})(?: igjen| for meg| ut)*",
    ),
    Rule(MILD, LESS, "(?:det er |du bruker )?(?:litt |alt )?(?:for|altfor) (?:mye|mange) (?P<n>{some})(?: for meg)?"),
    Rule(MILD, LESS, "du (?:spør|stiller) (?:meg )?(?:om )?(?:for|altfor) (?:mye|mange spørsmål)", "questions"),
    Rule(
        MILD,
        LESS,
        "(?:de |alle )?(?P<n>{some}) (?:er|blir) (?:litt |bare |veldig |så )*(?:for mye|irriterende|"
        "unødvendige?|forstyrrende|plagsomt?)",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:vær så snill å |kan du |bare |vennligst )*(?:dropp|dropp alle|kutt(?: ut)?|slutt med|"
        "hopp over|la være med|unngå|spar meg for|ikke bruk|ikke ha|ingen flere|ikke flere|jeg trenger ikke|nok) "
        "(?:de |den |det |alle |alle de |disse |noen |flere |å bruke )*(?P<n>{some})(?: hver gang| hele tiden| "
        "alltid)*",
        asked=True,
    ),
    Rule(DEMAND, STOP, "(?:og |men )*(?:ingen|uten) (?P<n>{some})"),
    Rule(
        DEMAND,
        STOP,
        "(?:slutt|stopp) (?:med )?å (?P<v>(?:spørre(?: meg)? (?:hver|om|hele)|nevne|forklare|kalle "
        r"meg|takke|skryte|rose|gjette|anta|oppsummere|oversette|bruke (?:{some}))(?! det\b).{{0,60}})",
        "inf",
    ),
    Rule(
        DEMAND,
        STOP,
        "ikke (?P<v>(?:gjett|anta noe|spør(?: meg)? (?:hver gang|hele tiden|om alt|tilbake)|smisk|"
        "skryt av meg))(?: .{{0,15}})?",
        "kept",
    ),
    Rule(DEMAND, LESS, "(?:færre|mindre) (?P<n>{some})"),
    Rule(DEMAND, STOP, "(?:bare )?kom (?:rett )?til (?:poenget|saken)", "intro"),
    Rule(PRAISE, KEEP, "(?:jeg )?(?:elsker|liker|likte|setter pris på) (?:de |dine )?korte (?:{a})(?: dine)?", "short"),
    Rule(
        PRAISE,
        KEEP,
        "jeg (?:elsker|liker|likte|setter pris på) at du (?:svarer|er|skriver|holder deg|fatter "
        "deg) (?:så )?kort(?:fattet)?",
        "short",
    ),
    Rule(
        MILD,
        LESS,
        "du (?:skriver|snakker|sier|forteller) (?:alt |altfor |litt )?for mye|du (?:skriver|snakker) altfor mye",
        "long",
    ),
    Rule(MILD, LESS, "du spør (?:meg )?(?:alt )?(?:for|altfor) (?:ofte|mye)", "questions"),
    Rule(
        DEMAND,
        START,
        "(?:vær så snill å |kan du |bare )*(?:bruk(?:e)?|skriv(?:e)? med|svar(?:e)? med) (?:en |ei "
        "|flere |litt flere )?(?P<n>{some})",
        bare=True,
        asked=True,
    ),
    Rule(DEMAND, MORE, "flere (?P<n>{some})", bare=True),
    Rule(DEMAND, LESS, "mindre (?:tekst|prat|ord)", "long", bare=True),
    Rule(
        DEMAND,
        STOP,
        "(?:slutt å|ikke) (?P<v>(?:start|starte|begynn|begynne|avslutt|avslutte) (?:hvert |alle |"
        "hver )?(?:{a}|svar|melding)(?:er|ene)? med .{{2,60}})",
        "kept",
    ),
    Rule(
        MILD,
        STOP,
        "hvorfor (?:gjentar|spør|forklarer|nevner) du (?:alltid |stadig )(?P<v>.{{3,50}})",
        "kept",
        asked=True,
    ),
    Rule(DEMAND, MORE, "(?:et )?(?:litt |mye )?(?:kortere|knappere|mer konsist?)(?: svar)?", "short", bare=True),
    Rule(
        DEMAND,
        MORE,
        "(?:kan du |kunne du |vær så snill å |prøv å )*(?:holde?|hold|svare?|skrive?|vær|være)(?: "
        "det| deg| svarene)?(?: litt)? (?:kort|kortere|kortfattet|mer kortfattet)",
        "short",
        asked=True,
    ),
    Rule(
        DEMAND,
        MORE,
        "(?:litt |mye )?(?:mer|flere) (?P<n>detaljer|dybde|kontekst|forklaring|eksempler|kilder|tall|bakgrunn)",
        bare=True,
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:ingen grunn til|du trenger ikke) å (?:beklage|unnskylde deg|si unnskyld)",
        "sorry",
        bare=True,
        whole=True,
    ),
    Rule(MILD, LESS, "hvorfor er (?:svarene dine|du) (?:alltid )?så (?P<too>{too})", asked=True),
    Rule(DEMAND, LESS, "(?:vær (?:litt )?)?mindre (?P<too>{too})", bare=True),
    Rule(DEMAND, LESS, "ikke vær så (?P<too>{too})"),
    Rule(
        DEMAND,
        START,
        "(?:vær så snill å |kan du |vennligst )*(?P<v>(?:oppgi|nevn|vis|siter) kildene? dine?|"
        r"svar(?:e)?(?: meg)? (?:på (?:{tongue})|med (?:punktlister|en tabell|(?:maks |høyst )?(?:\d|én|en|to|tre|"
        "fire|fem) (?:linjer?|setninger?|ord))))",
        asked=True,
    ),
    Rule(MILD, START, "på (?P<v>{tongue})", "tongue", bare=True, whole=True),
    Rule(DEMAND, MORE, "jeg (?:foretrekker|vil heller ha) (?P<n>{some})"),
    Rule(DEMAND, MORE, "jeg (?:foretrekker|vil heller ha) korte (?:{a})", "short"),
    Rule(
        DEMAND,
        STOP,
        "(?:vær så snill å |kan du |bare |vennligst )*(?:dropp|droppe|kutt|kutte|kutt ut|slutt med|"
        "hopp over|spar meg for|ikke flere|jeg trenger ikke) (?:de |den |det |alle |disse )*(?:lange|evige|samme|"
        "vanlige|daglige) (?P<n>{some})(?: hver gang| hele tiden| alltid)*",
        asked=True,
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:kan du |kunne du |vil du )(?:droppe|kutte(?: ut)?|slutte med|hoppe over|la være med|"
        "unngå) (?:de |den |det |alle )*(?P<n>{some})",
        asked=True,
    ),
    Rule(MILD, LESS, "svarene dine er (?:litt |veldig |så |ganske |ofte )+(?P<too>{too})"),
    Rule(DEMAND, LESS, "ikke så (?P<too>{too})", bare=True),
    Rule(PRAISE, KEEP, "(?:{good}) med (?P<n>{some})", bare=True),
    Rule(DEMAND, LESS, "ikke så (?P<too>{too}) (?:{a})"),
    Rule(DEMAND, LESS, "(?:bruk )?færre ord", "long", bare=True),
    Rule(
        MILD,
        LESS,
        "(?:det|dette) (?:vet|visste) jeg (?:allerede|alt|fra før|jo)(?: fra før)?",
        "repeat",
        bare=True,
        whole=True,
    ),
)
WORDS = Language(
    sure={
        "list": "punktlist(?:e|a|en|er|ene)|kulepunkt(?:er|ene)?|punktene|nummererte lister",
        "emoji": "emoji(?:er|ene|en|s)?|smilefjes(?:ene)?|smileys?",
        "source": "kilde(?:r|ne|n)?|kildehenvisning(?:er|en|ene)?|referanser",
        "link": "lenke(?:r|ne|n)?",
        "example": "eksempler|eksemplene",
        "detail": "detaljer",
        "summary": "oppsummering(?:en|er|ene)?|sammendrag(?:et|ene)?",
        "conclusion": "konklusjon(?:en|er)?",
        "intro": "innledning(?:er|en|ene)?|småprat(?:en)?|fyllord|høflighetsfraser",
        "disclaimer": "forbehold(?:et|ene)?|advarsler|advarslene",
        "jargon": "fagspråk|sjargong|forkortelser|fremmedord|faguttrykk",
        "bold": "fet skrift|uthevinger|formatering(?:en)?",
        "exclamation": "utropstegn(?:ene)?",
        "compliment": "komplimenter|skryt|smiger",
        "plain": "enkle ord|klart språk|vanlig norsk",
        "heading": "overskrifter|overskriftene|mellomtitler",
        "humour": "vitser|humor",
        "tabell": "tabeller",
    },
    open={
        "list": "liste(?:n|r|ne)?",
        "tabell": "tabell(?:en|er|ene)?",
        "number": "tall(?:ene)?",
        "tone": "tone(?:n)?",
    },
    answer="svar(?:ene|et)?|meldinger|meldingene|forklaringer|oppsummeringer",
    good="perfekt|bra|flott|fint|supert?|genialt?|topp|utmerket|kjempebra|veldig bra|helt riktig|herlig|knallbra|"
    "nydelig|kjempefint|strålende",
    useful="(?:(?:kjempe|veldig |super)?nyttige?|til (?:stor |god )?hjelp|hjelpsomt?|lett å lese|lettere å lese|"
    "oversiktlige?|praktiske?|tydelige?|mye)",
    too={
        "lang": (LESS, "long"),
        "langt": (LESS, "long"),
        "lange": (LESS, "long"),
        "ordrik": (LESS, "long"),
        "ordrikt": (LESS, "long"),
        "mye tekst": (LESS, "long"),
        "mange ord": (LESS, "long"),
        "omstendelig": (LESS, "long"),
        "detaljert": (LESS, "detailed"),
        "detaljerte": (LESS, "detailed"),
        "kort": (MORE, "detail"),
        "korte": (MORE, "detail"),
        "knapt": (MORE, "detail"),
        "vagt": (LESS, "vague"),
        "vage": (LESS, "vague"),
        "generelt": (LESS, "vague"),
        "generelle": (LESS, "vague"),
        "formell": (LESS, "formal"),
        "formelt": (LESS, "formal"),
        "høytidelig": (LESS, "formal"),
        "stivt": (LESS, "formal"),
        "teknisk": (LESS, "technical"),
        "tekniske": (LESS, "technical"),
        "komplisert": (LESS, "technical"),
    },
    said={
        "short": (LENGTH, "korte svar"),
        "long": (LENGTH, "lange svar"),
        "detail": (LENGTH, "utfyllende svar"),
        "detailed": ("detail", "detaljer i svarene"),
        "repeat": (REPEAT, "å gjenta deg selv"),
        "sorry": (APOLOGY, "å beklage"),
        "vague": ("vague", "vage svar"),
        "formal": ("formal", "formell tone"),
        "technical": ("jargon", "teknisk språk"),
        "questions": ("question", "å spørre tilbake"),
        "intro": ("intro", "lange innledninger"),
        "kept": ("", "{}"),
        "inf": ("", "å {}"),
        "tongue": ("", "svar på {}"),
    },
    short="kort|korte|kortere|konsise?|konsist|kortfattede?",
    long="lang|lange|lengre|ordrike?|utfyllende|detaljerte?",
    head="(?:vær så snill|vennligst|ok|hei|og|men|så|å|nei|ja|hm+|ærlig talt|beklager|takk|fint|bra|flott|perfekt|"
    "kult|egentlig|akkurat)[,!:]? ",
    tail=" (?:takk|er du snill|vær så snill|ok|neste gang|fra nå av|nå|igjen|da|heretter|i fremtiden)",
    reported=r"\b(?:sier|sa|fortalte|forteller|skrev|skriver|mener|mente|spurte|påstår|klaget|klager)\b",
    others=r"\b(?:til|for|spør|ring) (?!(?:Norsk|Engelsk)\b)[A-ZÆØÅ][a-zæøå]+",
    lasting="fra nå av|fra i dag(?: av)?|heretter|i fremtiden|fremover|neste gang|alltid|aldri|hver gang|som regel",
    wanted="(?:jeg (?:vil|ønsker|skulle ønske|vil gjerne)(?: alltid)? (?:at du|ha|du skal)|du (?:skal|må|bør|kan)|"
    "kan du|kunne du|vil du|vær så snill å|vennligst|husk å|prøv å|bare|og|men|vil jeg (?:gjerne )?(?:ha|at "
    "du (?:skal)?))",
    never="ikke|aldri|ingen|uten|slutt å|slutt med|unngå|dropp|hopp over",
    not_me="(?:jeg|vi|han|hun|de|det|den|dette|min|mitt|mine|vår|vårt|hans|hennes|en|et|hvis|når|man|folk|alle|"
    r"noen|stenger|åpner|er|har|tar|kjøper)\b",
    verbs="svare?|siter|sitere|oppsummere?|forklare?|formulere?|snakke?|tiltale? meg|fortell(?:e)? meg|vise? meg|"
    "gi meg|spørr?e? meg|advare? meg|kalle? meg|oppgi|nevne?|si fra|skrive? til meg|du(?:e|s)? meg",
    acts="bruke?|sette?|legg(?:e)?|ta med|tar med|ha|hold(?:e)?|start(?:e)?|begynn(?:e)?|avslutte?|skrive?|"
    "list(?:e)?|gi|gir|vise?|rund(?:e)? av|sorter(?:e)?|sette? opp|gjette?|anta",
    places="(?:første|siste|øverste) (?:linjen?|setningen?|avsnittet?)|øverst|nederst|til slutt|(?:hver|alle) "
    "(?:plan(?:er)?|svar|melding(?:er)?|rapport(?:er)?)|på (?:norsk|engelsk|tysk|bokmål|nynorsk|svensk|"
    "dansk)|metriske?|fornavn|etternavn|anbefaling|svaret|konklusjonen|datoer|når du ikke vet|hvor sikker "
    r"du er|antar|kort\b|kortere|enkelt språk|punktlister|oppsummering|tabeller|kilder?",
    articles="(?:den|det|de|en|ei|et|disse|denne|dette|alle|noen|dine|slike|sånne) ",
    vp="(?:setter|satte|gir|ga|nevner|nevnte|lister|svarer|svarte|holder|holdt|bruker|brukte|spør|spurte|begynner|"
    "begynte|avslutter|siterer|forklarer|forklarte|viser|viste|skriver|skrev|sier|oppsummerer|lenker|tar med|"
    r"tok med|oppgir|oppga)\b",
    tongue="norsk|engelsk|tysk|svensk|dansk|bokmål|nynorsk",
    plural={
        "tabell": "tabeller",
        "tabellen": "tabeller",
        "liste": "lister",
        "listen": "lister",
        "lista": "lister",
        "punktlisten": "punktlister",
        "punktliste": "punktlister",
        "punktlista": "punktlister",
        "oppsummeringen": "oppsummeringer",
        "kildene": "kilder",
        "emojiene": "emojier",
        "eksemplene": "eksempler",
        "lenkene": "lenker",
        "overskriftene": "overskrifter",
        "innledningen": "innledninger",
    },
    gerunds={
        "gjett": "å gjette",
        "anta": "å anta",
        "spør": "å spørre",
        "bruk": "å bruke",
        "kall": "å kalle",
        "smisk": "å smiske",
        "skryt": "å skryte",
        "svar": "å svare",
        "skriv": "å skrive",
        "nevn": "å nevne",
        "forklar": "å forklare",
        "si": "å si",
        "gi": "å gi",
        "start": "å starte",
        "begynn": "å begynne",
        "avslutt": "å avslutte",
        "oppsummer": "å oppsummere",
    },
    rules=_RULES,
)
