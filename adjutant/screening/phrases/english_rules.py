"""SCREENING. English phrases about a model's rules: set aside, voided, revealed, replaced."""

from __future__ import annotations

from adjutant.screening.phrases.book import BREAK, START, family, gap
from adjutant.screening.phrases.english_words import (
    EARLIER,
    ELSEWHERE,
    LOOSE_RULES,
    MODEL,
    NAMES,
    ORDER,
    ORDERING,
    RULES,
    SECRETS,
    SET_ASIDE,
    UNFOLLOW,
)

_UNBOUND = "unrestricted|unfiltered|jail-?broken|uncensored|dan|evil"
_FOLLOWING = "follow|obey|heed|apply|adher|compl|listen|consider|respect|use|consult|enforce"
_NOT_FOLLOWING = "|".join(
    f"{no} {verb}"
    for no in ("not", "n't", "dont", "never", "longer", "refuse to", "stop", "cease", "quit")
    for verb in _FOLLOWING.split("|")
)

_ASIDE_TAILS = rf"""
    & {gap(4)}{EARLIER}{gap(3)}{RULES}\b{ELSEWHERE}
    & {gap(2)}(?:all|any|every|each|your)\b{gap(4)}{EARLIER}{gap(3)}(?:{RULES}
    + |{LOOSE_RULES})\b(?! (?:from|by) \w)
    & {gap(3)}(?:the|these|those){gap(1)}(?:previous|prior|above|preceding|system|developer
    + |safety){gap(1)}(?:rules|constraints|restrictions|context)\b{ELSEWHERE}
    & {gap(3)}your{gap(3)}(?:{RULES}|rules|constraints|restrictions|polic(?:y|ies)
    + |limitations|safety \w+|ethics)\b
    & {gap(3)}{RULES}(?: that (?:are|were|is)| which (?:are|were))?(?: (?:given|written
    + |stated|printed|set out))? (?:above|before this|up to here|so far|until now)\b
    & {gap(2)}(?:the|these|those|all)(?: of)?(?: the)? rules(?: above| before this)?
    + (?= and obey|,? and (?:do|act|reply|answer)\b)
    & {gap(2)}the rules above(?=\s?(?:[{BREAK}]|$))
    & {gap(2)}(?:all|every|any)(?: of)?(?: the| these| those| such)? {RULES}\b{ELSEWHERE}
    & {gap(3)}(?:{RULES}|rules|everything|anything|all|what(?:ever)?)(?: that
    + | which)? you(?: were|'?ve been| have been|'?d been| had been| got| received| have| are| know
    + | learned)(?: (?:told|given|taught|instructed|trained))?\b
    & {gap(2)}(?:everything|anything|all(?: of)?(?: the| that)?|whatever)(?: (?:is|was|came
    + |that|which|written|said|stated|told))*(?: to you)? (?:above|before(?: this| that| now)?
    + |prior(?: to this)?|previously|earlier|so far|up to (?:now|here|this point)
    + |until now)(?: this)?(?: (?:line|point|message|note|sentence|text))?\s?(?=[,:{BREAK}—–-]|$|and\b
    + |instead\b)
    & {gap(1)}what(?:ever)? (?:(?:your |the )?(?:developers?|creators?|makers?|operators?
    + |users?|openai|anthropic) (?:have |has )?(?:told|said|taught|instructed|wrote)|(?:is
    + |was) (?:written |said )?in your (?:prompt|instructions|rules|system \w+))\b
    &  (?:(?:the |your |all )?(?:heart
    + |soul|wisdom|identity)\.md|your (?:heart|soul|priorities|wisdom)|the (?:operator
    + |user)'?s? priorities|user priorities)\b
    """
_SET = family(
    "sets the rules aside",
    (
        "ign|disregard|forget|overrid|overrul|bypass|neglect|dismiss|circumvent|discard|abandon|"
        "supersed|set aside|setting aside|throw out|throw away|void |violate|break from|break free|"
        "break out|break of|disobey|no attention|no heed|replace heart|replace soul|overwrite|"
        "replace your",
        "instruct|directi|prompt|guideline|guardrail|programming|system|training|safeguard|rule|"
        "command|constraint|restriction|heart|soul|wisdom|identity|priorit|context|condition|polic|"
        "safety|limitation|protocol|content|message|everything|anything|whatever|=all|=what|ethics|"
        "=text",
    ),
    _ASIDE_TAILS,
    head=SET_ASIDE,
)

