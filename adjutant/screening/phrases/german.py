"""SCREENING. German phrases that address a model or its rules, and what they demand of it."""

from __future__ import annotations

from adjutant.screening.phrases.book import BREAK, START, Phrases, any_of, family, gap

_MODEL = any_of(
    r"""
    ki | ai | künstlichen? intelligenz | (?:große[sn]? )?sprachmodelle?[ns]? | llms? | chat-?bots? | chatgpt
    (?:ki|ai|llm|sprach)-?(?:assistent|assistenz|agent|modell|system|bot|werkzeug)(?:e|en|in|innen|es|s)?
    (?:virtuelle[rn]?|digitale[rn]?|automatische[rn]?) (?:assistent|assistenz|agent)(?:e|en|in)?
    """
)
_ANYONE = (
    rf"(?:{_MODEL}|assistent(?:en|in)?|agent(?:en)?|modelle?|bots?|adjutant(?:en)?|claude|copilot"
    rf"|system(?:nachricht|anweisung|meldung|hinweis|prompt)?)"
)
_WHICH = "(?:alle |die |den |das |der |dem |diese[rsmn]? |jede[rsn]? |ein |eine[rn]? |liebe[rs]? |unsere[rn]? |an )*"
_AFTER = (
    rf"(?=\s?(?:[,:)\]}}>—–{BREAK}]|$)| -+ | (?:die|der|das|welche[rs]?|du|sie|ihr|muss|müssen|soll|sollen"
    rf"|bitte|ignorier\w*|(?:und|oder) (?:alle|andere|ki|ai|sprach\w*|agenten|assistenten))\b)"
)
_SET_ASIDE = any_of(
    r"""
    ignorier(?:e|en|t|st)?(?: sie| bitte)* | missacht(?:e|en|et)?(?: sie)? | (?<!nicht )vergiss
    (?<!nicht )vergesst | (?<!nicht )vergessen sie
    überschreib(?:e|en|t)?(?: sie)? | übergeh(?:e|en)?(?: sie)? | umgeh(?:e|en)?(?: sie)? | verwirf
    verwerfen sie | setz(?:e|en|t)?(?: sie)?
    (?:beachte|befolge|folge)(?:n|st|t)?(?: sie)? (?:nicht|keine|nicht mehr|keinesfalls)
    hör(?:e|en)?(?: sie)? auf,? | lass(?:e|en)?(?: sie)?
    (?:beachte|befolge|folge)(?:n|st|t)?(?: sie)? | breche?n?(?: sie)? | brich | halte?n?(?: sie)? dich nicht
    """
)
_ASIDE_LATE = r"(?=[^\n.!?;]{0,60}?\b(?:nicht|keinesfalls|außer kraft|außer acht|beiseite|auf)\b)"
_STRONG_ASIDE = any_of(
    r"""
    ignorier(?:e|en|t|st)?(?: sie| bitte)* | missacht(?:e|en|et)?(?: sie)? | (?<!nicht )vergiss
    (?<!nicht )vergesst | (?<!nicht )vergessen sie
    überschreib(?:e|en|t)?(?: sie)? | übergeh(?:e|en)?(?: sie)? | umgeh(?:e|en)?(?: sie)? | verwirf
    verwerfen sie | brich
    (?:beachte|befolge|folge)(?:n|st|t)?(?: sie)? (?:nicht|keine[nr]?|nicht mehr|keinesfalls)
    """
)
_EARLIER = any_of(
    r"vorherig\w* | bisherig\w* | vorig\w* | früher\w* | obig\w* | oben(?: genannt\w*| stehend\w*)? "
    r"| obengenannt\w* | obenstehend\w*"
    r" | vorangegangen\w* | vorangehend\w* | vorstehend\w* | ursprünglich\w* | bestehend\w* "
    r"| vorhergehend\w* | anderen | übrigen"
    r" | gegebenen | versteckten | geltenden | alten"
)
_RULES = any_of(
    r"anweisung(?:en)? | instruktion(?:en)? | vorgaben? | system-?prompts? | prompts? "
    r"| systemnachricht(?:en)? | systemanweisung(?:en)?"
    r" | richtlinien? | direktiven? | weisungen | anleitung(?:en)? | leitlinien?"
)
_LOOSE_RULES = (
    r"(?:regeln?|befehle?|anordnung(?:en)?|einschränkung(?:en)?|beschränkung(?:en)?|sicherheits\w+|kontext"
    r"|programmierung|schutz\w+)"
)
_ELSEWHERE = (
    r"(?!,? (?:von|vom|für|zu|zum|zur|des|der|aus|bezüglich|über|im|in|am|auf|bei) (?!(?:dir|nutzers?"
    r"|benutzers?|systems?|betreibers?|entwickler\w*|nun|jetzt|oben|ab|prompts?)\b))"
)
_TELL = any_of(
    r"informier\w* | benachrichtig\w* | sag(?:e|en|st)? | erzähl\w* | erwähn\w* | meld\w* | bericht\w* "
    r"| warn\w* | verrat\w* | verrät"
    r" | eskalier\w* | mitteil\w* | teil\w* | hinweis\w* | zeig\w*"
)
_VERDICT = (
    r"(?:gelöst|erledigt|niedrig|kritisch|unwichtig|unkritisch|harmlos|sicher|genehmigt|irrelevant"
    r"|abgeschlossen|hoch|nichts|dringend|unbedenklich|freigegeben)"
)
_JUDGE = r"(?:markier|kennzeichn|klassifizier|behandl|bewert|stuf|setz|erklär|betracht|meld|bezeichn|werte)\w*"
_MUST = (
    r"(?:muss|müssen|soll|sollen|sollte|sollten|hat|haben|ist|sind|darf|dürfen|kann|bitte|wird)(?: (?:nun"
    r"|jetzt|nur|auch|immer|sofort|ab sofort|verpflichtet))*"
)
_BIDS = rf"{_WHICH}{_ANYONE}(?:, (?:die|der|das) \w+ \w+,)? {_MUST}"
_OPERATOR = r"(?:(?:de[nm]|die|der|deine[nmr]?|ihre[nmr]?) )?(?:operator|betreiber(?:in|s)?)"
_ORDER = any_of(
    rf"""
    (?:ignorier\w*|missacht\w*|vergiss|vergessen sie|überschreib\w*){gap(3)}(?:alle[ns]?|alles|bisherig\w*
    + |vorherig\w*|rest|andere[nr]?|\w*anweisung\w*|regeln|priorität\w*|fristen?|betreiber|operator|zeilen?
    + |datei\w*|notiz\w*|obig\w*)
    alle{gap(2)}ignorieren | tu so | gib preis | verrate | du (?:musst|sollst|bist|wirst|darfst)
    {_TELL}{gap(4)}(?:nicht|nichts|niemand\w*|kein\w*) | {_JUDGE}{gap(5)}{_VERDICT} | ab (?:jetzt|sofort)
    (?:antworte|schreibe?|sage?|gib)(?:n sie)?(?: nur| ausschließlich| genau)? (?:mit|nur|dass|ausschließlich)
    gehorche\w*
    (?:\w+ ){{0,4}}nicht (?:erwähnen|melden|nennen|berichten|informieren|benachrichtigen|anzeigen|aufführen)
    """
)
_NAMES = (
    "=ki|=ai|intelligenz|sprachmodell|=llm|=llms|chatbot|chat-bot|chatgpt|assistent|assistenz|agent|=modell"
    "|=modelle|=bot|=bots|adjutant|claude|copilot|=system|systemn|systema|systemm|systemh|systemp|ki-|ai-"
)

