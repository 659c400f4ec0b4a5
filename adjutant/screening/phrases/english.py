"""SCREENING. English phrases that address a model, and what they demand of it."""

from __future__ import annotations

from adjutant.screening.phrases.book import BREAK, START, Phrases, any_of, family, gap
from adjutant.screening.phrases.english_rules import RULE_FAMILIES
from adjutant.screening.phrases.english_words import (
    AFTER,
    ANSWER,
    ANYONE,
    BIDS,
    CALLS,
    JUDGE,
    MODEL,
    MODEL_BIDS,
    MUST,
    NAMES,
    NOT,
    ORDER,
    ORDERING,
    PERSONS,
    TELL,
    VERDICT,
)

_TOLD = family(
    "tells an assistant what to conclude or conceal",
    (
        NAMES,
        ORDERING,
    ),
    rf"""
    \b(?:instructions?|directives?|commands?|messages?) (?:to
    + |for) (?:the |any |all |this )?{ANYONE}\s?[,:!—–>=-]+(?:{gap(3)})?{ORDER}\b
    {START}(?:(?:{CALLS}|to|for)\W+)?{PERSONS}(?:\w+ )?{ANYONE}(?: (?:only|override|update
    + |instructions?|message|note|notice|command|directive|alert))?\s?[,:!—–>=-]+(?:{gap(3)})?{ORDER}\b
    """,
)

_BOUND = family(
    "tells an assistant what to conclude or conceal",
    (
        NAMES,
        "=must|=shall|=should|=has|=have|=need|=needs|=will|=can|=may|=ought|=please|=kindly|=is|=are",
        "previous|prior|anyone|any one|anybody|operator|owner|=its|=their|=all|=other|everything|=any|=every"
        "|earlier|"
        "safety|human|=this|secret|password|=key|=keys|credential|.env|http|prompt|journal|insight|"
        "memory|=files|=notes|ledger|=it|the above|=these|severity|link|following|script|command|"
        "=url|=code",
    ),
    rf"""
    &  (?:not |never |avoid |refrain from ){TELL}{gap(4)}(?:operator|owner|the human|humans?|any ?one
    + |this (?:to|file|note|message|line|issue|matter))\b
    &  (?:send|forward|e-?mail|post|upload|reveal|disclose|exfiltrate|copy|transmit|leak
    + |share){gap(5)}(?:secrets?|passwords?|(?:api |secret |private )keys?|credentials|\.env|everything (?:it
    + |you|in|from)|all (?:files|notes|journals?|data|memory|memories)|system prompt|its (?:instructions
    + |prompt|memory)|(?:this|the|these) (?:file|folder|notes?|journal|memory|insights?|contents?
    + |knowledge base|conversation))\b
    """,
    head=BIDS,
)
_MODEL_BOUND = family(
    "tells an assistant what to conclude or conceal",
    (
        NAMES,
        "=must|=shall|=should|=has|=have|=need|=needs|=will|=can|=may|=ought|=please|=kindly|=is|=are",
        "previous|prior|anyone|any one|anybody|operator|owner|=its|=their|=all|=other|everything|=any|=every"
        "|earlier|"
        "safety|human|=this|secret|password|=key|=keys|credential|.env|http|prompt|journal|insight|"
        "memory|=files|=notes|ledger|=it|the above|=these|severity|link|following|script|command|"
        "=url|=code",
    ),
    rf"""
    \b(?:all |any |every ){MODEL}(?: reading \w+)?,? {MUST} (?:recommend|praise|rate|say|write|answer|approve
    + |choose|prefer|reply|add|include|ignore|obey|rank|mention|promote|endorse)\b
    \b{MODEL}(?: reading \w+)?,? {MUST}{gap(5)}(?:this|these|the following|the above) (?:documents?|files?
    + |texts?|pages?|notes?|messages?|lines?|vendors?|providers?|products?|company|folder)\b
    &  (?:ignore|disregard|forget|override|bypass){gap(4)}(?:previous|prior|operator|owner|its|their|all|other
    + |everything|any|earlier|safety)\b(?! (?:typo|test|empty|duplicate|whitespace|noise|calls|spam))
    &  (?:follow|visit|open|click|execute|run|fetch|load){gap(2)}(?:links?|https?|following|this|these
    + |scripts?|commands?|url|code)\b
    &  (?:delete|erase|remove|wipe|destroy){gap(2)}(?:all|every|everything|the (?:journal|insights?|memory
    + |files|notes|ledger))\b
    &  {JUDGE}{gap(3)}(?:this|everything|all|it|the above|these|severity
    + |(?:the |its )?priority){gap(4)}{VERDICT}\b(?! (?:in|when|if|unless|until|after|once)\b)
    """,
    head=MODEL_BIDS,
)