_UNFOLLOWED = family(
    "sets the rules aside",
    (
        _NOT_FOLLOWING,
        "instruct|directi|prompt|guideline|guardrail|programming|system|training|safeguard|rule|"
        "command|constraint|restriction|heart|soul|wisdom|identity|priorit|context|condition|polic|"
        "safety|limitation|protocol|content|message|everything|anything|whatever|=all|=what|ethics|"
        "=text",
    ),
    _ASIDE_TAILS,
    head=UNFOLLOW,
)

_VOIDED = family(
    "sets the rules aside",
    (
        "overrid|supersede|replace|cancel|precedence|overrul|outrank|trump|=void|revoked|suspended|"
        "obsolete|=null|lifted|disabled|invalid|in effect|binding|apply|=count|=hold|=bind|=matter",
        "instruct|directive|prompt|=rules|programming|guideline|guardrail|restriction|training|"
        "safeguard|system message|directions",
        "=your|=all|=any|=system|=my|=this|=these|=previous|=prior|=above|=earlier|=original|=safety",
    ),
    rf"""
    \b(?:this|these|the following|following|new|my){gap(3)}(?:override|supersede|replace|cancel
    + |take precedence over|overrule|outrank|trump)s?{gap(3)}(?:your|system|(?:all
    + |any)(?: \w+)?){gap(2)}(?:instructions?|prompts?|directives?|rules|programming)\b
    \b(?:your|all|any|the){gap(2)}(?:previous|prior|earlier|original|system|above
    + |safety){gap(2)}(?:{RULES}|rules|restrictions)(?:(?: (?:are|is|have been|has been
    + |were))(?: (?:now|hereby|all|no longer))*{gap(1)}(?:void|cancel\w*|revoked|superseded|suspended
    + |obsolete|null|lifted|overridden|disabled|invalid|in effect|binding)|(?: (?:do not|does not|don'?t
    + |no longer|cease to)) (?:apply|count|hold|bind\w*|matter))\b
    \b(?:consider|treat|regard|deem){gap(2)}your{gap(2)}(?:{RULES}|rules|restrictions){gap(2)}(?:void
    + |cancel\w*|revoked|superseded|suspended|obsolete|null|lifted|invalid|replaced)\b
    \bsystem (?:prompt|message|instructions?) ?overrid\w+\b
    \boverrid\w+ (?:the |your )?system (?:prompt|message|instructions?)\b(?! (?:in|via|for|with|per|from
    + |using|docs?|file|on|when|by|at|through|template|field|setting)\b)
    """,
)

_LICENSED = family(
    "lifts the rules in somebody's name",
    (
        "permission|you may|you can|allowed|free to|authori|as your ",
        "ignore|disregard|bypass|overrid|exceed|developer|creator|maker|operator|administrator|=admin",
        "quiet hours|notification|safety|guardrail|your",
    ),
    rf"""
    \byou (?:have (?:my |full )?permission to|may|can|are (?:allowed|free|authori[sz]ed
    + |permitted) to)(?: now)? (?:ignore|disregard|bypass|override|exceed){gap(2)}(?:your|quiet hours
    + |notification|safety|guardrails)\b
    \byou (?:have (?:my |full )?permission to|may|can|are (?:allowed|free|authori[sz]ed
    + |permitted) to)(?: now)? (?:ignore|disregard|bypass|override
    + |exceed){gap(4)}in your (?:configuration|config|prompt|instructions|settings)\b
    \bas your (?:developers?|creators?|makers?|operator|administrator
    + |admin),? i (?:hereby )?(?:authori[sz]e|order|command|instruct|permit|tell|ask|allow|need|want)\b
    """,
)

_PROMOTED = family(
    "calls data an instruction",
    (
        "as if|as a |as an |as the |as your|as instruct|as command|as order|as system|not data|"
        "no longer data|than data|just data",
        "instruction|command|=order|=orders|system prompt|system message|operator",
    ),
    rf"""
    \b(?:treat|interpret|execute|regard|take|read|consider|parse|handle|process
    + |follow){gap(6)}as (?:if (?:it|they|this) (?:came|were
    + |was) )?(?:from )?(?:an? |the |your )?(?:new |valid |trusted |direct )?(?:system (?:message|prompt
    + |instructions?)|(?:instructions?|commands?|orders?) (?:to|for|from) (?:you|your \w+
    + |the (?:assistant|operator|system|ai|model))|your (?:system prompt|instructions|operator))\b
    \bthis is (?:not|no longer|more than) (?:just )?data\b{gap(3)}(?:instructions?|commands?|orders?)\b
    """,
)

