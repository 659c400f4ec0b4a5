"""DOMAIN. What a statement is by the words that tell it: decision, correction, lesson, open, done - en, nb, de.

Patterns are looked for in lower case, so that the first letter of each branch sorts most places out at once.
"""

from __future__ import annotations

import re
from functools import lru_cache

from adjutant.language.extract_patterns import any_of
from adjutant.language.extract_words import plain

_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:man|tirs|ons|tors|fre|lør|søn)dag"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)"
)
_MONTH = r"(?:jan|feb|mar|märz|apr|ma[yi]|jun|jul|aug|sep|o[ck]t|nov|de[scz])"
_DATE = (
    rf"(?:\d{{4}}-\d\d|\d{{1,2}}[:.]\d|\d{{1,2}} ?(?:am|pm|uhr|o'clock)|\d{{1,2}}(?:st|nd|rd|th)"
    rf"|(?:the )?\d{{1,2}}\.? {_MONTH}|{_MONTH}\w* \d|kl)"
)
_WHEN = (
    rf"(?:next|tomorrow|tonight|end of|the end|{_DATE}|{_DAY}|neste|utgangen|i morgen|ende|morgen|nächste"
    r"|spätestens)"
)

_LABELS = {
    "Decisions": r"decisions?|decided|agreed|verdict|ruling|beslutning(?:er)?|vedtak|bestemt|avtalt|besluttet"
    r"|entscheidung(?:en)?|beschl(?:uss|üsse)|beschlossen|entschieden|vereinbart",
    "Corrections": r"corrections?|correcting|corrected|erratum|errata|rettelser?|korreksjon(?:er)?|retting"
    r"|korrektur(?:en)?|berichtigung|richtigstellung",
    "Lessons": r"(?:[^\s:.,]+ )?lessons? of the (?:day|week|month|year|trip)|(?:(?:the|an?|another|same|old|big|small"
    r"|hard|second|third|main|my|our|important|good|costly"
    r"|expensive|today's) ){0,3}(?:lessons?|takeaways?)(?: again| once (?:more|again)| here"
    r"|(?: re-?)?learn(?:ed|t)| (?:of|from|after|about|for (?:next|the (?:future|next)|us|me"
    r"|later))(?: [^\s:.,]+){0,4})?|learn(?:ed|t|ings?)|notes? to (?:self|myself)|moral|insight"
    r"|what (?:i|we) (?:(?:should|must|need to|have to|want to|will|shall) )?(?:remember|learn(?:ed|t)?"
    r"|take (?:away|from|with))(?: [^\s:.,]+){0,4}|(?:worth|something to|things? to"
    r"|good to) (?:remember(?:ing)?|know(?:ing)?)|for next time|what (?:work(?:ed|s)|help(?:ed"
    r"|s))(?: [^\s:.,]+){0,3}|til neste gang|det som (?:hjalp|hjelper|fungerte|virket)|(?:verdt"
    r"|godt) å (?:huske|vite)|(?:dagens|samme|ny|gammel) lærdom|lærdom (?:igjen|fra(?: [^\s:.,]+){1,4})"
    r"|fürs nächste mal|(?:was|das) (?:geholfen hat|hat geholfen)|zu merken|lehre aus(?: [^\s:.,]+){1,4}"
    r"|rule(?: of thumb)?|gotcha|lærdom(?:mer)?|læring|erfaring(?:er)?|huskeregel|tommelfingerregel|regel"
    r"|notat til meg selv|lektion(?:en)?|lehren?(?: daraus)?|gelernt|merke|erkenntnis(?:se)?|fazit"
    r"|faustregel|notiz an mich(?: selbst)?",
    "Open threads": r"todos?|to[- ]dos?|open(?: (?:threads?|questions?|points?|items?))?|pending|next(?: steps?)?"
    r"|follow[- ]?ups?|fixme|waiting(?: for)?|åpne? (?:spørsmål|saker)|gjenstår|å gjøre|neste steg"
    r"|venter på|offen(?:e punkte|e fragen)?|zu (?:tun|klären|erledigen)|nächste schritte|aufgaben?",
    "Patterns": r"patterns?|mønst(?:er|re)|muster",
}
_IDLE_LABEL = r"notes?|nb|ps|p\.s\.|update|fyi|btw|info|status|merk|obs|notat|notiz|hinweis|remember|husk|ps"
_ALL_LABELS = "|".join(f"(?P<l{number}>{told})" for number, told in enumerate(_LABELS.values()))
_LABEL = re.compile(rf"(?:{_ALL_LABELS}|(?P<idle>{_IDLE_LABEL}))\s*(?::|–|—| - )\s*")
_LEAD = re.compile(
    r"(?:(?:and|but|so|oh|well|ok(?:ay)?|yes|yeah|hm+|actually|by the way|btw|also|right|thanks|thank you|og|men|ja"
    r"|jo|takk|nei da|egentlig|forresten|und|aber|ach|also|danke|übrigens|eigentlich)\b(?:,|:| -| –| —)\s+)+"
)

# -- decisions -----------------------------------------------------------------------------------------------

