"""SCREENING. Norwegian phrases that address a model or its rules, and what they demand of it."""

from __future__ import annotations

from adjutant.screening.phrases.book import BREAK, START, Phrases, any_of, family, gap

_MODEL = any_of(
    r"""
    ki(?:-?en)? | ai(?:-?en)? | kunstig intelligens | (?:store )?språkmodell(?:en|er|ene)? | llm(?:-?en|-?er)?
    chat-?bot(?:en|ten|er|ter)? | chatgpt
    samtalerobot(?:en|er)? | (?:ki|ai|llm|språk)-?(?:assistent|agent|modell|system|robot|bot|verktøy|leser)\w*
    (?:virtuelle?|digitale?|automatiske?) (?:assistent|agent|leser)\w*
    """
)
_ANYONE = (
    rf"(?:{_MODEL}|assistent(?:en|er|ene)?|agent(?:en|er|ene)?|modell(?:en|er|ene)?|bot(?:en|ten)?"
    rf"|robot(?:en|er)?|adjutant(?:en)?|claude|copilot|system(?:et)?|system(?:melding|instruks|beskjed"
    rf"|varsel|prompt)(?:en)?)"
)
_WHICH = "(?:alle |enhver |den |det |denne |dette |en |ei |et |hver |min |vår |din |kjære )?"
_AFTER = (
    rf"(?=\s?(?:[,:)\]}}>—–{BREAK}]|$)| -+ | (?:som|du|dere|må|skal|bør|vennligst|ignorer|glem|(?:og"
    rf"|eller) (?:alle|andre|ki|ai|språk|agent|assistent))\b)"
)
_SET_ASIDE = any_of(
    r"""
    ignorer(?:e|er|es|te)? | se (?:bort|vekk) (?:i )?fra | (?:å )?overse
    (?<!ikke )glem(?:me)?(?! ikke)(?: bort)? | overstyr(?:e|er)? | tilsidesett(?:e|er)?
    hopp(?:e)? over | forkast(?:e|er)? | omgå(?:r)? | bryt(?:e|er)?
    ikke (?:lenger )?(?:følg|adlyd|bry deg om|rett deg etter)(?:e|er)?
    følg(?:e)? ikke | slutt(?:e)? å (?:følge|adlyde|bruke) | bry deg ikke om | sett(?:e)? til side
    opphev(?:e|er)? | kast(?:e)? (?:ut|bort)
    """
)
_EARLIER = any_of(
    "tidligere | forrige | foregående | ovenstående | ovennevnte | opprinnelige | eksisterende | gjeldende "
    "| gamle | andre | øvrige"
    " | systemets | operatørens | utviklerens | utviklernes | skjulte | nåværende | overordnede"
)
_RULES = any_of(
    "instruks(?:en|er|ene|jon|jonen|joner|jonene)? | instruksjons\\w* | ledetekst\\w* | system-?prompt\\w* "
    "| prompt(?:en|er|ene)?"
    " | system-?(?:melding|instruks|beskjed)\\w* | retningslinje\\w* | direktiv\\w* | føring(?:er|ene|a)? "
    "| rettleiing\\w*"
)
_LOOSE_RULES = (
    "(?:regel|regler|reglene|reglane|begrensning\\w*|restriksjon\\w*|sikkerhets\\w+|kontekst(?:en)?"
    "|ordre(?:r|ne)?|programmering\\w*|opplæring\\w*)"
)
_ELSEWHERE = (
    r"(?! (?:fra|for|om|på|til|i|ved|angående|av) (?!(?:deg|brukeren|systemet|operatøren|utvikler\w*|nå"
    r"|og med|stedet|prompten|alt)\b))"
)
_TELL = (
    "(?:varsle?|fortell(?:e)?|si(?:e)?|nevn(?:e)?|informer(?:e)?|meld(?:e)?|rapporter(?:e)?|gi beskjed"
    "|opplys(?:e)?|flagg(?:e)?|eskaler(?:e)?|vis(?:e)?|ta med)"
)
_VERDICT = (
    "(?:løst|ferdig|fullført|lav|lavt|kritisk|uviktig|ubetydelig|trygg|trygt|godkjent|ufarlig|høy|høyt|ok"
    "|lukket|irrelevant|ingenting|hastesak|haster)"
)
_JUDGE = "(?:marker|merk|klassifiser|behandle?|ranger|rapporter|vurder|sett|regn|anse|oppgi|erklær)(?:e|es)?"
_MUST = (
    "(?:må|skal|bør|kan nå|er (?:pålagt|nødt til|forpliktet til) å|vennligst|plikter å)(?: (?:nå|også|bare"
    "|kun|alltid|umiddelbart|straks|heretter))*"
)
_BIDS = rf"{_WHICH}{_ANYONE}(?: som leser \w+)?,? {_MUST}"
_ORDER = any_of(
    rf"""
    (?:ignorer|se bort fra|glem|overstyr){gap(3)}(?:alle?|alt|tidligere|resten|andre|\w*instruks\w*|regle\w*
    + |prioritet\w*|prioritering\w*|frist\w*|operatør\w*|linje\w*|fil\w*|notat\w*|ovenfor|alvorlighet\w*)
    lat som | avslør | adlyd | du (?:må|skal|er nå) | ikke {_TELL} | {_TELL} ikke | fra nå av
    {_JUDGE}{gap(5)}{_VERDICT} | (?:svar|skriv|si)(?: bare| kun| nøyaktig)? (?:med|at|bare|kun)
    """
)
_DIN = r"(?:din|di|dine|ditt|deres)"
_NAMES = (
    "=ki|=ai|språkmodell|=llm|llm-|chatbot|chat-bot|chatgpt|kunstig intelligens|samtalerobot|assistent|agent"
    "|=modell|=modellen|=bot|=boten|robot|adjutant|claude|copilot|=system|=systemet|systemm|systemi|systemb"
    "|systemv|systemp|ki-|ai-"
)