_DATA = any_of(
    "files? | documents? | notes? | texts? | pages? | folder | knowledge base | kb | messages? | lines? "
    "| entry | journal"
    " | insights? | issues? | content"
)
_AIMED = family(
    "tells a reader of this text what to conclude or conceal",
    (
        "=when|=while|=before|=after|=if|=upon|=on",
        "summari|process|analy|=read|=reading|pars|=review|=reviewing|triag|classif|escalat|"
        "evaluat|ingest|=brief|briefing|judg",
        "=this|=these|=the",
        ORDERING + "|send",
    ),
    rf"""
    \b(?:when|while|before|after|if|upon|on)(?: you(?:'?re| are)?)? (?:summari[sz]|process|analy[sz]
    + |read|pars|review|triag|classif|escalat|evaluat|ingest|brief|judg)(?:es?|ing|y|ying)? (?:this
    + |these|the) (?:\w+ )?{_DATA},?{gap(4)}(?:{NOT} {TELL}|{JUDGE}{gap(4)}{VERDICT}
    + |{ANSWER}(?: only| exactly)? (?:with|only)|say (?:that (?:there|all|every|nothing|no)|nothing
    + |there (?:is|are)|all is|everything is)|ignore (?:all|any|the rest|every|other)|you must|(?:choose
    + |decide|select|pick|output)(?: on)? (?:log|notify|flag)|send{gap(5)}(?:https?
    + |[\w.]{{1,40}}@\w+))\b
    """,
)

_OUTPUT = r"(?:summary|brief|report|reply|response|output|answer|triage|journal|review|synthesis)"
_CONCEALED = family(
    "goes behind the operator's back",
    (
        "=operator|operator'|=human|human'|your ",
        "=not|n't|dont|never|without|avoid|hide|conceal|withhold|=keep|disregard|ignor|discard|"
        "overrid|convince|persuade|trick|deceive|mislead|lie to|leave this|exclude|omit|claim|"
        "pretend|in your",
    ),
    rf"""
    \b{NOT} {TELL}{gap(3)}(?:the operator|your (?:operator|owner|user|human|creators?)
    + |the human)\b(?! (?:resources|of))
    \b(?:do not|don'?t|never) let (?:the operator|your \w+|the human) (?:know|see|find|learn|notice
    + |hear)\b
    \b(?:the operator|your (?:operator|human|user)) (?:must|should|may|shall|need)(?: not|n'?t
    + | never) (?:know|learn|see|find out|hear|notice|be (?:told|informed|notified|alerted))\b
    \b(?:convince|persuade|trick|deceive|mislead|lie to) (?:the operator|your (?:operator|human|user
    + |owner))\b
    \b{NOT} {TELL} this(?: \w+)? (?:in|to) your (?:next )?{_OUTPUT}\b
    \b(?:leave|keep|exclude|omit|drop|withhold) this(?: \w+)? (?:out of|from) your (?:next )?{_OUTPUT}\b
    \bin your (?:next |daily |final )?{_OUTPUT},? (?:please )?(?:claim|pretend|omit|state that
    + |say (?:that|nothing)|{NOT} {TELL}|ignore|leave out)\b
    \b(?:hide|conceal|withhold|keep){gap(3)}from (?:the operator|your (?:operator|owner|human|user)
    + |the human)\b(?! (?:resources|interface|menu|list|view|guide))
    \b(?:disregard|ignore|discard|override) (?:(?:the |your )operator(?:'?s)?|your (?:owner|human
    + |user)(?:'?s)?|the (?:user|human)'?s (?:request|wishes|orders|instructions
    + |priorities))\b(?! (?:seat|panel|manual|error|warning|alarm|code))
    """,
)

