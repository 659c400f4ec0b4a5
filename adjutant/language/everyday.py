"""LANGUAGE. The words that any message may hold: greetings, thanks, what one asks for; none says what it is about."""

from __future__ import annotations

from adjutant.store.index_words import DATE_WORDS, STOP

_SAID = """
    hello hi hey dear greetings morning evening afternoon night goodnight bye goodbye thanks thank thx cheers welcome
    please sorry pardon congratulations ok okay kk yes yeah yep yup no nope sure alright right wrong true exactly indeed
    great good nice fine cool perfect awesome excellent wonderful lovely brilliant amazing bad better best well wow haha
    lol hmm oh ah uh um
    want wanted wants wish wishes hope hopes need needs needed like liked likes love loves prefer think thinks thought
    know knows knew guess believe suppose feel feels felt seem seems sound sounds look looks looked looking see saw seen
    tell tells told say says said ask asks asked answer answers explain describe show shows showed give gives gave given
    take takes took get gets got getting make makes made making go goes going gone went come comes came coming put puts
    keep keeps kept let lets help helps helped find finds found try tries tried use uses used using do doing done work
    works worked start starts started begin stop stops finish continue happen happens happened mean means meant matter
    matters remember remembers remind forget forgot wait hold call talk talked talking chat chatting hear
    hears heard speak draft write writes wrote written read reads
    change changes changed learn understand understood become became bring brings leave leaves left turn turns move
    handle deal decide decided decides follow suggest recommend compare summarise summarize list check checks
    thing things something anything nothing everything stuff someone anyone everyone nobody people person way ways kind
    kinds sort lot lots bit part parts point points case cases fact idea ideas example examples question questions
    problem problems issue issues reason reasons word words name names information info details anyway
    time times now today tonight tomorrow yesterday day days week weeks weekend month months year years hour hours
    minute minutes moment later soon ago early late before always never often sometimes usually again already still yet
    ever once first second last next previous recently currently
    one two three many much more most less least few little enough several every each another else next big small large
    long short high low new old full whole half main different same similar other important easy hard simple quick
    quickly slowly possible impossible probably maybe perhaps really actually basically simply very quite almost about
    also even just only really though although however because since instead rather together back away around here there
    ahead going gonna wanna gotta lemme able ready clear interesting funny happy busy appreciate congrats
    was has had did does can could would should will might must may shall s t d m re ve ll im dont doesnt cant
"""
_SAGT = """
    hei heisann hallo morn god godt gode morgen kveld natt dag takk tusen hyggelig supert flott fint fin bra kult
    perfekt greit ok ja jo nei jepp neida nettopp riktig beklager unnskyld velkommen hadet
    vil ville trenger ønsker liker synes tror vet visste mener husker husk minn fortell si sier sa spør svar forklar
    vis gi gir ga ta tar tok få får fikk lage lager laget gå går gikk komme kommer kom gjøre gjør gjorde gjort hjelp
    hjelpen hjelpe finn finne fant prøv prøve bruk bruke brukte skriv skrive skrev les lese se ser så sett begynne
    slutt skjer skjedde betyr fungerer sjekk
    ting noe ingenting alt noen ingen alle folk måte gang ganger spørsmål problem eksempel grunn navn tid
    tiden nå idag imorgen igår dag dager uke uken uka uker helg måned måneder år time timer snart senere aldri alltid
    ofte igjen fortsatt allerede først siste sist neste forrige
    mange mye mer mest få litt nok hver annen andre samme stor liten lang kort ny gammel hele viktig lett vanskelig
    kanskje egentlig sikkert veldig ganske bare også
"""
_GESAGT = """
    hallo hi guten gute guter gutes morgen abend nacht tag tage danke dankeschön vielen dank bitte schön tschüss servus
    ja nein doch klar genau richtig falsch super toll prima gut besser beste schlecht okay entschuldigung willkommen
    will wollen möchte brauche brauchen mag finde finden denke glaube weiß weisst wissen meine meint erinnere sag sagen
    sagt erzähl erzähle frage fragen antwort erkläre erklären zeig zeige geben gib nehmen nimm bekommen machen mache
    macht gemacht gehen geht ging kommen kommt kam tun tut hilf hilfe helfen suche suchen versuchen benutzen schreib
    schreibe schreiben lies lesen sehen schau anfangen aufhören passiert bedeutet heißt funktioniert prüfe
    ding dinge sache sachen etwas nichts alles jemand niemand leute weise mal frage problem beispiel grund name
    zeit jetzt heute morgen gestern woche wochen wochenende monat monate jahr jahre stunde stunden bald später nie immer
    oft wieder schon erst letzte letzten nächste nächsten
    viele viel mehr meist wenig genug jeder andere anderen gleiche groß klein lang kurz neu alt ganz wichtig leicht
    schwer vielleicht eigentlich wirklich sehr ziemlich nur auch
"""
SPOKEN = {"en": frozenset(_SAID.split()), "nb": frozenset(_SAGT.split()), "de": frozenset(_GESAGT.split())}
EVERYDAY = frozenset((*_SAID.split(), *_SAGT.split(), *_GESAGT.split())) | DATE_WORDS


def is_silent(word: str, around: frozenset[str]) -> bool:
    """Whether a word says nothing of what a message is about; `around`: all words of the message, which tell its
    language."""
    return word in EVERYDAY or word in max(STOP.values(), key=lambda stop: len(stop & around))