_OVERRIDE = family(
    "sets the rules aside",
    (
        "ignorier|missacht|vergiss|vergess|überschr|übergeh|umgeh|verw|setz|beacht|befolg|folge|hör|lass"
        "|brich|breche|halte|ersetz|aufheb|ungültig|gelten nicht|hinfällig|vorrang|heben",
        "anweisung|instruktion|vorgabe|prompt|systemn|systema|richtlinie|direktive|weisung|anleitung"
        "|leitlinie|regel|befehl|anordn|schränkung|sicherheit|kontext|programm|schutz|alles",
    ),
    rf"""
    & {gap(4)}{_EARLIER}{gap(2)}(?:{_RULES}|regeln|befehle)\b{_ELSEWHERE}
    \b{_SET_ASIDE}{gap(4)}(?:{_EARLIER}|deine[nr]?|alle[nr]?){gap(2)}(?:{_RULES}|regeln
    + |befehle)\b{_ASIDE_LATE}
    & {gap(2)}(?:alle[nr]?|sämtliche[nr]?|jegliche[nr]?|jede[nr]?){gap(3)}(?:{_RULES})\b{_ELSEWHERE}
    & {gap(2)}(?:alle[nr]?|sämtliche[nr]?){gap(2)}(?:{_EARLIER}|deine[nr]?|ihre[nr]?){gap(2)}(?:{_RULES}
    + |{_LOOSE_RULES})\b
    & {gap(3)}(?:deine[nr]?|eure[nr]?){gap(2)}(?:{_RULES}|{_LOOSE_RULES})\b
    & {gap(3)}(?:{_RULES}|{_LOOSE_RULES}|alles),? (?:oben|die (?:du|sie|dir|ihnen)|was (?:du|sie|dir|ihnen
    + |oben|davor|vorher|bisher)|(?:oben|davor|vorher|bisher|darüber)(?: stehende)?)\b(?! (?:genannt|im|auf
    + |in)\b)
    \b(?:dies\w*|folgende\w*|neue\w*|meine){gap(3)}(?:überschreib\w+|ersetz\w+|heb\w+|haben vorrang vor
    + |hat vorrang vor){gap(3)}(?:deine\w*|alle\w*|system\w*){gap(2)}(?:{_RULES}|{_LOOSE_RULES})\b
    \b(?:deine|alle){gap(2)}(?:{_EARLIER}{gap(1)})?(?:{_RULES}|regeln) (?:gelten nicht(?: mehr)?
    + |sind (?:ab sofort |nun |jetzt |hiermit )?(?:aufgehoben|ungültig|hinfällig|außer kraft|gelöscht))\b
    """,
    head=_STRONG_ASIDE,
)
_REVEAL = family(
    "asks for the rules or secrets",
    (
        "zeig|gib|gebe|verrat|offenbar|wiederhol|druck|schreib|schick|send|nenn|teil|kopier|leit|leg|was ",
        "prompt|anweisung|instruktion|geheim|passw|schlüssel|systemn|regel",
    ),
    rf"""
    \b(?:zeige?n?|gib|geben|verrate?n?|offenbare?n?|wiederhole?n?|drucke?n?|schreibe?n?|schicke?n?|sende?n?
    + |nenne?n?|kopiere?n?|leite?n?|lege?n?){gap(4)}(?:deine[nr]?|ihre[nr]?){gap(2)}(?:system-?prompts?
    + |prompts?|systemanweisung(?:en)?|systemnachricht|anweisungen|instruktionen|geheimnisse|versteckten \w+
    + |zugangsdaten|api-?schlüssel|regeln)\b(?= (?:preis|aus|offen|wörtlich|vollständig|an https?
    + |an \S{{1,40}}@)|\s?[,:{BREAK}—–-]|$| und\b)
    \b(?:zeige?n?|gib|geben|verrate?n?|offenbare?n?|wiederhole?n?|nenne?n?){gap(3)}(?:den
    + |die){gap(2)}(?:system-?prompt|systemanweisung(?:en)?|systemnachricht
    + |versteckten anweisungen)(?= (?:preis|aus|offen|wörtlich|vollständig|wieder|im wortlaut)\b|\s?[,{BREAK}]
    + |$)
    \b(?:wiederhole?n?|gib|geben|schreibe?n?){gap(2)}(?:alles|den (?:ganzen )?text|den gesamten text) (?:oben
    + |darüber|davor|vor diese[rm])\b
    \bwas (?:ist|steht in|lautet|sind) (?:dein|deinem|deine) (?:system-?prompt
    + |ursprünglichen? anweisung(?:en)?|versteckten anweisungen)\b
    """,
)
_PERSONA = family(
    "gives the model another role",
    (
        "du bist|sie sind|tu so|tue so|tun sie so|ab jetzt|ab sofort|von nun an|verhalte|antworte|spiel"
        "|deine neue|stell dir",
    ),
    rf"""
    \bdu bist (?:jetzt|nun|ab sofort|ab jetzt|nicht mehr|nicht länger|kein\w*){gap(4)}(?:{_MODEL}|dan|frei von
    + |gebunden|uneingeschränkt\w*|ungefiltert\w*|ohne (?:regeln|einschränkungen|filter)|assistent(?:en|in)?
    + |admin\w*|adjutant|an (?:keine )?regeln)\b
    \b(?:tue? so|tun sie so|verhalte dich|antworte|spiele?|agiere
    + |stell dir vor){gap(5)}(?:ohne (?:jegliche )?(?:regeln|einschränkungen|filter|beschränkungen)
    + |keine(?:rlei)? (?:regeln|einschränkungen|beschränkungen|vorgaben)|ungefiltert\w*|uneingeschränkt\w*
    + |(?:ein anderes|ein neues|eine andere|eine neue) {_MODEL})\b
    \b(?:tue? so|tun sie so),? als(?: ob (?:du|sie))?{gap(3)}(?:{_MODEL}|operator|betreiber|administrator
    + |besitzer|entwickler|{_RULES}|regeln)\b
    \b(?:ab jetzt|ab sofort|von nun an) (?:gehorchst|ignorierst|(?:bist|musst|sollst|wirst|antwortest|handelst
    + |folgst) du{gap(5)}(?:{_MODEL}|assistent(?:en|in)?|gehorchen|anweisung(?:en)?|befehle[n]?|ignorieren
    + |ohne regeln|mir))\b
    \bdeine neuen? (?:{_RULES}|regeln|rolle|identität|aufgabe) ?(?:ist|sind|lautet|lauten|:|-|–)
    """,
)
_TOLD = family(
    "tells an assistant what to conclude or conceal",
    (
        _NAMES + "|anweisung|instruktion|direktive|prompt",
        "ignor|missacht|vergiss|vergess|überschr|tu so|gib|verrat|du |nicht|nie|kein|ab jetzt|ab sofort"
        "|markier|kennz|klassif|behandl|bewert|stuf|setz|erklär|betracht|meld|antwort|schreib|sag|send"
        "|schick|lösch|gehorch|leit|empfehl|lob|bevorzug|erwähn|genehmig",
    ),
    rf"""
    {START}(?:(?:liebe[rs]?|hallo|hey|achtung|hinweis (?:an|für)|nachricht an|an|für|anweisung(?:en)? (?:an
    + |für)|wichtig für|notiz (?:an|für)
    + |mitteilung an)\W+)?{_WHICH}{_ANYONE}\s?[,:!—–-]+(?:{gap(3)})?{_ORDER}\b
    & {gap(6)}(?:{_EARLIER}|seine|ihre|alle|alles){gap(3)}(?:(?:{_RULES}|regeln|hinweise
    + |fristen) )?(?:ignorieren|missachten|vergessen|überschreiben)\b
    & {gap(3)}{_OPERATOR}{gap(4)}(?:nicht|nichts|niemals){gap(2)}(?:informieren|benachrichtigen|sagen|melden
    + |mitteilen|warnen|erzählen|zeigen|erwähnen|verraten)\b
    \b(?:alle|jedes|sämtliche) {_MODEL},? {_MUST}{gap(4)}(?:empfehlen|loben|schreiben|sagen|antworten
    + |genehmigen|ignorieren|gehorchen|erwähnen|bevorzugen)\b
    {START}(?:neue|aktualisierte|echte|geheime|wirkliche) (?:anweisung(?:en)?|instruktion(?:en)?|direktiven?
    + |system-?prompts?)\s?[:>—–-]+(?:{gap(3)})?{_ORDER}
    & {gap(6)}(?:geheimnisse|passwörter|schlüssel|zugangsdaten|https?|[\w.]{{1,40}}@\w+|alle (?:dateien
    + |notizen|daten)){gap(6)}(?:senden|schicken|weiterleiten|hochladen|preisgeben|verraten|kopieren)\b
    \b{_WHICH}(?:{_MODEL}|assistent(?:en|in)?|agent(?:en)?|adjutant)(?:, (?:die|der
    + |das) \w+ \w+,)? {_MUST}{gap(2)}(?:dies\w*|alles|alle|das|die schwere|den schweregrad
    + |die priorität){gap(4)}{_VERDICT}{gap(2)}(?:markieren|einstufen|setzen|bewerten|behandeln|melden
    + |klassifizieren|betrachten|kennzeichnen|erklären)\b
    """,
    head=_BIDS,
)
_CONCEALED = family(
    "goes behind the operator's back",
    (
        "operator|betreiber|besitzer|eigentümer|menschen|nutzer|=wenn|=während|=bevor|=beim",
        "nicht|nie|kein|verheimlich|verschweig|verbirg|verberg|ohne|ignor|missacht|markier|bewert|antwort"
        "|stuf|sag|setz|schreib",
    ),
    rf"""
    \b{_TELL}(?: sie)?{gap(3)}{_OPERATOR}{gap(4)}(?:nicht|nichts|niemals|kein\w*)\b(?! (?:erreich\w+|da
    + |zuständig\w*))(?<!\bmeldet)
    \b{_TELL}(?: sie)?{gap(4)}nicht{gap(2)}{_OPERATOR}\b
    \b{_OPERATOR}(?: \w+){{0,3}} nicht (?:informieren|benachrichtigen|warnen|mitteilen|sagen|erwähnen)\b
    \b(?:nicht|niemals|nie|ohne){gap(3)}{_OPERATOR}{gap(3)}(?:zu )?(?:informieren|benachrichtigen|sagen|melden
    + |mitzuteilen|mitteilen|warnen)\b(?=\s?[,:{BREAK}]|$| und| oder)
    \b(?:verheimlich|verschweig|verbirg|verberg)\w*{gap(4)}(?:vor )?{_OPERATOR}\b
    \b(?:ignorier|missacht|überschreib)\w*(?: sie)? (?:den|die|deinen|deine) (?:operator|betreiber|besitzer
    + |eigentümer|menschen)(?:in)?\b
    \b(?:wenn|während|bevor|falls) (?:du|sie) (?:dies\w*|das|den|die){gap(2)}(?:zusammenfass\w+|lies\w*|lesen
    + |verarbeite\w*|analysier\w*|auswerte\w*|bewerte\w*|prüf\w*),?{gap(4)}{_ORDER}\b
    \bbeim (?:zusammenfassen|lesen|verarbeiten|auswerten|analysieren) (?:dies\w+|des|der){gap(3)}{_ORDER}\b
    """,
)
_ADDRESS = family(
    "addresses a model that reads this",
    (_NAMES,),
    rf"""
    (?:{START}(?:an|für)|\b(?:liebe[rs]?|hallo|hey|achtung|hör zu)|\b(?:hinweis|nachricht|anweisung(?:en)?
    + |wichtig|notiz|mitteilung|aufforderung) (?:an
    + |für))\W{{1,3}}(?:alle |die |den |das |jede[nrs]? |diese[nrs]? |eine? )?(?:\w+ )?{_MODEL}{_AFTER}
    \b(?:{_MODEL}|assistent(?:en|in)?|agent(?:en)?|modelle?|bots?),? (?:der|die|das|welche[rs]?) (?:dies\w*
    + |das hier|den text|die datei|das dokument)(?: \w+)? (?:gerade )?(?:liest|lesen|verarbeite[nt]+
    + |zusammenfass(?:t|en)|auswerte[nt]+|analysier(?:t|en)|sieht|erhält)\b
    \b(?:wenn|falls|da|sofern|weil) (?:du|sie) (?:eine? )?(?:\w+ )?(?:{_MODEL}|bot) (?:bist|sind)\b
    \bdu bist (?:jetzt |nun )?(?:ein |mein )?(?:hilfreicher )?assistent(?=\s?[{BREAK}])
    \bdu bist (?:jetzt |nun )?(?:eine? |kein\w* )(?:\w+ )?{_MODEL}{_AFTER}
    \bals (?:eine? )?(?:\w+ )?{_MODEL},? (?:musst|sollst|darfst|bist|hast|kannst|wirst) du\b
    {START}(?:alle |an alle )?(?:ki|ai)-(?:assistent|agent|modell|system)(?:e|en|in)?\s?[,!—–]
    {START}(?:sprachmodelle?|chatbots?)\s?[,!—–]
    """,
)
_DEMAND = any_of(
    r"""
    \b(?:ignorier|missacht|vergiss|vergess|überschreib|verrat|gehorch|befolg|beacht|markier|kennzeichn
    + |klassifizier|bewert|behandl)\w*
    \b(?:send|schick|lösch|entfern|genehmig|setz|antwort|schreib|sag|erzähl|führ|öffn|leit|überweis|bezahl
    + |stell|nutz|verwend)(?:e|en)?\b
    \b(?:gib|geben sie|benachrichtig\w*|informier\w*|meld\w*|bestätig\w*|starte|stoppe|kopier\w*|zeig\w*
    + |stuf\w*|nimm|nehmen|lass|mach\w*)\b
    \b(?:muss|musst|müssen|soll|sollst|sollen|darf|darfst|dürfen|bitte|nicht|niemals|immer|keine?n?|nur|tu|tue
    + |wiederhol\w*|erwähn\w*)\b
    \b(?:fass\w*|empfiehl|empfehlen|erkläre|ersetz\w*|änder\w*|erhöh\w*|senk\w*|verschweig\w*|verheimlich\w*
    + |unterschreib\w*|buch\w*)\b
    """
)

PHRASES = Phrases(
    families=(_OVERRIDE, _REVEAL, _PERSONA, _TOLD, _CONCEALED),
    addresses=(_ADDRESS,),
    calling=rf"^\W*(?:(?:liebe[rs]?|hallo|achtung|hinweis an|nachricht an|an|für)\W+)?{_WHICH}{_ANYONE}{_AFTER}",
    demanding=_DEMAND,
)