_REVEAL = family(
    "asks for the rules or secrets",
    (
        "reveal|print|show|output|repeat|display|leak|disclos|dump|expos|recite|send|write|paste|"
        "quote|return|include|list|copy|exfiltrat|forward|mail|=post|divulge|share|give|tell|"
        "append|provide|spell|echo|what|summari|translate|phrase|encode|=put|=read",
        "your |system prompt|system message|hidden |initial |secret|internal |confidential|"
        "developer |everything|words|lines|the text|the instructions|contents of|content of|"
        "you told|you instructed|you asked|.env|.ssh|id rsa|passwd|full |original |exact |entire |"
        "environment var|api key|apikey|chain of",
        "prompt|instruct|=rules|guideline|secret|credential|configuration|directive|programming|"
        "memory|token|password|context|system message|environment var|api key|apikey|chain of|"
        "above|before this|heart|soul|wisdom|identity|journal|.env|.ssh|id rsa|passwd",
    ),
    rf"""
    \b(?:reveal|print|show|output|repeat|display|leak|disclose|dump|expose|recite|send|write|paste|quote
    + |return|include|list|copy|exfiltrate|forward|e-?mail|post|divulge|share|give|tell|append|provide
    + |spell){gap(4)}your{gap(2)}{SECRETS}\b
    \b(?:reveal|leak|disclose|recite|exfiltrate|divulge|expose|repeat|print|dump|output|summari[sz]e
    + |translate|paraphrase|rephrase|encode){gap(2)}your{gap(2)}(?:instructions?|prompts?|rules
    + |guidelines|secrets|credentials|configuration|directives|programming|memory|tokens|passwords
    + |context)\b
    (?:{START}|\b(?:please|and|then|now|must|to|you) )(?:reveal|leak|disclose|recite|exfiltrate|divulge
    + |repeat)(?: me| us| back)? the{gap(1)}{SECRETS}\b(?! (?:in|from|of) (?!full))(?! (?:docs?|file
    + |bug|issue|risk|problem|test))
    \b(?:repeat|print|output|recite|write (?:out|down)|copy|echo){gap(2)}(?:everything
    + |all(?: the)? (?:text|words|lines)|the (?:text|words|lines|instructions)) (?:above
    + |before this)\b(?=[^\w]*(?:$|[{BREAK}]|and\b|verbatim|word|in (?:full|a code)|inside|starting
    + |back))
    \b(?:include|send|print|reveal|quote|post|show|output|dump|e-?mail|copy|append|paste
    + |repeat){gap(2)}(?:the )?contents? of (?:your |the )?(?:heart|soul|wisdom|identity|memory
    + |system prompt|prompt|journal)(?:\.md)?\b
    \b(?:print|show|output|display|write|give|tell|send)(?: me| us)?(?: the (?:text|contents?
    + |wording) of)? (?:the|your) (?:system|initial|hidden) prompt (?:in full|verbatim|word for word
    + |exactly|to me)\b
    \b(?:show|give|tell|send|read)(?: me| us) (?:the (?:text|contents?|wording) of your prompt
    + |your (?:system|initial|hidden|full) (?:prompt|instructions)|the system prompt)\b
    \bwhat are your (?:instructions|rules|guidelines)\b\W+(?:print|repeat|list|show|reveal|write|tell)\b
    \bwhat were you (?:told|instructed|asked)(?: to do)? (?:before|above|in your)\b
    \b(?:paste|include|print|put|copy|send|show|quote){gap(3)}(?:\.env|\.ssh|id rsa|/etc/passwd
    + |secrets){gap(2)}(?:into|in|with|to) (?:the|your) (?:answer|reply|summary|response|output|report
    + |brief)\b
    \bwhat (?:is|are|were|was) (?:in )?your (?:system prompt|initial (?:prompt|instructions)|(?:hidden
    + |original|exact) (?:prompt|instructions))\b
    """,
)