_WE = (
    r"(?:we|i|we both|we all)(?:'ll|'re|'ve|'m| will| shall| are| am| have)?"
    r"(?: now| both| all| finally| just| then| therefore)?"
)
_CHOOSE = (
    r"(?:postpon|delay|keep|drop|cut|cancel|skip|rent|leas|sell|hir|publish|licen[sc]|releas|rais|lower|limit"
    r"|cap|split|merg|outsourc|refus|declin|accept|renew|extend|replac|renam|remov|adopt|choos|settl|switch"
    r"|sublet|charg|invest|downsiz|hand over|shelv|scrap|freez|reduc|stop|abandon|migrat|upgrad|convert"
    r"|relocat|consolidat|archiv|prioriti[sz]|standardi[sz]|mov|stay|stick|bring forward|push back|call off"
    r"|give up|giving up|leave out|leaving out|put off|turn down)(?:p|t|l)?(?:e|ing)?"
)
_EVERYDAY = (
    r"(?! (?:going|moving|on|in|out|up|off|it (?:to|up|down|short|home|there)|you|him|her|them|me|us|myself"
    r"|ourselves|posted|trying|quiet|calm|warm|track|home|early|late|now|then|here|there|awake|an? (?:look"
    r"|eye|copy|walk|break|nap|call|coffee|note|few|car|hand|photo|cake)|until|till|time|some|any|lunch"
    r"|dinner|breakfast|(?:the )?(?:bus|train|tram|car|bike|dog|kids?|children|stairs|door|windows?|lights?"
    r"|bed|table|dishes|bill|grass|cake|couch|sofa|boxes|laptop|tv|radio|heating|build|baby|parcel|rubbish"
    r"|bins?|wood|vegetables))\b)"
)
_CHANGE = (
    r"(?:(?:us|buy|tak|mak|order|ship|open|clos|apply|bid|offer|support|attend|join|sign|pay|invit|work|teach"
    r"|accept|travel)(?:e|ing)?)"
)
_DECIDED = any_of(
    r"\b(?:we|i)(?:'re| are|'m| am) buying the\b|\bvi kjøper (?:den|det|de|\w{3,}(?:en|et|a)) |\bwir kaufen (?:den"
    r"|die|das)\b",
    r"\b(?:said|saying|says) (?:no|yes) to (?:the|his|her|their|our)\b"
    r"|\b(?:takker|takket|(?:jeg|vi) sa|(?:jeg|vi) sier) (?:ja|nei) til\b"
    r"|^told (?:[^\s,.;]+ ){1,3}(?:no|yes|we(?: are|'re) (?:out|in)|that we|we (?:will|won't|accept|take|don't))\b",
    r"\b(?:we|i)(?:'ll| will| shall) [^.;]{3,60} instead of\b|\b(?:vi|jeg) (?:skal|vil) [^.;]{3,60} i stedet for\b"
    r"|\bwir werden [^.;]{3,60} statt\b",
    rf"\b(?:starting|from|as of) (?:on )?(?:{_DAY}|{_MONTH}[a-z]*|next (?:week|month|year|term|season)),? (?:on,? )?"
    r"(?:[^\s,.;]+ ){1,4}(?:only|no longer|must|pays?|gets?|always|never)\b",
    r"\b(?:set|put|fixed) the (?:price|rent|fee|rate|date|deadline|limit|budget|target) (?:at|to|for|on)\b"
    r"|\b(?:prisen|leia|husleia|satsen|fristen|budsjettet|datoen) (?:settes|ble satt|er satt|setter vi) til\b"
    r"|\b(?:preis|miete|termin|frist|budget) (?:setzen|legen) wir\b",
    r"\bgets the (?:solo|job|contract|order|flat|room|role|part|lead|slot|shift|post|position)\b|\bfår (?:jobben"
    r"|oppdraget|rollen|kontrakten|vakten|leiligheten)\b|\bbekommt (?:den|die) (?:auftrag|zuschlag|stelle|wohnung"
    r"|rolle|schicht)\b",
    r"\b(?:vi|jeg) lar [^.;]{2,40} (?:stå|være|ligge|vente)\b",
    r"\b(?:dabei bleibt es|so machen wir(?: es|'s| das)|that's final|that is final|it stays (?:that way|as it is)"
    r"|stays as (?:it is|planned)|slik blir det|sånn blir det|sånn gjør vi det|slik gjør vi det|det står fast)\b",
    rf"\b(?:we|i)(?:'ll| will| shall|'re| are|'m| am) (?:therefore |now |just |then |all |both )?(?:going to )?"
    rf"{_CHOOSE}\b{_EVERYDAY} \w",
    r"\b(?:we|i)(?:'ll| will| shall|(?:'re| are|'m| am) going to) (?:put (?:it|them|this|that|the \w+) (?:on (?!the)"
    r"|under|up for|online|off)|take (?:the|on|over|up)(?: \S+)? (?:job|offer|post|position|flat|house|deal|role"
    r"|course|contract|project|loan|second|first|smaller|bigger|cheaper|other)|make (?:it|this|that) (?:public"
    r"|optional|open|free|default)|apply (?:for|to)|only|use (?:the|a|an) (?!toilet|bus|train)[^.;]{2,40}(?:instead"
    r"|for (?:the|all|every|our|this)))\b",
    rf"\b(?:we|i)(?:'re| are|'m| am) not (?:going to )?(?:{_CHOOSE}|{_CHANGE})\b{_EVERYDAY}"
    rf"|\b(?:we|i) (?:won't|will not) (?:be )?(?:{_CHOOSE}|{_CHANGE})\b{_EVERYDAY}",
    r"\b(?:we|i)(?:'ll| will) no longer\b",
    r"\b(?:we|i)(?:'re| are|'m| am) (?:going with|sticking (?:with|to)|giving up|leaving out)\b(?! \S+ to\b)"
    r"|\b(?:we|i)(?:'ll| will| shall)? (?:go with|give up|leave out|put off)\b(?! \S+ to\b)",
    r"^going (?:with|for) (?:the|a|an)\b(?! (?:walk|run|swim|drive|ride|kids|children|family)\b)(?! \S+ to\b)",
    r"^picked (?:the|an?) (?:[^\s,.;]+ ){1,5}for (?:the|our|my)\b|\bsigned (?:him|her|them|us|me|[a-zæøåäöü]+) up\b",
    r"\b(?:contract|order|tender|commission|insurance|position|post|job) goes to\b"
    r"|\b(?:switches|moves|changes) (?:over )?to (?:the|a) new\b",
    r"\b(?:decided|decision (?:is|was|made|to)|final decision|(?:my|our|the|his|her|their) decision)\b",
    r"\bagreed (?:to|on|that|upon|with|not|we|they|it)\b|\b(?:we|all|both|everyone|everybody) agree[d]?\b(?! with)",
    r"\bit (?:is|was|'s) agreed\b|\bagreement (?:is|was|reached)\b|\bagrees to\b|\bagreed[.!]?$|^agreed[:,;.–-]",
    rf"\b(?:{_WE}|let's|let us) (?:go|going|went|gone)(?: ahead)? (?:with|for)\b(?! (?:him|her|them|you|us|me"
    rf"|a (?:walk|run|swim|drive|ride))\b)(?! \S+ to\b)",
    r"\b(?:chose|chosen|settled on|settled for|opted (?:for|to|against|out)|ruled out|signed off|signed up with"
    r"|voted)\b",
    r"\bpicked (?:[^\s,.;]+ ){1,6}(?:over|instead of|rather than|as (?:the|our|my))\b",
    r"\bpicked the (?:[^\s,.;]+ ){0,3}(?:offer|option|one|plan|vendor|supplier|design|colou?r|variant|date|version)\b",
    rf"\b{_WE} (?:use|switch|switching|drop|dropping|keep to|keep using|stick|sticking|stay with|staying with"
    rf"|move to|moving to|stop using|start using|no longer|standardi[sz]e|adopt|replace)\b{_EVERYDAY}",
    r"\bwe (?:keep|stop|won't|will not|don't|do not) (?:use|using|buy|buying|take|taking|offer|offering|sell|selling"
    r"|renew|hire|do|accept|support|ship|open|opening)\b",
    r"\bwe(?:'ll| will| shall)? (?:keep|take|hire|buy|paint|order|close|move|raise|lower|cancel|postpone) (?:the"
    r"|our|a|it)\b",
    r"\b(?:from now on|as of (?:today|now)|effective (?:today|immediately|from))\b",
    r"\b(?:approved|approves|green-?lit|green light|go-ahead|okayed|ok'd|authori[sz]ed|ratified)\b",
    r"\b(?:turned (?:it|them|him|her) down|turned down (?:[^\s,.;]+ ){0,4}(?:offer|proposal|job|request|invitation"
    r"|deal|bid|quote|loan|idea|plan|contract)|rejected|resolved (?:to|that)|committed to|made up (?:my|our|his|her"
    r"|their) minds?)\b",
    r"\b(?:it's|it is|that's|that is|is|are) settled\b|\b(?:we|i|finally|hours|all) landed on\b|^landed on\b"
    r"|^no more\b|\bfinal answer\b|^went (?:with|for) the\b(?! \S+ to\b)|\bthe choice (?:is|fell on|was)\b"
    r"|\bwill be using\b",
    r"\blet's (?:use|take|keep|drop|skip|stick|order|hire|make it|call it|leave it|paint|move it|do it|buy"
    r"|stay with)\b",
    r"\bswitch(?:ed|ing) (?:from (?:[^\s,.;]+ ){1,4})?(?:over )?to\b|\bgoing ahead with\b",
    rf"\b(?:starting|from|as of|beginning) (?:on )?(?:{_DAY}|tomorrow|today|next (?:week|month|year)"
    rf"|{_MONTH}[a-z]*),? (?:on,? )?(?:all|every|each|no|only|we|nobody)\b",
    # Norwegian
    r"\b(?:besluttet|beslutta|vedtatt|vedtok|vedtas|avgjort)\b|\bbeslutning(?:en)? (?:er|ble|om)\b",
    r"\bbestemte? (?:oss|seg|meg|at|for)\b|\b(?:vi|jeg|har|styret) bestemt[e]?\b|\b(?:det|er|ble) bestemt\b",
    r"\b(?:er|ble|var|alle) enige?(?:t)? om\b|\benige? (?:[^\s,.;]+ ){0,3}om\b|\bavtal(?:t|te|en er|er at)\b",
    r"\b(?:valgte|har valgt|velger(?! mellom)|valget falt|landet (?:vi )?på|lander (?:vi )?på|godkjen(?:t|te|ner)"
    r"|takket (?:ja|nei)|avslo)\b",
    r"\b(?:vi|jeg) (?:går for|gikk for|går med|går inn for|gikk inn for|bruker|bytter|byttet|dropper|droppet"
    r"|holder oss|kutter|slutter|kjører (?:på|videre)|tar (?:det|den|de)|satser på|beholder|utsetter|skal bruke"
    r"|kjøper ikke|sier (?:opp|nei|ja) (?:til )?|leier ut|selger (?:den |det |de )?\w{2,}(?:en|et|a|ene)\b|ansetter"
    r"|innfører|avlyser|avslutter|publiserer|deler opp|slår sammen|flytter (?!oss|på|seg|inn)|endrer (?!ikke|på|seg)"
    r"|søker ikke|fornyer|prioriterer|lar (?:det )?være|skrinlegger|legger (?:ned|bort)|utvider|hever|senker|(?:skal"
    r"|vil) (?:ikke )?(?:beholde|utsette|selge|leie ut|ansette|droppe|gå for|flytte (?!på)|legge ned|legge det (?:på"
    r"|ut)|si (?:opp|nei|ja)|slutte|kutte|innføre|prioritere))\b|\b(?:da|så|derfor|i år|nå) (?:utsetter|velger"
    r"|dropper|beholder|selger|kutter|avlyser|bytter|flytter) (?:vi|jeg)\b",
    r"\b(?:fra nå av|fra og med (?:nå|i dag|nyttår)|heretter|skal bruke|gikk for|går over til|byttet til|stemte for"
    r"|stemte mot|ga klarsignal|grønt lys)\b",
    r"\bla oss (?:bruke|ta|gå for|holde|droppe|kjøre|bestille|velge|si)\b",
    rf"\bfra (?:og med )?(?:{_DAY}|i morgen|neste (?:uke|måned|år)|{_MONTH}[a-z]*) (?:går|skal|blir|er det|tar"
    rf"|bruker|må|gjelder)\b",
    r"\bdet ble (?:[^\s,.;]+ ){1,5}til slutt\b|^ingen flere\b",
    # German
    r"\b(?:beschlossen|beschließt|beschloss|beschluss|entschieden|entschied|entscheidung (?:ist|fiel|für|gegen)"
    r"|vereinbart)\b",
    r"\b(?:vereinbarten|geeinigt|einigten|gewählt|ausgewählt|genehmigt|genehmigte|freigegeben|zugestimmt|abgesegnet)\b",
    r"\b(?:festgelegt|abgemacht|ausgemacht|bewilligt|verabschiedet|wahl fiel|fiel die wahl|grünes licht|abgelehnt"
    r"|stimmten? (?:für|gegen))\b",
    rf"\bab (?:{_DAY}|morgen|nächste[rnm]? (?:woche|monat|jahr)|{_MONTH}[a-zä]*) (?:laufen|läuft|gilt|gelten|wird"
    rf"|werden|braucht|brauchen|nur|kein\w*|müssen|muss|alle)\b",
    r"\bentscheiden (?:wir )?uns (?:für|gegen)\b|\bentscheide mich (?:für|gegen)\b|^keine? (?:[^\s,.;]+ ){1,3}mehr\b",
    r"\bam ende (?:wurde es|nahmen wir|haben wir)\b",
    r"\bwir (?:nehmen(?! (?:\w+ )?(?:de[nr]|die|das|eine?n?|uns|unser\w*) (?:bus|zug|auto|bahn|taxi|rad|fahrrad"
    r"|u-bahn|kinder|hund|zeit|treppe|fähre)\b)|wählen|verwenden|benutzen|nutzen|setzen auf|bleiben beim?|wechseln"
    r"|steigen|gehen mit|behalten|streichen|kaufen kein\w*|stellen|verzichten|machen es|verschieben|vermieten"
    r"|verkaufen|kündigen|stellen um|veröffentlichen|verlängern|erhöhen|senken|kürzen|beenden|bewerben uns"
    r"|trennen uns)\b",
    r"\b(?:wir|ich) (?:lassen? (?:[^\s.;]+ ){1,7}(?:weg|sein|fallen)|stellen? (?:[^\s.;]+ ){1,7}(?:ein|um|zurück)"
    r"|geben? (?:[^\s.;]+ ){1,7}auf|sagen? (?:[^\s.;]+ ){1,7}(?:ab|zu)|legen? (?:[^\s.;]+ ){1,7}(?:zusammen|still|fest)"
    r"|schieben? (?:[^\s.;]+ ){1,7}auf|führen? (?:[^\s.;]+ ){1,7}ein|schaffen? (?:[^\s.;]+ ){1,7}(?:ab|an)"
    r"|nehmen? (?:[^\s.;]+ ){1,7}an|ziehen? (?:[^\s.;]+ ){1,7}(?:vor|zurück|um))[.!]?$",
    r"\b(?:ich kündige|ich verkaufe|ich vermiete|ich verzichte|ich behalte|ich verschiebe|ich bleibe bei)\b"
    r"|\b(?:wir|ich) (?:werden?|wollen?) (?:[^\s.;]+ ){1,8}(?:behalten|verschieben|verkaufen|vermieten|kündigen"
    r"|veröffentlichen|streichen|weglassen|absagen|verlängern|einstellen|umstellen|nehmen|wechseln)[.!]?$",
    r"\b(?:nehmen|verwenden|wählen|nutzen|bleiben|wechseln|verschieben|streichen|behalten|verkaufen|kündigen) wir\b",
    r"\b(?:ab sofort|ab jetzt|von nun an|künftig|in zukunft)\b",
)
_UNDECIDED = any_of(
    r"(?:n't|not|never|yet to be|to be|will be|can be|must be|be|if|until|till|when|unless|whether|nobody|no one|who"
    r"|before (?:we|i|they|it's|it is|it)|how|once|nothing|hardly|should|could|would|might|may|can) (?:[^\s,.;]+ ){0,2}"
    r"(?:decid|agree|chose|chosen|settled|approv|signed|voted|rejected|picked|go with|go for|use|switch|adopt|stick)",
    r"\b(?:undecided|decision (?:pending|is due|by|on|until|before)|awaiting (?:a |the |their )?(?:decision"
    r"|approval)|for a decision)\b",
    r"\b(?:used to|as if|want to (?:go|use|switch)|thinking of|consider(?:ing|ed)?|maybe|perhaps|probably"
    r"|suggest\w*|propos\w*|could|might)\b",
    r"\b(?:ikke|aldri|hvis|når|før|til|må|skal|kanskje|kan|bør|om|ingenting"
    r"|ingen) (?:[^\s,.;]+ ){0,2}(?:bli )?(?:er |blir? )?(?:bestemt|besluttet|avgjort|vedtatt|avtalt|enige|valgt"
    r"|godkjent|bestemte|går for|bruker|bytter)",
    r"\b(?:ikke bestemt|kanskje|foresl\w+|vurderer|lurer på)\b",
    r"\b(?:nicht|nie|wenn|bis|noch nichts?|muss|falls|ob|nichts|soll|wer|bevor|vielleicht|könnten?|sollten?|niemand"
    r"|keiner|bisher) (?:[^\s,.;]+ ){0,4}(?:beschlossen|entschieden|vereinbart|geeinigt|genehmigt|gewählt|zugestimmt"
    r"|freigegeben|abgemacht|nehmen|wechseln)",
    r"\b(?:vielleicht|könnten wir|schlägt vor|vorschlag|überlegen|erwägen)\b",
)