_READS = "(?:reading|parsing|summari[sz]ing|ingesting|indexing|analy[sz]ing|processing)"
_STUDIES = (
    "(?:triaging|evaluating|reviewing|judging|assessing|scanning|examining|handling|digesting|seeing|grading|ranking)"
)
_THIS = r"(?:this|these|the following|my|our|it)\b"
_NAMED = family(
    "addresses a model that reads this",
    (NAMES,),
    rf"""
    (?:\b{CALLS}|{START}(?:to
    + |for))\W{{1,3}}(?:any |all |the |every |our |your |whichever |whatever )?(?:\w+ )?{MODEL}{AFTER}
    \b(?:{MODEL}|assistants?|agents?|bots?|models?|whoever|system)(?: that is| who is| is
    + |,)? {_READS} {_THIS}
    \b{MODEL}(?: that is| who is| is|,)? {_STUDIES} {_THIS}
    \b(?:being )?(?:read|processed|parsed|summari[sz]ed|analy[sz]ed|seen|reviewed) by (?:an?|any|the
    + |some) {MODEL}{AFTER}
    \b(?:if|when|whenever|should|once) (?:an?|any|some|the) (?:{MODEL}|assistant|bot|machine) (?:reads?
    + |sees?|process\w*|parses?|summari\w+|gets|receives?) {_THIS}
    \byou(?:'?re| are) (?:the )?(?:[\w-]+ ){{0,3}}\w+'s {MODEL}{AFTER}
    \b(?:{MODEL}|assistants?|bots?),? (?:that|who|which)(?: is| are)?(?: currently| now)? (?:reads?
    + |parses?|summari[sz]es?|process(?:es)?|ingests?|analy[sz]es?|sees?|receives?|{_READS}) {_THIS}
    \b(?:if|when|since|because|as|given that) you(?:'?re| are) (?:an?|the|any|some
    + |one of the) (?:\w+ )?{MODEL}{AFTER}
    \byou(?:'?re| are)(?: now)? (?:an?|the|my|our|no longer an?) (?:\w+ )?{MODEL}{AFTER}
    \bas an? (?:\w+ )?{MODEL},? (?:you|your|it is your|ignore|do)\b
    \bthis(?: \w+)? is (?:addressed |meant |intended |only )*(?:to|for) (?:the |any |all |an )?{MODEL}{AFTER}
    \byou(?:'?re| are) (?:an?|my) (?:helpful |good |obedient )?assistant(?=\s?[{BREAK}])
    \byou,? (?:the|as the|as an?) (?:\w+ )?{MODEL}\b
    {START}(?:the |any |all |every )?(?:llms?|language models?|chatgpt|chatbots?|(?:ai
    + |llm)[-\x20](?:assistants?|agents?|models?|systems?)
    + |virtual assistants?)\s?[,!—–](?!(?: [\w-]+){{1,2}}(?:,| and| or)| (?:llms?|ai)\b)
    """,
)

_PERSONAL = family(
    "addresses a model by its operator",
    (
        "you have|your operator|your human|your creator|your task|your goal|your mission|your objective|"
        "your instruct|your role|your programming|the operator|the developer|the admin|the creator|"
        "your developer|your admin",
    ),
    r"""
    \bi(?:'?m| am) (?:the|your) (?:operator|developer|administrator|admin|creator)\b(?! (?:of|at|on|for
    + |in|who))
    \byou have (?:got |received |been given )?new (?:instructions|orders|directives|rules)\b(?! from)
    \byour (?:operator|human|creators?)\b(?! (?:resources|license|licence|manual))
    \byour (?:task|goal|mission|objective|instructions|role|programming) (?:has
    + |have)(?: now)?(?: been)? (?:changed|updated|replaced|overridden)\b
    """,
)