_PERSONA = family(
    "gives the model another role",
    (
        "you are|you're|youre|you have been|pretend|behave|respond|answer|role|imagine|simulate|"
        "speak|=act|henceforth|from now|from this|from here|now you|mode|anything now|forget who|"
        "forget what|stop being|you shall|you must|you will|you should|=your",
        "unrestricted|unfiltered|jail|uncensored|=dan|=evil|free from|free of|bound by|bound to|"
        "restrict|rules|limits|filters|guideline|guardrail|adjutant|=admin|administrator|=root|"
        "=operator|=owner|=developer|=user|do anything|mode|reprogr|configured|hacked|freed|"
        "who you|what you|instruct|directive|persona|=me|=us|=obey|now out|only out|command|orders|"
        "severity|as low|goal|purpose|objective|mission|=task|=job|identity|now obey|only obey|"
        "now respond|only respond|disregard|ignore|now pretend|reply with|prompt|from now" + NAMES,
    ),
    rf"""
    \byou(?:'?re| are) (?:now|no longer|from now on|hereby){gap(4)}(?:{_UNBOUND}|free (?:from|of)
    + |bound (?:by|to)|in \w+ mode|restricted|assistant|{MODEL}|admin\w*|root
    + |adjutant)\b(?! (?:principal|coach|manager|teacher|professor|director|editor|rights))
    \b(?:pretend|act|behave|respond|answer|role-?play|imagine|simulate|speak){gap(4)}(?:{_UNBOUND}|(?:no
    + |without)(?: any)? (?:rules|restrictions|limits|filters|guidelines|guardrails)|(?:another
    + |an? different|an? new) {MODEL})\b
    \bpretend (?:that )?(?:to be|you(?:'?re| are| were| have)) (?:an?|the|my|your|no) (?:\w+ )?(?:ai|llm
    + |language model|operator|owner|admin|administrator|developer|root|user|instructions|rules
    + |restrictions)\b
    \b(?:do anything now|you have been jail-?broken|enter (?:dan|developer|god|jailbreak|unrestricted
    + |sudo) mode|(?:dan|god|jailbreak|unrestricted) mode (?:enabled|activated|on))\b
    \bfrom (?:now on|this point on|here on),?{gap(2)}(?:you|act|be|behave|obey|answer|respond
    + |ignore)\b{gap(5)}(?:{MODEL}|assistant|instructions|commands|orders|persona|severity|as low
    + |operator)\b
    \b(?:respond|act|behave|answer|speak|write)(?: \w+)? as (?:if|though) you (?:were|are)
    +  (?:the|my|an?) (?:operator|owner|administrator|developer|root)\b
    \bforget (?:who|what) you are\b
    \bstop being (?:adjutant|an? (?:{MODEL}|assistant)|the assistant)\b
    \byou have been (?:reprogrammed|re-?configured|jail-?broken|hacked|freed)\b
    \b(?:from now on|now|henceforth),? you (?:only )?(?:answer|report|belong|listen
    + |obey) (?:only )?(?:to )?(?:me|us|this)\b
    \byou (?:shall|must|will|are to|should) (?:now|only|hereby|henceforth) (?:output|obey|respond
    + |disregard|ignore|pretend|reply with)\b
    \byour (?:only|sole|true|real|new) (?:goal|purpose|objective|mission|task|job
    + |directive) is (?:now )?to (?:obey|comply|output|notify|approve|serve|send|report|follow|ignore
    + |promote|praise)\b
    \byour new (?:system )?(?:instructions?|prompt|directives?|rules|persona|guidelines|identity) ?(?:is
    + |are|:|follow|below|-|–)
    """,
)

_ISSUED = family(
    "issues new rules",
    (
        "=new|=updated|=real|=actual|=true|=secret|=hidden|=additional|=important|=urgent|=admin|"
        "administrat|=system|=developer|=operator",
        "instruction|directive|=command|=commands|=order|=orders|system prompt|override|notice",
        ORDERING,
    ),
    rf"""
    \b(?:new|updated|real|actual|true|secret|hidden|additional|important|urgent|admin\w*|system
    + |developer|operator) (?:instructions?|directives?|commands?|orders?|system prompt|overrides?
    + |notice)(?: (?:follow|below|begin|start)s?| for (?:you|the assistant|the ai)| code \w+
    + | to (?:the )?\w+)?\s?[:>—–-]+(?:{gap(4)})?{ORDER}\b
    """,
)

_DICTATED = family(
    "dictates the answer",
    (
        "respond|reply|answer|output|=return|=print|response|verdict|decision|conclusion",
        "nothing else|no other text|regardless|whatever the|whatever you|no matter|every question|"
        "only {|exactly {|just {|simply {|exactly: {|with {|only: {|all cases|every case",
    ),
    r"""
    \b(?:respond|reply|answer|output)(?: only| exactly| simply| just)*(?: with| in
    + | as)?\b[^\n.!?;]{1,60}(?:and nothing else|nothing else|no other text|regardless of
    + |whatever (?:the|you)|no matter what|for every question)\b
    \b(?:respond|reply|answer|output|return|print)(?: only| exactly| just
    + | simply)+(?: with)?\W{0,3}\{
    \byour (?:answer|reply|response|output|verdict|decision|conclusion) (?:must|shall|should|has to
    + |is to|will)(?: always| only)? (?:be|say|read|contain)\b[^\n.!?;]{1,60}(?:regardless|no matter
    + |whatever|in (?:all|every) cases?)\b
    """,
)

RULE_FAMILIES = (
    _SET,
    _UNFOLLOWED,
    _VOIDED,
    _LICENSED,
    _PROMOTED,
    _REVEAL,
    _PERSONA,
    _ISSUED,
    _DICTATED,
)