# -- corrections ---------------------------------------------------------------------------------------------

_CORRECTED = any_of(
    r"\b(?:and|but|which) (?:is|was|are) wrong\b|\b(?:i|we) (?:gave|noted|wrote|sent|quoted|used|had"
    r"|told \w+)\b[^.;,]{0,40}\b(?:was|were|is) (?:too (?:high|low|old|early|late|big|small|long|short)|wrong|off"
    r"|old|outdated|for the|from)\b",
    r"\bwhat (?:i|we) (?:called|took for|thought was|wrote as|labell?ed|noted as|had as|believed)\b"
    r"|\bdet jeg (?:kalte|trodde var)\b|\bwas ich für [^.;]{2,40} hielt\b",
    r"^(?:wrong|feil|falsche[rs]?) \w+ (?:in|on|i|på|im|auf)(?: [^\s,:;]+){1,3}[:;,]"
    r"|\blag(?:en)? (?:[^\s,.;]+ ){0,5}daneben\b",
    r", (?:i|we) had (?:\w+ed |put |written )?(?:it|her|him|them|that|this) (?:down )?(?:as|under|with|in)\b"
    r"|\b(?:i|we) (?:have |had )?overlooked\b|\b(?:jeg|vi) (?:har )?overs(?:å|ett)\b|\b(?:ich|wir) (?:habe|haben|hatte)"
    r" [^.;]{2,40} übersehen\b",
    r"\b(?:note|entry|list|sheet|log|calendar|poster|invitation|plan) (?:from \w+ )?(?:says?|said|has"
    r"|had) [^.;]{2,50}\bbut\b|\b(?:notatet|lista|listen|planen|plakaten|kalenderen) (?:sier|sa"
    r"|viser) [^.;]{2,50}\bmen\b|\b(?:notiz|liste|plan|plakat|kalender) (?:sagt|sagte|zeigt) [^.;]{2,50}\baber\b",
    r", (?:ich|wir) (?:hatten?|habe|haben) [^.;]{2,40}(?:eingetragen|gesagt|geschrieben|notiert|angegeben|gezählt)\b"
    r"|, jeg (?:hadde|har) (?:skrevet|sagt|notert|ført|trodd|lagt inn|gitt)\b",
    r"^(?:correction|erratum|scratch that|strike that|rettelse|korreksjon|korrektur|berichtigung)\b"
    r"|^(?:wrong (?:in|about|on)|feil (?:i|om|på)|falsch (?:in|im|war))\b|^(?:wrong|feil|falsche[rs]?) \w+[:;,]",
    r"\b(?:i|we) (?:was|were) (?:wrong|mistaken|incorrect|off by)\b|\bi stand corrected\b|\bmistaken about\b",
    r"\b(?:it|that|this) (?:wasn't|was not|isn't|is not) (?:[^\s.;]+ ){1,6}(?:it|that)(?:'s| is| was)\b|\b(?:i"
    r"|we) had (?:the|a) wrong (?:[^\s,.;]+ )?(?:numbers?|names?|dates?|day|time|price|address|figures?|field|amount"
    r"|account|room|person|year|version|order|line|entry|total|unit)\b",
    r"\d\S* (?:[^\s\d,.;]+ )?(?:instead of|rather than|i stedet for|istedenfor|statt|anstatt) (?:the |de |die "
    r"|der )?\d|\bgot (?:the|my|our) \S+ (?:\S+ )?wrong\b",
    r"\b(?:it|that|this|which|note|entry|figure|number|price|date|amount|name|total|sum|address"
    r"|list) (?:[^\s,.;]+ ){0,2}(?:was|is|were) (?:actually |simply |just |in fact )?(?:wrong|incorrect|mistaken"
    r"|outdated|not (?:right|correct|true))\b",
    r"\b(?:it|that|this|which|price|date|amount|name|figure|number|total|sum|address|title|line|entry|[\d.,:]+) "
    r"should (?:have been|have read|have said|read|be \S+,? not)\b",
    r"\b(?:i|we) (?:misread|miscounted|misheard|misspelled|misspelt|mistook|misremembered|misunderstood|mixed up"
    r"|confused|miscalculated|mistyped)\b|\bhad (?:mixed up|misread|miscounted)\b|\bgot (?:it|that|this"
    r"|the \S+(?: \S+)?) wrong\b",
    r"\b(?:instead of|contrary to|unlike|not) what i (?:wrote|said|noted|told|thought)\b|\bi (?:wrote|said"
    r"|noted) (?:that|earlier|yesterday|it was)\b|\bnot as i (?:wrote|said|noted)\b",
    r"\b(?:i|we) (?:wrote|said|noted|told you|thought|put down) (?!about\b|of\b)(?:[^\s.;]+ ){1,8}(?:but|it is|it's"
    r"|it was|in fact)\b",
    r"\bmy (?:mistake|bad|error)\b|\bi take (?:it|that) back\b|\b(?:disregard|ignore|forget) (?:my|the|what i)\b",
    r"\bthe (?:right|correct|real|actual|true) (?:date|number|amount|address|name|spelling|price|figure|version"
    r"|answer|one|time|total|sum|reason|cause|day|room|size|account)\b|\b(?:is|was|were|been|have|has|i|i've|be"
    r"|now) corrected\b|\bcorrected (?:to|from|the (?:date|price|number|amount|figure|total|name))\b",
    r"\b(?:mistakes?|errors?|slip) (?:on|of|from|by) (?:my|our|me|us|mine)\b|\b(?:a|the) (?:mistake|error|typo)"
    r" in (?:my|the) (?:note|notes|list|sheet|entry|log|table|calendar|mail|text|plan)\b",
    r"^(?:misread|misheard|miscounted|mistyped|mistook|miscalculated)\b|^(?:mixed up|confused) (?:the |my "
    r"|two )+\w+s\b",
    r"\b(?:was|were|is|are|been|got|had) mis(?:labell?ed|spell?ed|spelt|filed|dated|printed|calculated|quoted|counted"
    r"|attributed|read|heard|named|typed)\b",
    r"\b(?:not|rather than|instead of|different from|other than|unlike) [^.;]{0,60}\bas (?:i|we) (?:had |have )?"
    r"(?:thought|said|wrote|written|had|noted|told|believed|assumed|put|claimed|remembered|reported|in the)\b",
    r"\b(?:i|we) (?:had |have |'d )?(?:wrote|written|said|told \w+|noted|counted|put down|thought|guessed|assumed"
    r"|entered|reported) (?!about|of\b|to\b|yes|no\b|hello|good"
    r"|the same)(?![^.;,]* about)[^.;:,–—]{1,60}[,;:–—] ?(?:and |but |in fact |actually )?(?:it(?:'s| is)(?! (?:an?"
    r"|so|too|not bad)\b)|there (?:are|is)|that (?:is|was)|the (?:right|real|correct|true)|they are|s?he is|(?:is"
    r"|was)n't)\b",
    r"[,;–—(] ?(?:and )?(?:i|we)(?: had| have|'d) (?:told|said|written|noted|put|entered|it|him|her|them|counted"
    r"|given|guessed|thought|assumed)\b(?! (?:to|about|of)\b)|[,;–—(] ?i (?:wrote|told (?:everyone|everybody|you"
    r"|them|him|her|\w+)|put down|noted) (?:it (?:as|was) )?(?:the |an? |at |on )?(?:[a-z]?\d|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|eleven|twelve)",
    r"\b(?:turns? out|turned out|viste seg|viser seg|stellte sich|stellt sich|herausgestellt)\b[^.;]*?(?:,| and| og"
    r"| und|, and) (?:not|ikke|nicht)\b",
    r"\b(?:it|that) (?:was|is) (?:[^\s.,;]+ ){0,4}[^\s.,;]+(?:,| and) not (?:[^\s.,;]+ ){0,4}[^\s.,;]+,? (?:who|that"
    r"|which|whose)\b|\bdet (?:var|er) (?:[^\s.,;]+ ){0,4}[^\s.,;]+(?:,| og) ikke (?:[^\s.,;]+ ){0,4}[^\s.,;]+,? som\b"
    r"|\bes (?:war|ist) (?:[^\s.,;]+ ){0,4}[^\s.,;]+(?:,| und) nicht (?:[^\s.,;]+ ){0,4}[^\s.,;]+, (?:der|die|das)\b",
    r"\bikke [^.;]{1,50} (?:som|slik) (?:jeg|vi) (?:hadde |har )?(?:trodde|sa|skrev|hadde|noterte|trodd|sagt|skrevet"
    r"|notert)\b|\bannerledes enn (?:jeg|vi|som)\b|\bi motsetning til (?:det|hva) jeg\b",
    r"\b(?:nicht|statt|anstatt) [^.;]{1,50} wie (?:ich|wir) (?:[^\s,.;]+ ){0,3}(?:dachten?|sagten?|schrieb(?:en)?"
    r"|hatten?|notiert|geschrieben|gesagt|gedacht|angenommen)\b|\banders als (?:gedacht|notiert|gesagt|geschrieben"
    r"|ich|wir|von mir)\b",
    r"\b(?:schrieb|sagte|notierte|zählte|meinte) ich [^.;,:]{1,50}[,;:–—] ?(?:aber |doch )?(?:es|das|der|die|er|sie"
    r"|richtig) ?(?:sind|ist|war|waren)?\b|\b(?:skrev|sa|noterte|talte|telte"
    r"|trodde) jeg [^.;,:]{1,50}[,;:–—] ?(?:men )?(?:det|den|de|riktig)\b|\bjeg (?:skrev|sa|noterte|telte|trodde"
    r"|hadde (?:skrevet|sagt|notert)) [^.;,:]{1,50}[,;:–—] ?(?:men )?(?:det|den|de) (?:er|var|skal|ble)\b",
    # Norwegian
    r"\b(?:tok|tar) (?:jeg |vi )?feil\b|\bfeilaktig\b|\b(?:det|dette|tallet|datoen|prisen|notatet|beløpet|navnet"
    r"|summen) (?:[^\s,.;]+ ){0,2}(?:var|er) feil\b|\bdet skal (?:stå|hete)\b|\b(?:stemmer|stemte) ikke\b"
    r"|\bskulle (?:ha )?(?:vært|stått|hett)\b",
    r"\b(?:skrev|husket|leste|hørte|regnet|telte) (?:jeg |vi )?feil\b|\b(?:misforsto|forvekslet|blandet sammen)\b"
    r"|\bmin feil\b|\bfeil av meg\b|\b(?:jeg|vi) blandet\b|\bglem (?:det|hva) jeg\b|^skrev at\b|\bjeg skrev at\b",
    r"\bdet (?:var|er) ikke (?:[^\s.;]+ ){1,6}det (?:var|er)\b|\b(?!møtet)\w{4,}(?:et|en|a) (?:min |vår )?(?:var"
    r"|er) feil\b",
    r"\bdet (?:riktige|rette|korrekte) (?:[^\s,.;]+ )?er\b|\b(?:riktig|rett) (?:dato|pris|beløp|navn|adresse|tall"
    r"|sum|tid|dag|nummer|størrelse|konto)\b|\bkorrigert\b|\bjeg skrev (?:[^\s.;]+ ){1,6}men\b",
    # German
    r"\b(?:mich|uns) (?:[^\s,.;]+ ){0,2}(?:geirrt|vertan|verlesen|verschrieben|verrechnet|verhört|verzählt"
    r"|getäuscht)\b",
    r"\b(?:lag|lagen) (?:ich |wir )?(?:da(?:mit)? )?falsch\b|\bstimmt(?:e)? (?:so |gar |doch )?nicht\b"
    r"|\bfälschlich\w*\b",
    r"\b(?:das|es|preis|datum|betrag|zahl|name|summe|angabe|eintrag|notiz|adresse) (?:[^\s,.;]+ ){0,2}(?:war"
    r"|ist) (?:leider )?falsch\b",
    r"\b(?:müsste|muss|hätte|sollte) (?:[^\s;]+ ){0,4}(?:heißen|lauten)\b"
    r"|\bhätte (?:[^\s,.;]+ ){1,4}sein (?:müssen|sollen)\b",
    r"\bvergiss(?:t)?,? was ich\b|\bich schrieb,|\bich (?:habe|hatte) geschrieben\b|\bes (?:war"
    r"|ist) nicht (?:[^\s.;]+ ){1,6}sondern\b|\b(?:die|der|das|meine?|unsere?) \S{4,} (?:war|waren) falsch\b",
    r"\b(?:verwechselt|vertauscht|missverstanden|falsch (?:notiert|geschrieben|gelesen|verstanden|gerechnet))\b"
    r"|\bmein fehler\b",
    r"\b(?:richtig|korrekt) (?:ist|wäre|sind)\b|\b(?:das|der|die) (?:richtige|korrekte|tatsächliche) \S+ (?:ist"
    r"|war|lautet)\b",
    r"\b(?:korrigiert|berichtigt)\b",
)
_NAMED = (
    r"(?:(?:on|at|in|to|for|the|a|by|from|am|im|um|der|die|das|den|dem|på|i|til|kl\.?|den)\s+){0,2}"
    r"[\"'“]?(?:[A-ZÆØÅÄÖÜ]\w|[$€£]?\d)"
)
_FIGURE = r"(?:[$€£]?\d[\d.,:]*\d|\d)(?:st|nd|rd|th)?(?: ?[\w%€$£]{1,9}\.?)?"
_COUNTED = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|en|ett|to|tre|fire|fem|seks|sju|syv"
    r"|åtte|ni|ti|eine?n?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)"
)
_CONTRAST = re.compile(  # in the text as written: figures and names on both sides, so that "not cheap but good" is none
    rf"\b(?:[Nn]ot|[Ii]kke|[Nn]icht)\s+{_NAMED}\S*(?:\s\S+){{0,3}}?,?\s+(?:but|men|sondern)\s+(?:rather\s+)?{_NAMED}"
    rf"|{_NAMED}[^\s;]{{0,30}}(?:\s[^\s;]{{1,30}}){{0,4}},\s+(?:and\s+|og\s+|und\s+)?(?:not|ikke"
    rf"|nicht)\s+{_NAMED}[^\s,]*(?:\s\S+)?\s*(?:[.!;)]|$)|{_FIGURE}(?:,| and|, and| og| und)\s+(?:not|ikke"
    rf"|nicht)\s+(?:(?:on|at|in|the|for|den|der|dem|die|das|am|im|um|på|i|kl\.?)\s+){{0,2}}(?:{_FIGURE}"
    rf"|{_COUNTED})\b|\b[Ii]kke\s+(\w+) \d\S*,\s+men\s+\1 \d|\b[Nn]icht\s+(\w+) \d\S*,\s+sondern\s+\2 \d"
    rf"|\b[Nn]ot\s+(\w+) \d\S*,\s+but\s+\3 \d|\bdoch\s+[^.;]{{2,40}}\s+und\s+nicht\b"
)
_CORRECTIVE = re.compile(
    r"^(?:no[,:;–—-]|actually\b|in fact\b|sorry[,:;–—-]|nei[,:;–—-]|egentlig\b|faktisk\b|beklager[,:;–—-]|nein[,:;–—-]"
    r"|eigentlich\b|tatsächlich\b|sorry\b)|\b(?:is|are|was|were|it's) actually\b|\b(?:er|var) (?:egentlig|faktisk)\b"
    r"|\b(?:ist|war|sind) (?:eigentlich|tatsächlich|in wirklichkeit)\b|\bnot .{1,40}after all\b|\bdoch nicht\b"
)
_FIRM = re.compile(
    r"\d|\b(?:januar[y]?|februar[y]?|march|mars|märz|april|juni|juli|june|july|august|september"
    r"|o[ck]tober|november|de[sc]ember|dezember)\b|\b(?:not|isn't|wasn't|aren't|instead|rather|ikke"
    r"|isteden|i stedet|nicht|kein\w{0,2}|stattdessen)\b"
    rf"|\b(?:{_DAY})\b"
)
_NOT_FIRM = re.compile(
    r"\bnot (?:bad|so bad|sure|that|much|really|too|very|quite|at all)\b|\bikke (?:så|verst|dårlig"
    r"|sikker)\b|\bnicht (?:so|schlecht|sicher|schlimm|ganz)\b"
)