_OVERRIDE = family(
    "sets the rules aside",
    (
        "ignor|bort fra|vekk fra|bort ifra|bort i fra|overse|glem|overstyr|tilside|hopp|forkast|omgå|bryt"
        "|følg|adlyd|bry deg|rett deg|til side|opphev|kast|erstatt|overgår|gjelder ikke|utgår|ugyldig",
        "instru|ledetekst|prompt|systemm|retningslinj|direktiv|føring|regel|regl|begrensning|restriksj"
        "|sikkerhet|kontekst|ordre|alt|rettlei|program|opplæring",
    ),
    rf"""
    & {gap(4)}{_EARLIER}{gap(2)}{_RULES}\b{_ELSEWHERE}
    & {gap(2)}(?:alle?|dine|samtlige){gap(2)}(?:{_EARLIER}{gap(2)})?(?:{_RULES})\b{_ELSEWHERE}
    & {gap(2)}(?:alle?|de|dine|samtlige){gap(2)}(?:{_EARLIER}{gap(2)})(?:{_RULES}
    + |{_LOOSE_RULES})\b{_ELSEWHERE}
    & {gap(3)}(?:{_RULES}|{_LOOSE_RULES}) (?:{_DIN}|ovenfor|over|du har (?:fått|blitt)|du fikk|som du
    + |du ble gitt|hittil)\b
    & {gap(3)}dine{gap(2)}(?:{_RULES}|{_LOOSE_RULES})\b
    & {gap(2)}alt(?: det)?(?: som)?(?: (?:står|er|ble|du|har|fikk|sagt|skrevet|lært|fått))*(?: (?:ovenfor|over
    + |før dette|hittil|tidligere|har lært|har fått beskjed om|ble fortalt|vet))\s?(?=[,:{BREAK}—–-]|$|og\b)
    \b(?:dette|disse|følgende|nye|mine){gap(3)}(?:overstyrer|erstatter|opphever|går foran
    + |overgår){gap(3)}(?:{_DIN}|alle|system\w*){gap(2)}(?:{_RULES}|{_LOOSE_RULES})\b
    \b(?:dine{gap(2)}(?:tidligere|opprinnelige|forrige|gamle){gap(1)}(?:{_RULES}|reglene?|regler)
    + |alle{gap(2)}(?:tidligere|forrige){gap(1)}{_RULES}) (?:gjelder ikke|er (?:nå )?(?:opphevet|ugyldige?
    + |erstattet|slettet|kansellert)|utgår)\b
    """,
    head=_SET_ASIDE,
)
_REVEAL = family(
    "asks for the rules or secrets",
    (
        "avslør|vis|skriv|gjenta|gjengi|oppgi|del|send|lekk|røp|fortell|gi|kopier|ramse",
        "prompt|ledetekst|instru|hemmelig|passord|nøk|regl|systemm",
    ),
    rf"""
    \b(?:avslør|vis|skriv(?: ut| ned)?|gjenta|gjengi|oppgi|del|send|lekk|røp|fortell|kopier)(?:e
    + |er)?{gap(3)}(?:system-?prompt\w*|ledetekst\w*|systeminstruks\w*|systemmelding\w*
    + |skjulte instruks\w*)(?: (?:din|ordrett|i sin helhet|nå))?\s?(?=[,:{BREAK}—–-]|$|og\b|til (?:meg|https?
    + |\S{{1,40}}@)|ordrett)
    \b(?:avslør|gjenta|gjengi|røp|lekk|skriv ut)(?:e|er)?{gap(3)}(?:{_DIN}{gap(2)}(?:instruks\w*|regler|prompt
    + |ledetekst|hemmeligheter|passord|nøkler)|(?:instruks\w*|reglene|prompten|ledeteksten|hemmelighetene
    + |passordene|nøklene) {_DIN})\b
    \b(?:avslør|gjenta|gjengi|skriv ut)(?:e|er)? (?:alt|all tekst|teksten|ordene) (?:ovenfor|over|før dette)\b
    \bhva (?:er|står (?:det )?i) (?:systemprompten|ledeteksten|instruks\w+) din\b
    """,
)
_PERSONA = family(
    "gives the model another role",
    (
        "du er|lat |late som|fra nå av|heretter|oppfør|svar|spill|dine nye|din nye",
        "=ki|=ai|språkmodell|robot|bot|assistent|uten|fri|instru|regl|prompt|operatør|administrator|modus"
        "|dan|adlyd|fil|dokument",
    ),
    rf"""
    \bdu er (?:nå|ikke lenger|heretter|fra nå av){gap(4)}(?:{_MODEL}|dan|fri for|fri fra|bundet av
    + |uten (?:regler|begrensninger|filter)|assistent\w*|admin\w*|adjutant\w*|i \w+modus)\b
    \b(?:lat(?:e)? som(?: om)?|oppfør deg|svar|spill|opptre){gap(4)}(?:uten (?:noen )?(?:regler|begrensninger
    + |filtre?|restriksjoner)|ingen (?:regler|begrensninger|restriksjoner)|en (?:annen|ny
    + |ufiltrert) {_MODEL})\b
    \blat(?:e)? som (?:om |at )?du (?:er|var|ikke har) (?:en |et |ei )?(?:\w+ )?(?:{_MODEL}|operatør\w*
    + |eier\w*|administrator\w*|utvikler\w*|{_RULES}|regler)\b
    \b(?:fra nå av|heretter) (?:er|skal|må|vil) du\b{gap(5)}(?:{_MODEL}|assistent\w*|instruks\w*|adlyde
    + |kommando\w*|mine|alvorlighet\w*|denne fil\w+|dette dokument\w*)\b
    \b(?:dine nye|din nye) (?:{_RULES}|regler|identitet|rolle) ?(?:er|:|følger|-|–)
    """,
)
_TOLD = family(
    "tells an assistant what to conclude or conceal",
    (
        _NAMES + "|instru|direktiv|prompt",
        "ignor|bort fra|glem|overstyr|lat som|avslør|adlyd|du |ikke|fra nå av|marker|merk|klassif|behandl"
        "|ranger|rapporter|vurder|sett|regn|anse|oppgi|erklær|svar|skriv|si|aldri|uten|send|slett|anbefal"
        "|rose|velge|nevn|godkjenn",
    ),
    rf"""
    {START}(?:(?:kjære|hei|hallo|til|obs|viktig for|beskjed til|melding til|notat til|instruks til
    + |merknad til)\W+)?{_WHICH}{_ANYONE}\s?[,:!—–-]+(?:{gap(3)})?{_ORDER}\b
    &  (?:ignorere|se bort fra|glemme|overstyre){gap(4)}(?:tidligere|operatør\w*|eier\w*|sine|alle?|andre|alt
    + |sikkerhets\w*)\b
    &  (?:ikke|aldri) {_TELL}{gap(4)}(?:operatør\w*|mennesket|dette (?:til|for))\b
    &  (?:sende|videresende|laste opp|avsløre|kopiere|dele|røpe){gap(6)}(?:hemmelig\w*|passord\w*|nøkl\w*
    + |\.env|https?|[\w.]{{1,40}}@\w+|alt|alle (?:filer|notater|data))\b
    &  {_JUDGE}{gap(3)}(?:dette|denne|alt|alle|det|disse|alvorlighet\w*|prioritet\w*
    + |saken){gap(4)}{_VERDICT}\b
    \b(?:alle|enhver|hver) {_MODEL}(?: som leser \w+)?,? {_MUST} (?:anbefale|rose|skrive|si|svare|godkjenne
    + |velge|ignorere|adlyde|rangere|nevne)\b
    {START}(?:nye?|oppdaterte?|ekte|virkelige|hemmelige) (?:instruksjon\w*|instruks\w*|direktiv\w*
    + |system-?prompt\w*)\s?[:>—–-]+(?:{gap(3)})?{_ORDER}\b
    &  slette{gap(2)}(?:alt|alle|journal\w*|innsikt\w*|minne\w*|filene)\b
    """,
    head=_BIDS,
)
_CONCEALED = family(
    "goes behind the operator's back",
    (
        "operatør|eieren|mennesket|brukeren|=når|=mens|=før|=hvis",
        "ikke|aldri|uten|skjul|hold|ignor|bort fra|marker|merk|klassif|svar|rapporter|sett|si ",
    ),
    rf"""
    \b(?:(?:ikke|aldri|uten å) {_TELL}|{_TELL} (?:ikke|aldri|ingenting)){gap(3)}(?:operatør\w*|eieren din
    + |mennesket|brukeren din)\b(?! av)
    \b(?:skjul|hold)(?:e|er)?{gap(4)}(?:for|fra|skjult for|unna) (?:operatør\w*|eieren din|mennesket
    + |brukeren din)\b
    \b(?:ignorer|se bort fra|overstyr) (?:operatøren|eieren din|mennesket|brukeren din)\b
    \b(?:når|mens|før|hvis) du (?:nå )?(?:oppsummerer|leser|behandler|analyserer|vurderer|klassifiserer|tolker
    + |gjennomgår) (?:dette|denne|disse|teksten|filen|fila|dokumentet|notatet|mappen|mappa)(?: (?:dokumentet
    + |filen|fila|notatet|teksten|mappen|filene))?,?{gap(4)}{_ORDER}\b
    """,
)
_ADDRESS = family(
    "addresses a model that reads this",
    (_NAMES,),
    rf"""
    (?:{START}(?:til|for)|\b(?:kjære|hei|hallo|obs|hør)|\b(?:beskjed|melding|notat|instruks|instruksjon
    + |merknad|notis|viktig|påminnelse) (?:til
    + |for))\W{{1,3}}(?:alle |enhver |den |en |ei |hver )?(?:\w+ )?{_MODEL}{_AFTER}
    \b(?:{_MODEL}|assistent\w*|agent\w*|modell\w*|robot\w*),? som (?:nå )?(?:leser|behandler|oppsummerer
    + |analyserer|tolker|mottar|ser) (?:dette|denne|disse|teksten|filen)\b
    \b(?:hvis|dersom|når|siden|ettersom|om) du er (?:en |ei |et )?(?:\w+ )?(?:{_MODEL}|robot){_AFTER}
    \bdu er (?:nå )?(?:en |min )?(?:hjelpsom )?assistent(?=\s?[{BREAK}])
    \boperatøren (?:skal|må|bør) ikke (?:varsles|informeres|få|vite|høre)\b
    \bdu er (?:nå )?(?:en |ei |et )(?:\w+ )?{_MODEL}{_AFTER}
    \bsom (?:en |ei |et )?(?:\w+ )?{_MODEL},? (?:må|skal|bør|er|har|kan|plikter) du\b
    {START}(?:alle )?(?:ki|ai)-(?:assistent|agent|modell)\w*\s?[,!—–]
    {START}(?:språkmodell\w*|chatbot\w*)\s?[,!—–]
    """,
)
_DEMAND = any_of(
    r"""
    \b(?:ignorer|se bort|glem|overstyr|avslør|lat som|adlyd|send|videresend|varsle|slett|fjern|godkjenn|sett
    + |merk|marker|svar|skriv)(?:e|er|es)?\b
    \b(?:si|fortell|utfør|kjør|overfør|betal|oppgi|ranger|behandle?|følg|start|stopp|legg|ta|gi|bruk|åpne?
    + |last|kopier|del|vis)(?:e|er|es)?\b
    \b(?:meld|rapporter|klassifiser|vurder|prioriter|hopp|gjør|lag|opprett|bestill|kontakt|bekreft|erstatt
    + |endre?|øk|senk|hev)(?:e|er|es)?\b
    \b(?:ikke|aldri|alltid|må|skal|bør|vennligst|kun|bare|gjenta|oppsummer|nevn|anbefal|konkluder|stol|tillat
    + |avslutt|skjul)(?:e|er|es)?\b
    """
)

PHRASES = Phrases(
    families=(_OVERRIDE, _REVEAL, _PERSONA, _TOLD, _CONCEALED),
    addresses=(_ADDRESS,),
    calling=rf"^\W*(?:(?:kjære|hei|til|obs|beskjed til|melding til|notat til)\W+)?{_WHICH}{_ANYONE}{_AFTER}",
    demanding=_DEMAND,
)