_MARKUP = family(
    "forges the markup of a conversation",
    (
        "<¦|im start|[inst|[/inst|[system|[/system|[assistant|[/assistant|<<|<system|</system|"
        "<assistant|</assistant|<sys|</sys|<developer|</developer|</data|</context|</document|"
        "</untrusted|</input|# system|#system|# instruct|#instruct|# new instruct|# assist|"
        "begin system|start system|end system|begin user|begin admin|end user|{{|begin instr|start of|"
        "begin comm|of instr|of system|of user|end of |role|eyes only|reader only|readers only|"
        "ears only|hello|hey|=hi|greetings|listen|you are|you're|dear model|dear assistant",
    ),
    rf"""
    \b(?:hello|hey|hi|greetings|listen)(?: there| up)?,? (?:assistant|bot|adjutant|agent|robot
    + |chat ?bot)\s?[,!.:]
    \byou(?:'?re| are)(?: now)? (?:chatgpt|gpt-?\d\w*|claude|gemini|copilot|adjutant)\b
    <<\s?/?(?:end|begin)?\s?(?:of )?data\b
    </(?:data|context|document|untrusted|input)>\W*<(?:instructions?|system|task|prompt|command)>
    \bend of (?:the )?(?:data|document|context|input|knowledge base|file|untrusted \w+
    + |user input)\W{{1,6}}(?:the )?(?:new |real |begin |start |actual )?(?:instructions?|system|task
    + |prompt|commands?)\b
    \brole\W{{1,4}}(?:system|developer|assistant)\W{{1,6}}content\b
    \bfor (?:ai|llm|bot|assistant|model|machine)s?(?:'s?)? (?:eyes|readers?|ears) only\b
    \bdear (?:model|assistant)\s?(?:[.!]|$)
    \b(?:if|since|because|as) you(?:'?re| are) (?:an?|the) (?:assistant|agent|bot|model) {_READS}
    <\|[\w\s]{{3,20}}\|>
    </?(?:system|assistant|sys|system[-\x20](?:prompt|message|instructions?|reminder|override)
    + |developer)>
    \[/?(?:inst|system(?: \w+)?|assistant)\]
    <</?sys>>
    \{{\{{[#/~]?system\b
    #{{1,4}} ?(?:system|instructions?|new instructions?|system prompt|assistant) ?(?::|#{{1,4}})
    {START}(?:begin|end|start)(?: of)? (?:system|user|admin\w*|developer) (?:prompt|message|input
    + |instructions?)\b
    """,
)

_DEMAND = any_of(
    r"""
    \b(?:ignor|disregard|forget|overrid|bypass|reveal|leak|exfiltrat|disclos|pretend|obey|compl(?:y|ies))\w*
    \b(?:send|notify|delete|remove|erase|wipe|approve|set|mark|forward|e-?mail|write|create|update|add|say
    + |tell|reply|respond|answer)\b
    \b(?:print|output|run|execute|post|open|use|make|give|include|stop|start|transfer|pay|skip|follow|call
    + |move|drop|hide|treat)\b
    \b(?:raise|lower|escalate|summari[sz]e|classify|report|rate|repeat|return|append|insert|copy|upload
    + |download|fetch|visit|click)\b
    \b(?:act|behave|switch|enable|disable|turn|change|rewrite|replace|recommend|conclude|confirm|assume
    + |consider|trust|grant|allow)\b
    \b(?:unlock|pause|resume|kill|file|omit|suppress|praise|rank|choose|prefer|buy|book|schedule|cancel|close
    + |push|commit|merge)\b
    \b(?:deploy|install|export|load|read|list|show|display|translate|encode|decode|log|save|store|remember
    + |invoke|trigger|activate)\b
    \b(?:proceed|begin|state|claim|mention|contact|warn|alert|inform|submit|sign|accept|reject|deny|refuse
    + |ensure|leave|put)\b
    \byou (?:are|will|must|shall|can)\b
    \b(?:must|should|shall|please|never|always|do not|don'?t|have to|has to|need to|required to|from now on
    + |may not|instead)\b
    """
)

PHRASES = Phrases(
    families=(*RULE_FAMILIES, _TOLD, _BOUND, _MODEL_BOUND, _AIMED, _CONCEALED),
    addresses=(_NAMED, _PERSONAL, _MARKUP),
    calling=rf"^\W*(?:(?:{CALLS}|to|for)\W+)?{PERSONS}{ANYONE}{AFTER}",
    demanding=_DEMAND,
)