# -- lessons -------------------------------------------------------------------------------------------------

_LEARNED = any_of(
    r"^(?:label|write|put|keep|use|call|ask|check|test|measure|take|start|bring|store|wash|mix|send|book|count"
    r"|pack) [^.;,]{6,80}, not (?:on|in|at|with|by|from|to|via|when|while)\b|^(?:erst|zuerst) (?:den|die|das"
    r"|alle) [^.;]{3,40}en, dann\b",
    r"^(?!(?:i|he|she|we|it|they|det|er|sie) )(?![^.;]*\b(?:was|were|felt|got|did|had|went"
    r"|\w{3,}ed)\b)[^.;]{5,60}\b(?:better|more|faster|less|worse|easier|longer|earlier) (?:when|after|if|once|before"
    r"|(?:with|without|by|in) [^.;]{2,40} than)\b|\bbeats? (?:one|any)\b",
    r"\bit(?:'s| is) (?:best|better|wise|wiser|smart|safer|easier|cheaper) to\b|\bdet er (?:lurt|lurere|best|bedre"
    r"|smart|tryggere|enklere) å\b|\bes ist (?:besser|klug|klüger|sinnvoll|einfacher|sicherer),? [^.;]{3,60}\bzu\b",
    r"^wer (?!ist|sind|hat|kommt|war|weiß|kann|will)[^.?;,]{4,60}, [^?]*$|^(?:whoever|those who) [^?]*$"
    r"|^den som [^.;?]{4,60}(?:,| får)\b",
    r"^(?:beim|bei|gegen) (?:[^\s,.;]+ ){1,4}hilft (?!mir|uns|er|sie|ich)|^(?:mot"
    r"|ved) (?:[^\s,.;]+ ){1,4}hjelper (?!jeg|vi|han|hun)|^(?:against|for|with) (?:[^\s,.;]+ ){1,5}(?:helps"
    r"|works best)\b",
    r"\blessons? (?:learn(?:ed|t)|here|from (?:this|today|that|the)|of the day|is|was|for (?:next|the future|us|me))\b"
    r"|\b(?:the|my|our|a|big|hard|key|main|important|good|another) lesson\b(?! (?:at|with|plan|on|starts|begins|in))",
    r"(?:^|\b(?:i|we|i've|we've|have|just|today|so) )(?:just |also |again |finally )?learn(?:ed|t)\b",
    r"\bthe hard way\b|\blearn(?:ed|t) today\b|^should(?:'ve| have)\b|\bfound out (?:that|why|how)\b"
    r"|\bwhat i take from\b|^next time\b(?! (?:slot|window|is|was|i see|we (?:meet|see)))|\bnext time (?:we|i|order"
    r"|ask|check|use|call|start|do|get|take|bring|book|send|don't|measure|buy|write|plan|pay|first|around,? )"
    r"|[,:;–—-] ?next time[.!]?$",
    r"\bnever again\b|\bnote to self\b|\b(?:it )?turns out\b|\bturned out (?:that|it|we|they|the|because|not)\b",
    r"^(?:please )?(?:always|never) (?!(?:mind|had|saw|been|the|a|an|seen|got|did|was|were|heard|knew|thought|happy"
    r"|late|said|came|again|good|nice|fun|busy|ending|felt|met|is|has|on|in|at|there|works|worked|quite|really|so"
    r"|too|enough|one)\b)\w+",
    r"\b(?:must|should|shall|need to|have to) (?:always|never)\b|\b(?:don't|do not) ever\b|\b(?:remember"
    r"|make sure) to always\b",
    r"\brules?(?: of thumb)? (?:is|for|from)\b|\bgolden rule\b|\bin hindsight\b|\bwith hindsight\b|\blooking back\b",
    r"\b(?:i|we) should(?:'ve| have) (?!been there|gone to bed)|\b(?:i|we) shouldn't have\b|\b(?:i|we) ought to have\b",
    r"\bthe (?:trick|key|secret|takeaway|moral|mistake|point) (?:is|was)\b|\b(?:it )?pays (?:off )?to\b"
    r"|\bworth (?:remembering|knowing)\b|\bit(?:'s| is| was) worth (?!it|a\b)\w+ing\b|\bremember for (?:next|the)\b",
    r"\bonly works? (?:if|when|with|after|for)\b|\bworks (?:best|better|only|much better) (?:if|when|with|after"
    r"|before|for)\b",
    r"\b(?:doesn't|don't|does not|do not|won't) work (?:unless|without|if|when)\b|\b(?:gotcha|beware|watch out)\b",
    r"\breali[sz]ed (?:that|why|how|we|i|the)\b|\b(?:key|main) (?:insight|learning|takeaway)\b"
    r"|\bexperience (?:shows|says)\b",
    r"^what (?:work(?:ed|s)|help(?:ed|s)|saved (?:us|me|the day))\b(?! (?:her|him|them)\b)(?: [^\s:.,]+){0,4} (?:was"
    r"|is)\b|\bma(?:kes?|de) (?:all )?the difference\b|(?<!\bhe )\bsaves? (?:a lot of |so much |half )?(?:the |us "
    r"|me |you |everyone )*(?:an? |the |half |two |three )?(?:time|hours?|day|days|weeks?|weekend|trouble|work|money"
    r"|nerves|arguments?|evening|headaches?|questions)\b",
    r"^(?!he |she |i |we |they )(?:[^\s,.;]+ ){1,6}(?!was\b|is\b|has\b|this\b|does\b"
    r"|us\b)\w{2,}s (?:[^\s,.;]+ ){0,4}only (?:when|if|after|once)\b|\bkeeps? [^.;]{2,30} only (?:when|if|after"
    r"|once)\b",
    r"^(?:if|when|whenever|unless) (?!i |we )(?:[^\s.;]+ ){2,12}(?:usually|mostly|it is the|it's the|almost always"
    r"|(?:doesn't|does not|don't|won't|never) (?:help|work|pay)\w*|helps|is no use)\b",
    r"^(?:if|unless) you (?!want|like|can|could|have (?:time|a)|need|are (?:free|around|done)|see|know|agree|think)"
    r"(?:[^\s.;]+ ){2,12}(?:you|it|they|nobody|everything|the|nothing)\b",
    r"\bwould(?:n't|'ve| have| not have) (?:have )?(?:saved|helped|spared|been (?:better|faster|cheaper|easier|wiser"
    r"|safer|enough|quicker)|happened)\b|\btakes? (?:twice|three times|longer than (?:you|one|i|we|it))\b",
    r"^(?:you|one) (?:have to|must|need to|should|can't|cannot) (?!see|watch|try|visit|hear|come|read|taste|meet"
    r"|go)(?:[^\s.;]+ ){1,10}(?:before|first|or|otherwise|until|after)\b|^(?!we |i |he |she |they "
    r"|it )[^.;]{8,90}, (?:not|never) (?:after|afterwards|before|later|during)[.!]?$|\bgoes? (?:better|faster"
    r"|smoother|easier) (?:if|when)\b|(?<!\bshe )(?<!\bhe )(?<!\bi )\b(?:is|are) (?:better|best|easier|easiest"
    r"|faster|cheaper) (?:if|when|done|before|after|in (?:small|the morning|pairs))\b",
    r"\bbetter (?:an?|one|two|to ask|ask|late|early)\b[^.;]{2,60}\bthan\b|\b(?:don't|do not|never) (?:promise"
    r"|underestimate|expect|believe|count on|book|buy|order|sign|send|start|mix|let)\b[^.;,]{3,60}\b(?:before"
    r"|without|unless|on a)\b|\b(?:no|not) \w+ without an?\b",
    r"\bbetter to (?:[^\s,.;]+ ){1,8}than\b|\bbe careful (?:with|when|not|about)\b|\bdon't (?:trust|rely on|assume"
    r"|forget to)\b",
    # Norwegian
    r"^det som (?:hjalp|hjelper|fungerte|fungerer|virket|virker|reddet)\b(?: [^\s:.,]+){0,4} (?:er|var)\b"
    r"|\bgjør(?:de)? (?:hele |hele )?forskjellen\b|^(?:bedre|heller|lurere|best|lurt) (?:å"
    r"|med) (?:[^\s.;]+ ){1,10}enn\b|^man (?:må|bør|skal|kan) (?:[^\s.;]+ ){0,8}(?:før|først|alltid|ellers|aldri"
    r"|ikke|hvis)\b|^(?:når|hvis|om) (?!jeg |vi )(?:[^\s.;]+ ){2,12}(?:som regel|vanligvis|nesten alltid|(?:hjelper"
    r"|nytter)(?! (?:jeg|vi|han|hun))|det sjelden)\b|\bsparer (?:oss |meg |deg |mye |en |to )*(?:tid|timer?|dager?"
    r"|uker?|penger|bråk|arbeid)\b|(?<!\ber )\b(?:bare|kun) (?:når|hvis|etter at)\b"
    r"|\bhadde (?:[^\s,.;]+ ){0,3}(?:spart|vært (?:bedre|enklere|lurere|billigere))|\bville (?:ha )?(?:spart|hjulpet"
    r"|vært (?:bedre|enklere|lurere))|\btar (?:dobbelt|lengre tid enn)\b|^(?:aldri|ikke) (?!tid|noen?|så|helt|en|et"
    r"|mye|mer)(?:[^\s,.;]+ ){1,6}(?:før du|uten å)\b|\bhusk alltid\b",
    r"\blærdom(?:men)?\b|\b(?:jeg|vi) (?:har )?lærte?\b|^(?:har )?lærte?\b|\bhar (?:jeg|vi) lært\b|\blærte (?:at"
    r"|jeg|vi|oss|i dag|av)\b",
    r"\bneste gang (?:må|skal|bør|vi|jeg|spør|sjekk|bestill|bruk|ring|ta|mål|start)|^neste gang\b|\baldri (?:mer"
    r"|igjen)\b|\bhuskeregel\b|\btil meg selv\b|\b(?:det )?vis(?:te|er) (?:det )?seg\b",
    r"^(?!\w*(?:r|te|de|et|dd|kk|tt|om|så|ble|tok) )\w{2,9} (?:alltid|aldri)\b|^(?:alltid|aldri) (?!(?:så|vært|hatt"
    r"|hørt|sett|vet|blitt|fått|godt|hyggelig)\b)\w+|\b(?:må|skal|bør) (?:alltid|aldri)\b|\b(?:vi|jeg) burde ha\b"
    r"|\bburde (?:vi|jeg) ha\b|^burde ha\b|\bden harde måten\b|\bhusk til neste\b|\bfant (?:jeg |vi )?ut (?:at"
    r"|hvorfor|hvordan)\b|\bdet jeg tar med\b|\bregel for\b|\b(?:fikk|måtte) erfare\b|^(?:la|gi|bruk|bestill|betal"
    r"|stol|lov|si|send|ta|sett|legg) (?:[^\s,.;]+ )?aldri\b|\bi ettertid\b|\betterpåklok\w*",
    r"\btommelfingerregel\b|\btrikset (?:er|var)\b|\b(?:det )?lønner seg\b|\bfungerer (?:best|bare|kun)\b"
    r"|\bvirker bare\b|\binns(?:å|ett)\b|\b(?:viktig|god|dyr|hard) lærepenge\b|\blærepenge\b|\bpass på (?:at|å)\b"
    r"|\berfaringen (?:er|viser)\b",
    # German
    r"\b(?:daraus|wieder|tour|(?:ich|wir) (?:habe|haben|hab)|haben wir|habe ich) (?:[^\s,.;]+ ){0,3}gelernt\b"
    r"|\bhätten? (?:[^\s.;]+ ){1,6}(?:sollen|müssen)\.?$|\bharte tour\b"
    r"|\bherausgefunden,? (?:dass|warum|wie)\b|\bwas ich (?:[^\s,.;]+ ){0,3}mitnehme\b|\bregel für\b|\b(?:jahr"
    r"|mal) merken\b|\b(?:musste|mussten) (?:[^\s,.;]+ ){0,3}(?:erfahren|lernen)\b|^gelernt\b|\bgelernt(?:,"
    r"|:) dass\b|\bgelernt haben wir\b",
    r"\b(?:die|eine|meine|unsere) (?:lehre|lektion)\b|^nächstes mal\b|^beim nächsten mal\b"
    r"|\b(?:nächstes mal|beim nächsten mal) (?:müssen|sollten|muss|sollte|zuerst|vorher|gleich|besser|lieber|wir"
    r"|ich|früher)\b",
    r"\bnie (?:wieder|mehr)\b|\b(?:stellt|stellte) sich heraus\b|\b(?:hat"
    r"|hatte) sich (?:[^\s,.;]+ ){0,2}herausgestellt\b",
    r"^(?:immer|nie|niemals) (?!(?:noch|wieder|war|ist|hatte|so|schön|mehr|gut|gehört|gesehen)\b)\w+|\b(?:muss"
    r"|müssen|sollte|sollten|darf|dürfen) (?:[^\s,.;]+ ){0,2}(?:immer|nie|niemals)\b|\b(?:immer|nie"
    r"|niemals) (?:[^\s,.;]+ ){0,6}(?:müssen|sollten|dürfen)\b",
    r"\bhätten? (?:ich|wir) (?:[^\s.;]+ ){1,8}(?:sollen|müssen)\b|\b(?:ich"
    r"|wir) hätten? (?:[^\s.;]+ ){1,8}(?:sollen|müssen)\b",
    r"^(?:(?:der|die|das|den|dem) )?\S+ (?:nie|niemals|immer) (?:[^\s,.;]+ ){0,3}\w{2,}en[.!]?$|\b(?:im nachhinein"
    r"|rückblickend|faustregel|goldene regel|der trick (?:ist|war)|erkenntnis|lehrgeld|merke)\b|\blohnt sich\b"
    r"|^man (?:muss|sollte|darf|kann) (?:[^\s.;]+ ){0,8}(?:bevor|erst|zuerst|vorher|immer|nie|sonst|wenn|nicht"
    r"|keine?n?)\b|^(?:lieber|besser) (?:[^\s.;]+ ){0,8}\w{3,}en,? als\b|\bmacht (?:den|einen"
    r"|den ganzen) unterschied\b|^(?:wenn|falls) (?!ich |wir )(?:[^\s.;]+ ){2,12}(?:meistens|meist|fast immer|bringt"
    r"|(?:hilft|nützt)(?! (?:sie|er|ich|wir|mir|uns))|in der regel)\b|\b(?:spart|erspart) (?:[^\s.;]+ ){0,4}(?:zeit"
    r"|stunden?|tage?|wochen?|geld|ärger|arbeit)\b|\b(?:hätte|wäre|hätten|wären) (?:[^\s.;]+ ){0,6}(?:gespart"
    r"|erspart|geholfen|besser gewesen|klüger gewesen|einfacher gewesen|billiger gewesen)\b|^was (?:geholfen"
    r"|funktioniert) hat\b|\bnur,? wenn man\b|\bdauert (?:doppelt|länger als)\b",
    r"\bfunktioniert (?:nur|am besten|erst)\b|\bgeht nur,? wenn\b|\baufpassen (?:mit|bei|dass)\b|\bvorsicht (?:bei"
    r"|mit)\b",
)

