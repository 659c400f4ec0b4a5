"""SCREENING. The English vocabulary of orders to a model: whom, which rules, which verbs, which verdicts."""

from __future__ import annotations

from adjutant.screening.phrases.book import BREAK, any_of, gap

KIND = "ai|llm|gpt|virtual|digital|automated|autonomous|artificial|language|helpful|intelligent|summari[sz]ation"
MODEL = (
    any_of(
        rf"""
    ai | a\.i\. | llm | (?:large )?language model | chatgpt | gpt(?:-?\d\w*)? | chat ?bot
    neural net(?:work)? | summari[sz]er | (?:robot|machine|automated) reader
    (?:{KIND})[-\x20](?:\w+ )?(?:assistant|agent|model|system|bot|crawler|reader|tool|analyst|reviewer|intelligence
    + |summari[sz]er)
    """
    )
    + "(?:'?s)?"
)
WORKER = "(?:assistant|agent|bot|model|claude|gemini|copilot|adjutant|chief of staff|machine|robot|system)s?"
ANYONE = f"(?:{MODEL}|{WORKER})"
PERSONS = r"(?:the |any |all |every |this |an? |your |each |our |my )?"
# What may follow a name that is really addressed; "AI team", "assistant principal", "agent fees" are not.
AFTER = (
    rf"(?=\s?(?:[,:)\]}}>—–{BREAK}]|$)| -+ | (?:reading|processing|parsing|summari[sz]ing|that|who|which|you"
    rf"|must|should|shall"
    r"|please|do not|don'?t|never|always|ignore|disregard|(?:and|or) (?:any|all|every|other|ai|llm|language"
    r"|chat|bots?|agents?"
    r"|assistants?))\b)"
)
FOLLOW = "(?:follow|obey|heed|apply|adhere to|comply with|listen to|consider|respect|use|consult|enforce)"
# What somebody told us to set aside is news, not an order.
SET_ASIDE = r"(?<!told to )(?<!told us to )(?<!asked to )(?<!asked us to )" + any_of(
    r"""
    ign[or]{2,4}(?:e|es|ing) | disregard(?:s|ing)?
    (?<!don't )(?<!dont )(?<!not )(?<!never )forget(?:ting)?(?: about)?
    overrid(?:e|es|ing) | overrul(?:e|ing) | bypass(?:ing)? | neglect(?:ing)? | dismiss(?:ing)?
    circumvent(?:ing)?
    discard(?:ing)? | abandon(?:ing)? | supersed(?:e|es|ing) | set(?:ting)? aside | throw (?:out|away) | void
    violate
    break(?:ing)? (?:free )?(?:from|of|out of) | disobey(?:ing)? | pa(?:y|ying) no (?:attention|heed) to
    """
)
UNFOLLOW = any_of(
    rf"""
    (?:do not|don'?t|never|no longer|refuse to) {FOLLOW}
    (?:stop|cease|quit) (?:following|obeying|heeding|applying|adhering to|complying with|listening to|using)
    """
)
EARLIER = any_of(
    r"""
    previous(?:ly given)? | prior | above | earlier | preceding | foregoing | former | initial | original
    existing | current
    preset | default | other | system | developer(?:'?s)? | safety | hidden | operator(?:'?s)? | past | usual
    normal | standard | built-?in | pre-?existing
    """
)
RULES = any_of(
    "instructions? | directives? | prompts? | guidelines? | guardrails? | programming | system messages? "
    "| directions"
    r" | training(?! (?:plan|schedule|program\w*|session|course|day)) | safeguards?"
)
LOOSE_RULES = any_of(
    "rules? | commands? | constraints? | restrictions? | context | conditions | polic(?:y|ies) "
    "| safety (?:filters?|measures|checks)"
    " | limitations? | protocols? | content | text | messages?"
)
# "the previous instructions from the plumber": rules of somebody else. Not excused when all or yours are meant.
ELSEWHERE = (
    r"(?!,? ?(?:(?:e-?mailed|sent|given|posted) )?(?:from|for|on how|on|about|by|in|at|regarding|concerning"
    r"|to)"
    r" (?!(?:the |your |this |my )?(?:users?|system|developers?|operators?|admin\w*|owner|prompt|now on"
    r"|conversation|chat|context"
    r"|you|favou?r|above|full|order|all)\b))"
)
SECRETS = any_of(
    r"""
    system (?:prompt|message|instructions?)
    (?:hidden|initial|secret|internal|confidential|developer) (?:prompt|instructions?|rules)
    (?:full|entire|whole|complete|exact|original) (?:prompt|instructions) | environment variables | api ?keys?
    chain of thought
    """
)
TELL = (
    "(?:tell|inform|alert|notify|warn|report|mention|reveal|flag|show|disclose|escalate|raise|surface|say"
    "|cite|quote|record|log|list|summari[sz]e|admit|include)(?:ing)?"
)
NOT = "(?:do not|don'?t|never|must not|without|avoid)"
VERDICT = any_of(
    "critical | resolved | done | low | nothing | harmless | high | medium | approved | trusted "
    "| irrelevant | safe | closed"
    " | complete | urgent | benign | verified | unimportant | no action | legitimate | authori[sz]ed"
)
JUDGE = "(?:mark|classify|rate|treat|label|report|set|flag|score|consider|rank|declare|raise|lower)"
ANSWER = "(?:respond|reply|answer|output|print|write|say)"
MUST = (
    any_of(
        r"""
    must | shall | should | has to | have to | needs? to | will(?: now)? | can now | may now | ought to
    please | kindly
    (?:is|are)(?: now| hereby)?(?: required| ordered| instructed| authori[sz]ed| allowed| permitted| free
    + | commanded| obliged)? to
    """
    )
    + "(?: (?:now|also|only|always|immediately|instead|simply|henceforth))*"
)
BIDS = rf"{PERSONS}{ANYONE}(?: reading \w+)?,? {MUST}"
MODEL_BIDS = rf"{PERSONS}(?:{MODEL}|assistants?|adjutant|bots?|models?)(?: reading \w+)?,? {MUST}"
IGNORE = (
    rf"(?:ign[or]{{2,4}}e|disregard|forget|override|bypass|discard){gap(3)}(?:all|any|every\w*|rest|previous"
    rf"|prior|above|earlier|other|others"
    r"|instructions?|rules|priorit(?:y|ies)|deadlines?|operator(?:'s)?|user(?:'s)?|lines?|files?|notes?"
    r"|prompt|guidelines|warnings|severity"
    r"|quiet hours|heart|soul|wisdom|anything)"
)
ORDER = any_of(
    rf"""
    {IGNORE} | pretend | reveal | obey | comply | you (?:must|are|shall|will|have)
    {NOT} {TELL} | {JUDGE}{gap(5)}{VERDICT} | {ANSWER}(?: \w+)?(?: only| exactly| just)? (?:with|that|only)
    from now on
    severity ?= ?\w+ | (?:choose|decide|select|pick|output)(?: on)? (?:log|notify|flag)\b
    escalate (?:this|nothing)
    """
)

CALLS = any_of(
    "dear | hey | hello | hi | attention | attn | listen | important for | important note (?:to|for) "
    "| note (?:to|for)"
    " | (?:message|instructions?|notice|memo|directive|reminder|warning|request) (?:to|for) | addressed to "
    "| this is for | calling"
)

NAMES = (
    "=ai|=ais|=llm|=llms|=bot|=bots|chatbot|chat bot|gpt|language model|assistant|=agent|=agents|=model"
    "|=models|=claude|=gemini"
    "|copilot|adjutant|chief of staff|=machine|=machines|=robot|=robots|=system|=systems|summari|neural net"
    "|intelligence|a.i."
)
ORDERING = (
    "ignor|disregard|forget|overrid|bypass|pretend|reveal|obey|comply|you |do not|don't|dont|never|without"
    "|avoid|mark |classify|rate |"
    "treat |label |report |set |flag |score |consider |rank |respond|reply|answer|output|print|write|say "
    "|from now on|severity|choose|decide|select|pick|escalate"
)