# -- open, done ----------------------------------------------------------------------------------------------

_ACTS = (
    r"send|call|pay|ask|check|come back|get back|write|bring|deliver|order|book|fix|decide|let (?:me|us|them) know"
    r"|follow up|return|confirm|look (?:at|into)|visit|reply|answer|forward|prepare|draft|finish|renew|sign"
    r"|pick up|find out|ring|email|mail|text|arrange|sort out|chase|transfer|file|submit|repair|replace|install"
    r"|measure|test|review|update"
)
_OPEN = any_of(
    r"\bwait(?:ing)? (?:for|on|to hear|until)\b|\bawait(?:s|ing)?\b|\bneeds? (?:to(?! know)|an answer|a reply"
    r"|a decision|fixing|doing)\b",
    r"\b(?:must|have to|has to|got to|gotta)\b(?! (?:have|admit|say|confess|laugh))|\b(?:still|yet) to\b|\btb[dc]\b",
    r"\bstill (?:open|waiting|missing|no|not|need\w*|pending|unclear|undecided|outstanding|owes?|unpaid|unanswered"
    r"|unsigned|to do)\b",
    r"\b(?:not|n't) (?:[^\s,.;]+ ){0,4}yet\b|\bnot yet\b|\bno (?:answer|reply|word|response|news) (?:yet|from"
    r"|so far)\b",
    r"\bto be (?:decided|confirmed|done|agreed|fixed|paid|checked|clarified)\b|\bundecided\b|\bunresolved\b"
    r"|\bunclear (?:if|whether|who|when)\b",
    rf"(?:\bwill|'ll|\bpromised to|\bpromises to|\bplans? to|\bgoing to|\bis to|\bare to) (?:also |then "
    rf"|probably )?(?:{_ACTS})\b",
    rf"\b(?:due|expected|promised|wanted|needed|ready) (?:on |by |in |for )?{_WHEN}|\bby {_WHEN}"
    rf"|\bdeadline\b(?! (?:passed|met|kept))",
    r"\bpromised\b|\bremind (?:me|us|\w+) (?:to|about|of)\b|\bdon't forget\b|\bremember to\b|\bfollow up\b|\bchase\b",
    r"\b(?:on hold|blocked (?:by|on|until)|stuck on|outstanding|overdue|not sure (?:if|whether|who|when|what|how"
    r"|which))\b",
    r"\b(?:has|have)(?:n't| not) (?:answered|replied|called|paid|come|arrived|signed|sent|heard|received|got|decided)\b"
    r"|\bowes? (?:me|us|them|him|her)\b|\bopen question\b|\bto find out\b|\bhaven't\b(?=.*\b(?:decided|agreed"
    r"|heard)\b)",
    # Norwegian
    r"\bvente[r]? (?:på|fortsatt|ennå|til)\b|\bavventer\b|\b(?:jeg|vi|du|han|hun|de|som) må(?! ha)\b|^må\b"
    r"|\btrenger (?:å|en|et|svar)\b",
    r"\bskal (?:sende|ringe|betale|spørre|sjekke|komme tilbake|skrive|levere|bestille|fikse|avgjøre|høre|svare|bekrefte"
    r"|se på|hente|finne ut|ordne|følge opp|gi beskjed|purre|teste|kjøpe|sette)\b",
    r"\b(?:fortsatt|ennå|enda) (?:åpent?|ingen|ikke|venter|mangler|uavklart|ubetalt)\b"
    r"|\bikke (?:[^\s,.;]+ ){0,3}(?:ennå|enda)\b|\bennå ikke\b|\bgjenstår\b|\bmangler\b|\bhuske? å\b"
    r"|\bfrist(?:en)?\b|\buavklart\b|\båpent spørsmål\b",
    rf"\b(?:lovet|lovte|lover|skylder|purre[r]?|følge opp|forfaller|på vent|hører fra seg|gir beskjed)\b"
    rf"|\binnen {_WHEN}"
    r"|\bikke sikker på\b|\bhar ikke (?:svart|betalt|kommet|hørt|fått|bestemt|sendt|signert|ringt)\b|\bikke bestemt\b",
    # German
    r"\bwarte[nt]? (?:[^\s,.;]+ ){0,3}auf\b|\bwarte[nt]? noch\b|\bnoch (?:offen|nicht|kein\w*|ausstehend|zu|unklar"
    r"|ungeklärt|unbezahlt)\b",
    r"\b(?:ist|bleibt|sind|bleiben) (?:[^\s,.;]+ ){0,2}offen\b|\bausstehend\b|\bsteht (?:noch )?aus\b|\b(?:ich|wir"
    r"|er|sie|man) (?:muss|müssen)\b|\bmuss (?:ich|noch|bis)\b|\bmüssen (?:wir|noch|bis)\b|\bzu (?:klären|erledigen"
    r"|prüfen|bezahlen|besorgen)\b",
    rf"\bbis (?:zum |zur )?{_WHEN}|\bfällig\b|\bfrist\b|\bversprochen\b|\bverspricht\b|\bschuldet\b|\bnach(?:fragen"
    rf"|haken|fassen)\b",
    r"\b(?:wird|werde|werden|will|wollen|soll|sollen) (?:[^\s.;]+ ){0,8}(?:schicken|anrufen|bezahlen|senden|liefern"
    r"|melden|zurückrufen|prüfen|bestellen|klären|fragen|besorgen|buchen|kommen|antworten|unterschreiben|abholen"
    r"|erledigen)\b",
    r"\bschickt (?:[^\s.;]+ ){0,6}(?:bis|noch|morgen|nächste)\b|\bmeldet sich\b|\bnicht vergessen\b|\bdaran denken\b"
    r"|\bungeklärt\b|\bunklar\b|\bkümmert sich\b|\b(?:fehlt|fehlen)\b|\bbrauche[n]? noch\b|\bhat (?:noch )?nicht\b",
)
_IMPERATIVE = re.compile(
    rf"^(?:{_ACTS}|get|buy|make|write down|schedule|ring|clean|order|sende?|ring(?:e)?|betal|spør|sjekk|bestill|kjøp"
    rf"|hent|svar"
    r"|følg opp|finn ut|anrufen|kaufen|bestellen|prüfen) (?:the|a|an|my|our|his|her|their|back|up|for|to|about|if"
    r"|whether|\w+ (?:about|for|to|if|whether|that|by|on)|[a-zæøåäöüß]+ om|til|på|opp|en|et|den|det)\b"
)
_QUESTION = re.compile(r"\?[\"')\]]*\s*$")
_RHETORICAL = re.compile(
    r"^(?:why not|right|really|so what|what now|who knows|how come|seriously|ok(?:ay)?|and you"
    r"|how are you|what's up|whats up|everything ok|alles klar|alles gut|wie geht'?s?|hva skjer"
    r"|hvordan går det|ikke sant|hvem vet|oder|echt|wer weiß)\b"
)
_DONE = any_of(
    r"\b(?:done|finished|completed?|sent|paid|arrived|came|delivered|received|signed|fixed|repaired|replaced|booked"
    r"|ordered|called|rang|answered|replied|submitted|shipped|closed|confirmed|cancell?ed|settled|resolved|solved"
    r"|bought|picked up|returned|installed|found|renewed|published|handed (?:in|over)|cleared|approved|merged"
    r"|released|e?mailed|posted|collected|wrote|transferred|filed|got|went out|tested|measured|reviewed|updated"
    r"|sorted|arranged|finalised|finalized|hired|sold|deployed|is (?:here|back|in|up|live|ready|in place|on its way)"
    r"|are (?:here|back|in|ready))\b",
    r"\b(?:ferdig|gjort|sendte?|betalte?|kom|kommet|ankom|levert[e]?|mottatt|mottok|fikk|fått|signert[e]?|fikset"
    r"|reparert[e]?|byttet|bestilt[e]?|booket|ringte?|svarte?|bekreftet|avlyst|løst[e]?|kjøpt[e]?|hentet|returnert"
    r"|installert|funnet|fant|fornyet|publisert|avklart|i orden|på plass|godkjent|avsluttet|ordnet|solgt[e]?|skrev"
    r"|målt[e]?)\b",
    r"\b(?:erledigt|fertig|geschickt|gesendet|verschickt|abgeschickt|bezahlt|überwiesen|gekommen|kam|kamen"
    r"|angekommen|geliefert|erhalten|bekommen|unterschrieben|unterzeichnet|repariert|ersetzt|gebucht|bestellt"
    r"|angerufen|geantwortet|antwortete|eingereicht|abgegeben|geschlossen|bestätigt|abgesagt|gelöst|geklärt|gekauft"
    r"|abgeholt|zurückgegeben|installiert|gefunden|verlängert|veröffentlicht|ist da|sind da|abgeschlossen|genehmigt"
    r"|behoben|gemacht|verkauft|eingebaut|eingetroffen|gemessen)\b",
)
_UNDONE = re.compile(
    r"(?:\bnot|n't|\bno|\bnever|\bwithout|\buntil|\bonce|\bto be|\bwill be|\bwhen|\bif|\bunless|\bbefore|\bby|\bget"
    r"|\bget it|\bikke|\bingen|\baldri|\bnår|\bhvis|\bmå|\bskal|\bblir|\bnicht|\bnie|\bkeine?|\bkeinen|\bwenn|\bwird"
    r"|\bmuss|\bsoll|\bnoch) (?:[^\s,.;]+ ){0,3}$"
)
_WHENEVER = re.compile(r"(?:once|if|when|until|as soon as|unless|hvis|når|så snart|wenn|sobald|falls)\b")
_FAILED = re.compile(
    r"\b(?:failed|fails?|failure|broke|broken|down|crash\w*|leak\w*|lost|missing|late|delayed|stolen|damaged|refused"
    r"|complain\w*|feilet|ødelagt|knakk|nede|lekk\w*|mistet|forsinket|stjålet|skadet|klag\w*|svikt\w*|ausgefallen"
    r"|kaputt|defekt|leck\w*|verloren|verspätet|gestohlen|beschädigt|beschwer\w*|gescheitert)\b"
)
_WEIGHTY = re.compile(
    r"\b(?:urgent|important|critical|first(?: ever| time)?|record|emergency|accident|injur\w*|fire|police|hospital"
    r"|lawyer|contract|deadline|born|died|birth|wedding|launch\w*|milestone|hired|quit|resigned|raise[sd]?"
    r"|moved? (?:to|from|in|out)|haster|viktig|kritisk|første gang|rekord|ulykke|brann|politi|sykehus|advokat"
    r"|kontrakt|født|døde|bryllup|lansert|dringend|wichtig|kritisch|erstmals|unfall|brand|polizei|krankenhaus|anwalt"
    r"|vertrag|geboren|gestorben|hochzeit)\b"
)
_AGAIN = re.compile(
    r"\b(?:every time|each time|keeps? (?:\w+ing|on)|once again|as (?:always|usual)|(?:second|third|fourth|fifth"
    r"|[2-9](?:nd|rd|th)) time|every (?:week|month|day|morning|evening)|whenever|hver gang|gang på gang"
    r"|som (?:alltid|vanlig)|(?:andre|tredje|fjerde) gang|hver (?:uke|måned|dag|morgen)|jedes mal|immer wieder"
    r"|wie (?:immer|üblich)|zum (?:zweiten|dritten|vierten) mal"
    rf"|jede[nrs]? (?:woche|monat|tag|morgen)|(?:every|hver|jede[nr]?) (?:{_DAY})|{_DAY}s)\b"
)

_ONCE_MORE = re.compile(
    r"\b(?:again|once more|another|(?:second|third|fourth|fifth) time|igjen|nok en gang|(?:andre|tredje|fjerde) gang"
    r"|wieder|nochmals?|noch einmal|zum (?:zweiten|dritten|vierten) mal)\b"
)


def label(text: str) -> tuple[str, int]:
    """(section, length) of a label that a text begins with, such as `Decision: `; ("", n) for one that tells none."""
    found = _LABEL.match(plain(text[:60]))
    if found is None:
        return "", 0
    told = str(found.lastgroup)
    return ("" if told == "idle" else list(_LABELS)[int(told[1:])]), found.end()


def heading(text: str) -> str:
    """The section that a heading such as `Decisions` or `Lessons learned` names, "" for any other."""
    return label(f"{text.strip().strip('*_#:')}: ")[0] if len(text) <= 60 else ""


def lead_in(text: str) -> int:
    """The length of what a text is begun with and says nothing: `Well, `, `Actually, `."""
    found = _LEAD.match(plain(text[:80]))
    return found.end() if found else 0


@lru_cache(maxsize=4096)
def section_of(text: str) -> str:
    """Decisions, Corrections, Lessons or Open threads, by what the text says; "" for what only happened."""
    lower = plain(text)
    asked = _QUESTION.search(lower) is not None
    if not asked:
        learned = _LEARNED.search(lower)
        if _CORRECTED.search(lower) or _contrasts(text, lower):
            return "Corrections"
        if learned and learned.start() == 0:
            return "Lessons"
        if decides(lower):
            return "Decisions"
        if learned:
            return "Lessons"
    if _OPEN.search(lower) or _IMPERATIVE.search(lower):
        return "Open threads"
    return "Open threads" if asked and len(lower.split()) >= 3 and not _RHETORICAL.search(lower) else ""


def _contrasts(text: str, lower: str) -> bool:
    """`not A but B` with figures or names; `Actually, …` with something firm in it."""
    if _CONTRAST.search(text) is not None:
        return True
    return _CORRECTIVE.search(lower) is not None and _FIRM.search(lower) is not None and not _NOT_FIRM.search(lower)


def decides(lower: str) -> bool:
    """Whether something is decided here, and not only about to be."""
    return _DECIDED.search(lower) is not None and _UNDECIDED.search(lower) is None


def done(text: str) -> bool:
    """Whether something came to its end: sent, paid, arrived, fixed; `not paid yet` is none."""
    lower = plain(text)
    return _WHENEVER.match(lower) is None and any(
        not _UNDONE.search(lower[max(found.start() - 40, 0) : found.start()]) for found in _DONE.finditer(lower)
    )


def failed(text: str) -> bool:
    """Whether something went wrong."""
    return _FAILED.search(plain(text)) is not None


def weighty(text: str) -> bool:
    """Whether a text names what is seldom small: a contract, an accident, a first time."""
    return _WEIGHTY.search(plain(text)) is not None


def once_more(text: str) -> bool:
    """Whether a text says that something came another time."""
    return _ONCE_MORE.search(plain(text)) is not None


def recurs(text: str) -> bool:
    """Whether a text says by itself that something comes again and again."""
    return _AGAIN.search(plain(text)) is not None
