"""DOMAIN. How operators speak of the manner of an answer, in English; feedback_words tells how to read it."""

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
        "(?:i )?(?:really |just |do |absolutely )*(?:love|loved|like|liked|enjoy|enjoyed|appreciate|"
        "adore)(?: having)? (?:the|these|those|your|this|that|such) (?P<n>{some})(?: .{{0,40}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:i )?(?:really |just |do )*(?:love|loved|like|liked|enjoy|appreciate) (?:the|these|those|"
        "this|that) (?P<n>{n}) (?:you|like (?:this|that)|at the|in your|in the {a}).{{0,40}}",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:i )?(?:really |just |do )*(?:love|like|liked|loved|enjoy|appreciate) how (?:short|"
        r"brief|concise|crisp|compact|quick)(?: and \w+)? (?:this|it|that|your {a}|the {a}|these|they) (?:is|was|"
        "are)",
        "short",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:i )?(?:really |just |do )*(?:love|like|liked|appreciate) how (?P<v>direct|honest|clear|"
        "precise|frank|calm|friendly|thorough|blunt|polite|plain) (?:you|your {a}|this|it|that) (?:is|are|was)",
        "adjective",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:i )?(?:really |just |do )*(?:love|like|liked|loved|enjoy|appreciate)(?: it)?(?: when| "
        "that| how) you (?:always |now )?(?P<v>{vp}.{{3,80}})",
    ),
    Rule(PRAISE, KEEP, "(?:it is |it's |that's )?(?:{good}) that you (?:always |now )?(?P<v>{vp}.{{3,80}})"),
    Rule(
        PRAISE,
        KEEP,
        "(?:the |these |this |that |those |your )?(?P<n>{some}(?: at the (?:top|end|start|beginning|"
        "bottom))?)(?: like (?:this|that|these|those)(?: one)?| first)? (?:is|are|was|were|works?|helps?|helped|"
        "makes?) (?:really |so |very |super |just |absolutely |always |it |me )*(?:{good}|{useful})(?: .{{0,30}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:the |these |this |that |those |your )?(?P<n>{n})(?: like (?:this|that|these|those)(?: "
        "one)?)?(?: .{{0,3}})?(?:is|are|was|were|works?|helps?|helped) (?:really |so |very |super |just |"
        "absolutely |always |me )*(?:{useful})(?: .{{0,20}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        r"(?P<n>{n}) like (?:this|that|these|those)(?: one)? (?:is|are|was|were) (?:\w+ "
        "){{0,2}}(?:{good})",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:short|brief|concise|crisp|compact) (?:{a}|lines?|sentences?)(?: like (?:this|that|"
        r"these|those)(?: one)?| as (?:this|these))? (?:is|are|was|were|works?|helps?) (?:\w+ ){{0,3}}?(?:{good}|"
        "{useful})(?: .{{0,20}})?",
        "short",
    ),
    Rule(PRAISE, KEEP, "(?:{good}) (?P<n>tone|wording|style|format|layout|structure|formatting)", bare=True),
    Rule(
        PRAISE,
        KEEP,
        "(?:nice(?:ly)? |so |wonderfully |pleasantly |and )*(?:nice and )?(?:short|brief|concise|"
        "crisp|compact) and (?:sweet|to the point|clear|concise|crisp|good|precise)",
        "short",
        bare=True,
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:nice and|nicely|wonderfully|pleasantly) (?:short|brief|concise|crisp|compact)",
        "short",
        bare=True,
    ),
    Rule(PRAISE, KEEP, "finally (?:an? |the )?(?:{a}|something|one|text) (?:in|with|without) (?P<n>{some})"),
    Rule(
        PRAISE,
        KEEP,
        "(?:i )?(?:really |just |do |absolutely )*(?:love|loved|like|liked|enjoy|appreciate) "
        "(?:your|the|these|such) (?:short|brief|concise|crisp) (?:{a})(?: .{{0,20}})?",
        "short",
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:the |these |this |that |those |your )?(?P<n>{n}) (?:make|makes|made) (?:it|this|"
        "everything|them|things) (?:so |much |really |a lot )*(?:easy|easier|clear|clearer|simple|simpler)(?: "
        ".{{0,20}})?",
    ),
    Rule(
        PRAISE,
        KEEP,
        r"(?:that|this) (?P<n>(?:\w+ )?(?:format|layout|structure)) (?:is|was|works?) (?:really |so "
        "|very |just )*(?:{good}|{useful})(?: .{{0,20}})?",
        bare=True,
    ),
    Rule(
        PRAISE,
        KEEP,
        "the way you (?P<v>(?:group|sort|order|list|structure|phrase|word|explain|summari[sz]e|put|"
        r"cite|answer|write|present|format)(?:ed|d|s)?\b.{{3,60}}?) (?:is|was|works?|helps?) (?:really |so |very |"
        "just )*(?:{good}|{useful})(?: .{{0,20}})?",
        "kept",
    ),
    Rule(
        MILD,
        LESS,
        "you(?:'ve| have)? (?:told me|said|mentioned|written|wrote)(?: me)?(?: that| this| it| so)? "
        r"(?:two|three|four|five|several|many|\d+) times(?: now| already| today)*",
        "repeat",
    ),
    Rule(
        MILD,
        STOP,
        "why (?:do|must) you (?:always |keep (?:on )?|constantly |still )+(?P<v>(?:repeat|ask|explain|"
        "mention|quote|translate|call|thank|tell|summari[sz]e|use|add|end|start|write)(?:ing|ting)? .{{3,60}})",
        asked=True,
    ),
    Rule(
        MILD,
        LESS,
        "(?:but |and |yes |yeah |well )*you(?:'ve| have)?(?: already| just)? (?:said|told me|"
        "mentioned|wrote|written|reported|explained) (?:me )?(?:that|this|it|so|the same|all that)(?: thing)?(?: "
        "to me)?(?: already| before| twice| earlier| again| yesterday| this morning| just now| .{{1,12}} (?:ago|"
        "times))+",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:but |and |yes |yeah |well )*you(?:'ve| have)? (?:already|just) (?:said|told me|mentioned|"
        "wrote|written|reported|explained) (?:that|this|it|so|the same|all that)(?: to me)?(?: .{{1,20}} ago)?",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:again|always|once more|once again|yet again),? (?:just )?(?:exactly )?the same (?:thing|"
        "answer|text|{a}|story|sentences?|words)(?: again)?",
        "repeat",
        bare=True,
        whole=True,
    ),
    Rule(
        MILD,
        LESS,
        "(?:the |that's the |it's the |this is the )?same (?:answer|{a}|sentences?|words) (?:again|as "
        "(?:before|last time|yesterday))",
        "repeat",
        bare=True,
        whole=True,
    ),
    Rule(
        MILD,
        LESS,
        r"(?:that's|this is|it's) the (?:second|third|fourth|fifth|tenth|hundredth|umpteenth|\d+(?:nd|"
        "rd|th)) time (?:that )?you(?:'ve| have)? (?:say|said|tell|told|mention|mentioned|repeat|repeated|write|"
        "wrote).{{0,30}}",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "(?:didn't|haven't|did|have) you (?:just|already) (?:say|said|tell me|told me|mention|"
        "mentioned) (?:that|this|it|so)(?: already| before| earlier)?",
        "repeat",
        asked=True,
    ),
    Rule(
        MILD,
        LESS,
        "you(?:'re| are)? (?:just |only |always |constantly |really |keep )*(?:repeat|repeating) "
        "yourself(?: .{{0,20}})?",
        "repeat",
    ),
    Rule(
        MILD,
        LESS,
        "you keep (?:on )?(?:saying|telling me|repeating|writing|mentioning) (?:that|this|it|the "
        "same.{{0,40}})(?: .{{0,20}})?",
        "repeat",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:stop|quit|no more|enough of the|don't keep|no) (?:repeating|repetitions?|repeats?)(?: "
        "yourself| everything| that| things| it| the same .{{0,30}})?(?: .{{0,20}})?",
        "repeat",
    ),
    Rule(
        DEMAND, STOP, "(?:please )?(?:don't|do not) repeat (?:yourself|that|everything|things)(?: .{{0,20}})?", "repeat"
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:there(?:'s| is) )?no need to (?:always )?(?P<v>(?:repeat|explain|quote|restate|echo|"
        "summarise|summarize) (?:my |everything|yourself|what i|the question|the obvious).{{0,40}})",
    ),
    Rule(
        MILD,
        LESS,
        "(?:why (?:do|must) )?you(?:'re| are)? (?:keep(?: on)?|always|constantly|forever) "
        "(?:apologi[sz]ing|apologi[sz]e|saying sorry|say sorry)(?: .{{0,30}})?",
        "sorry",
        asked=True,
    ),
    Rule(
        MILD,
        LESS,
        "you (?:apologi[sz]e|say sorry) (?:too (?:much|often)|all the time|constantly|every time|a lot|so much)",
        "sorry",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:stop|quit|enough with|enough of|no more|fewer|less|drop|skip|spare me|cut) (?:the |all "
        "the |your |all these |these )?(?:apologi[sz]ing|saying sorry|apolog(?:y|ies)|excuses|sorrys?)(?: "
        ".{{0,30}})?",
        "sorry",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:there(?:'s| is) |you have )?(?:no need to|you (?:really |just )*(?:don't|do not) "
        "(?:have|need) to|don't|do not) (?:always |keep )?(?:apologi[sz](?:e|ing)|say(?:ing)? sorry) (?:every "
        "time|all the time|always|so much|so often|constantly|each time|for everything)",
        "sorry",
    ),
    Rule(
        MILD,
        LESS,
        "(?:that|this|it|they|these)(?:'s|'re| is| are| was| were| got| gets| has become)? (?:really |"
        "just |still |again |a bit |a little |a tad |way |far |much |simply |getting |sometimes )*too "
        "(?P<too>{too})(?: again| for me| today| by far| to read| now)*",
        bare=True,
    ),
    Rule(
        MILD,
        LESS,
        "(?:way |far |much |still |again |a bit |a little |just |sometimes )*too (?P<too>{too})(?: "
        "again| for me| today| by far| to read| now)*",
        bare=True,
    ),
    Rule(
        MILD,
        LESS,
        "(?:your (?:last )?{a}|(?:the|this|that|these|those) (?:last )?{a}|you)(?:'re| is| are| was| "
        "were| get| gets| got| sound| sounds| write| talk| have become| can be)? (?:really |just |still |again |a "
        "bit |a little |a tad |way |far |much |simply |getting |often |sometimes |always |usually )*too "
        "(?P<too>{too})(?: again| for me| today| by far| to read| now| lately)*",
    ),
    Rule(
        MILD,
        LESS,
        "(?:that's |this is |it's |there's |there are |you (?:use|add|write|put in|give me|make) "
        ")?(?:just |simply |still )?(?:way |far |a bit |a little )?too (?:much|many) (?P<n>{some})(?: for me| in "
        "(?:this|there|it|your {a}))?",
    ),
    Rule(MILD, LESS, "you (?:ask|asked)(?: me)?(?: way| far)? too many questions", "questions"),
    Rule(
        MILD,
        LESS,
        "(?:all )?(?:the|these|those|your) (?P<n>{some}) (?:are|is|get|gets|got) (?:really |just |a "
        "bit |way |so |getting )*(?:too much|too many|annoying|distracting|unnecessary|confusing|silly|a bit much|"
        "pointless|tiring|useless|getting old)(?: .{{0,20}})?",
    ),
    Rule(
        MILD,
        LESS,
        "you (?:write|say|talk|tell me|explain|wrote|said) (?:way |far |just |still |always )*too "
        "much(?: again| for me)?",
        "long",
    ),
    Rule(
        MILD,
        LESS,
        "(?:nobody|no one|who) needs? (?:that|this|so) (?:much|many) (?:text|words|prose)(?: .{{0,20}})?",
        "long",
        asked=True,
    ),
    Rule(DEMAND, LESS, "(?:please )?less (?:text|prose|talk|words|wording|chatter)(?: please)?", "long", bare=True),
    Rule(
        MILD,
        LESS,
        r"your (?P<n>tone|style|wording|language) (?:is|was|sounds|feels) (?:\w+ )?too "
        "(?P<too>{too})(?: .{{0,30}})?",
    ),
    Rule(
        MILD,
        LESS,
        "your (?P<v>(?:tone|style|wording|language) (?:is|was|sounds|feels) (?:way |a bit |much |far "
        r"|really )*too \w+(?: .{{0,30}})?)",
        "kept",
    ),
    Rule(
        MILD,
        STOP,
        "i (?:really |just )?(?:hate|dislike|can't stand|don't like|am tired of|am sick of) (?:these|"
        "those|your|all the|all these|the) (?:long |endless |many )?(?P<n>{n})",
        bare=True,
    ),
    Rule(DEMAND, STOP, "i (?:could|can) do without (?:the |all the |those |these |your )*(?P<n>{some})(?: .{{0,20}})?"),
    Rule(
        MILD,
        START,
        "you (?:never|hardly ever|rarely) (?P<v>(?:answer|cite|name|say|give me|show me|mention|"
        "explain|tell me|get to) (?:my|me|your|the point|the source|where|why|how|what|when|which) ?.{{0,50}})",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:please |can you |could you |would you )*(?:stop|quit|don't|do not) (?P<v>(?:start|"
        "starting|end|ending|begin|beginning|open|opening|finish|finishing|close|closing) (?:all |every |each |"
        "any |your |the |a )*(?:{a}|answer|reply|message|text|summary|mail) with .{{2,60}})",
        asked=True,
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:there's no need to|you (?:really |just )*(?:don't|do not|needn't|need not)(?: have| "
        "need)?(?: to)?) (?P<v>(?:thank|praise|remind|flatter|tell|ask|explain|repeat|summari[sz]e|greet|"
        "congratulate)(?: me| it| that| everything)?.{{0,30}}) (?:each time|every time|all the time|always|every "
        "single time|every morning|every day)",
    ),
    Rule(
        DEMAND,
        START,
        "(?:please |can you |could you |just )*(?:use|write in|answer in|answer with|reply with|"
        "try|give me|make it) (?:a |an |more |some |short )?(?P<n>{some})",
        bare=True,
        asked=True,
    ),
    Rule(
        DEMAND,
        START,
        "(?:please |can you |could you |just )*use (?:a |an )(?P<n>{n})(?: instead)?",
        bare=True,
        asked=True,
    ),
    Rule(
        DEMAND,
        START,
        "(?:please |can you |could you |just )*(?P<v>keep (?:it|your |the |all )?(?:{a})? "
        r"?(?:under|below|within|to|shorter than|to at most) (?:\d+|one|two|three|four|five|six|ten|a few|a "
        "hundred) (?:short )?(?:lines?|words?|sentences?|bullets?|paragraphs?))",
        asked=True,
    ),
    Rule(
        DEMAND,
        START,
        "(?:please |can you |could you |just )*(?P<v>(?:talk|speak|write) to me (?:like|as) .{{3,40}})",
        asked=True,
    ),
    Rule(
        MILD,
        MORE,
        "(?:give me |just )?(?:the )?short version,? please|in short,? please|please,? (?:the short "
        "version|in short)|(?:just )?give me the short version",
        "short",
        bare=True,
        whole=True,
        asked=True,
    ),
    Rule(DEMAND, MORE, "(?:please )?more (?P<n>{some})", bare=True),
    Rule(
        DEMAND,
        STOP,
        "(?:please |can you |could you |would you |you can |just )*(?:stop|quit|no more|enough with|"
        "enough of|drop|lose|skip|leave out|leave off|spare me|cut|cut out|ditch|avoid|get rid of|i don't (?:need|"
        "want)|i do not (?:need|want)|no need for) (?:the |an |a |all the |all these |all those |those |these |"
        "your |any |so many |using |adding |with the |with |of )*(?P<n>{many})(?: every time| all the time| "
        "always| each time| anymore)*",
        asked=True,
    ),
    Rule(DEMAND, STOP, "(?:and |but |just )*(?:no|without) (?:more )?(?P<n>{many})", bare=True),
    Rule(
        DEMAND,
        STOP,
        "(?:please |can you |could you |would you |just )*(?:stop|quit) (?P<v>(?:asking(?: me)?(?: "
        "back| every| so many| if| whether| about)|telling me(?: what| how| that| about)|mentioning|explaining|"
        "calling me|thanking|praising|flattering|complimenting|lecturing|hedging|rambling|summari[sz]ing|"
        r"translating|quoting|saying|signing off|opening with|starting with|ending with|second-guessing)\b(?! "
        r"it\b| that\b)(?!.* to (?!me\b)).{{0,80}})",
        asked=True,
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:please )?stop (?P<v>(?:asking|guessing|assuming|rambling|lecturing me|flattering me|"
        "praising me|hedging|moralising|moralizing|sugar-?coating (?:it|things)|being (?:so |too )?(?:{too})))",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:please )?(?:don't|do not) (?P<v>(?:guess|assume|ramble|lecture me|hedge|flatter me|"
        "praise me|thank me|ask me (?:every time|each time|back|all the time)|ask (?:back|every time)|use (?:any "
        ")?(?:{many})|add (?:any )?(?:{some})|write (?:any )?(?:{many})|sugar-?coat (?:it|things|anything)))(?: "
        "again| every time| all the time| so much| with me)*",
    ),
    Rule(
        MILD,
        STOP,
        "you (?:keep(?: on)?|always|constantly) (?P<v>(?:asking|ask|guessing|guess|rambling|ramble|"
        "lecturing me|flattering me|explaining what i|calling me|thanking me|mentioning|mention|use|using|adding|"
        r"add) (?!it\b|that\b|ola\b).{{2,60}})",
        "kept",
    ),
    Rule(DEMAND, LESS, "(?:please )?(?:use |write |with )?(?:fewer|less) (?P<n>{some})"),
    Rule(
        DEMAND,
        STOP,
        "(?:please |just |can you |could you )*(?:get|come|cut) (?:straight |right )?to the (?:point|chase)",
        "intro",
        asked=True,
    ),
    Rule(DEMAND, STOP, "just (?:give me )?the answer", "intro", bare=True),
    Rule(DEMAND, STOP, "(?:there(?:'s| is) )?no need to (?:apologi[sz]e|say sorry)", "sorry", bare=True, whole=True),
    Rule(MILD, LESS, "why (?:are|is) (?:your {a}|you) (?:always )?so (?P<too>{too})", asked=True),
    Rule(
        DEMAND,
        LESS,
        "(?:please |can you |could you |just )*(?:be )?(?:a bit |a little |much )?less (?P<too>{too})",
        bare=True,
        asked=True,
    ),
    Rule(DEMAND, LESS, "(?:please )?(?:don't|do not) (?:be|sound|write) (?:so|too|that) (?P<too>{too})"),
    Rule(
        MILD,
        MORE,
        "your (?:last )?{a} (?:need|needs|lack|lacks|could use|should have)(?: a bit| a little)? "
        "(?:more )?(?P<n>details?|depth|examples|sources|numbers|context|structure)",
    ),
    Rule(
        DEMAND,
        START,
        "(?:please |can you |could you )*(?P<v>(?:cite|name|give|show|quote|state|list|mention) "
        "your (?:sources?|references|reasons|reasoning|assumptions))",
        asked=True,
    ),
    Rule(MILD, MORE, "where are (?:your|the) (?P<n>sources|references|citations)", asked=True),
    Rule(
        DEMAND,
        START,
        "(?:please |can you |could you )*(?P<v>(?:answer|reply|respond|write back)(?: to)?(?: "
        r"me)? (?:in|with|as) (?:{tongue}|(?:at most |no more than |max(?:imum)? )?(?:\d|one|two|three|four|five|"
        "a few) (?:short )?(?:lines?|sentences?|words|bullets|bullet points)|bullet points|full sentences|plain "
        "(?:words|language|text)|a table|tables)(?: at most| or less| max| not .{{3,20}})?)",
        asked=True,
    ),
    Rule(MILD, START, "in (?P<v>{tongue})", "tongue", bare=True, whole=True),
    Rule(
        DEMAND,
        MORE,
        "(?:please )?(?:an? )?(?:bit |little |much )?(?:shorter|briefer|more (?:concise|brief|"
        "compact))(?: (?:{a}|sentences))?|(?:short|brief|concise) (?:{a}|answer|reply)",
        "short",
        bare=True,
    ),
    Rule(
        DEMAND,
        MORE,
        "(?:please |can you |could you |would you |you could |try to )*(?:keep (?:it|your {a}|the "
        "{a}|them)|be|answer|reply|write)(?: a bit| a little| much)? (?:short|shorter|brief|briefer|more (?:brief|"
        "concise|compact)|concise)",
        "short",
        asked=True,
    ),
    Rule(
        DEMAND,
        MORE,
        "(?:please |can you |could you |i want |i need |i'd like |give me )*(?:a bit |a little |"
        "some |much )?more (?P<n>details?|depth|explanation|context|examples|sources|links|numbers|background)",
        bare=True,
        asked=True,
    ),
    Rule(
        DEMAND,
        MORE,
        "(?:please )?(?:a bit |a little )?(?P<v>(?:longer|more detailed|friendlier|simpler|plainer|"
        "less formal|more formal|warmer|clearer|more direct) (?:{a}))",
    ),
    Rule(
        DEMAND,
        MORE,
        "i(?:'d| would)? (?:much |really )*prefer (?:it with |to get |to have |getting "
        ")?(?P<n>{some}(?: (?:without|over|to|instead of) .{{3,30}})?)",
    ),
    Rule(DEMAND, MORE, "i(?:'d| would)? (?:much |really )*prefer (?:short|brief|concise) (?:{a})", "short"),
    Rule(
        WISH,
        STOP,
        "i(?:'d| would) (?:rather|prefer (?:it )?if) you (?:didn't|did not|don't|wouldn't) (?P<v>{vp}.{{3,60}})",
        "kept",
    ),
    Rule(
        PRAISE,
        KEEP,
        r"(?:this|that|the|these) (?:\w+ ){{0,3}}(?P<n>{some}) (?:is|are|was|were) exactly (?:what|"
        "how) i (?:want|need|like)(?:ed)?.{{0,20}}",
    ),
    Rule(
        DEMAND,
        STOP,
        "(?:please |can you |could you |would you |just )*(?:stop|quit|no more|enough of|drop|lose|"
        "skip|leave out|spare me|cut|cut out|ditch|avoid|i don't (?:need|want)) (?:with )?(?:the |these |those |"
        "your |all the )*(?:long|endless|silly|weather|same|usual|polite|lengthy|constant|daily|boring|little|"
        "morning) (?P<n>{many})(?: every time| all the time| always)*",
        asked=True,
    ),
    Rule(
        MILD,
        MORE,
        "(?:could|can|might) your {a} be (?:a bit |a little |much )?(?:shorter|briefer|half as long|"
        "more concise|less long)",
        "short",
        asked=True,
    ),
    Rule(
        MILD,
        LESS,
        "you(?:'ve| have)? (?:already )?(?:told|reminded|asked) me (?:about|of|that) .{{2,40}} "
        r"(?:two|three|four|five|several|many|\d+) times(?: now| already| today| this week)*",
        "repeat",
    ),
    Rule(MILD, LESS, "(?:again|always|enough) with the (?:apologies|excuses|sorrys?)", "sorry", whole=True),
    Rule(MILD, LESS, "(?:again|always) with the (?P<n>{some})", bare=True, whole=True),
    Rule(
        DEMAND,
        MORE,
        r"i(?:'d| would)? (?:love|like|want|prefer) (?:a |an |the )?(?:\S+ )?(?P<n>{some} (?:at the "
        "(?:top|end|beginning|start|bottom)(?: of .{{2,30}})?|(?:every|each) time|(?:in|with) (?:every|each) "
        ".{{3,15}}))",
    ),
    Rule(
        DEMAND,
        STOP,
        r"(?:please )?(?:don't|do not) (?P<v>(?:call|address) me (?!when|if|at\b|before|after|back|"
        r"on\b|tomorrow|tonight|later|again|today|during|about).{{2,30}})",
    ),
    Rule(
        MILD,
        LESS,
        "your (?:{a}|tone|style|wording|language|{tongue}) (?:is|are|was|were|sounds?|feels?|reads?) "
        "(?:a bit |a little |rather |quite |very |so |pretty |really |still |always |just )+(?P<too>{too})(?: to "
        "me| for me)?",
    ),
    Rule(MILD, LESS, "you (?:overdo|overuse|really overdo) (?:the |your |it with the )?(?P<n>{some})"),
    Rule(DEMAND, LESS, "(?:please )?not (?:so|that|quite so) (?P<too>{too})", bare=True),
    Rule(PRAISE, KEEP, "(?:{good}) (?P<n>{some})", bare=True),
    Rule(
        PRAISE,
        KEEP,
        "(?:the |your )(?P<n>tone|wording|style|format|layout) is (?:just |exactly |absolutely "
        ")*(?:right|perfect|spot on)",
        bare=True,
    ),
    Rule(
        PRAISE,
        KEEP,
        "(?:the |that |this |your )?(?P<n>{n}) with .{{3,25}} (?:was|is|were|are) (?:really |so |"
        "very |super |just )*(?:useful|helpful|handy|easy to read)",
    ),
    Rule(
        MILD,
        LESS,
        "i (?:already (?:know|knew) (?:that|this|all that|it)|(?:know|knew) (?:that|this|all that|it) already)",
        "repeat",
        bare=True,
        whole=True,
    ),
)
WORDS = Language(
    sure={
        "list": "bullet(?:ed|s)?(?:[ -](?:lists?|points?))?|numbered lists?|bulleted lists?",
        "table": "tables with .{2,20}",
        "emoji": "emojis?|smileys?|smilies|emoticons?",
        "source": r"(?:links? to (?:the |your )?)?(?:sources?|citations?|references)(?! of\b)|footnotes?",
        "link": "links?",
        "example": "examples",
        "detail": "details?",
        "summary": "summary|summaries|tl;?dr|recaps?|key points|bottom line",
        "conclusion": "conclusion",
        "intro": "intros?|introductions?|preambles?|small ?talk|fluff|filler|waffle|padding|chit-?chat|"
        "pleasantries|greetings?|opening sentences?",
        "disclaimer": "disclaimers?|caveats?|hedging|warnings?",
        "jargon": "jargon|buzzwords?|abbreviations?|acronyms?|technical terms|foreign words|big words",
        "bold": "bold(?: text| type| words)?|italics|markdown|formatting|capital letters|all caps",
        "exclamation": "exclamation (?:marks?|points?)|exclamations",
        "compliment": "compliments?|flattery|pep talks?|motivational (?:quotes|lines|words)|platitudes",
        "plain": "plain (?:words|language|english|text)|simple (?:words|language)",
        "heading": "headings?|subheadings?|section titles",
        "code": "code blocks?",
        "humour": "jokes?|puns?|humou?r",
        "layout": "layout|formatting",
        "tone": "tone of voice",
        "step": "step by step",
        "sentence": "(?:short|long) (?:sentences|paragraphs)",
    },
    open={
        "list": "lists?",
        "table": "tables?",
        "number": "numbers|figures",
        "tone": "tone|wording|style",
        "layout": "structure|format",
        "heading": "headlines?",
        "option": "options|alternatives",
        "step": "steps",
    },
    answer="(?:answers?|repl(?:y|ies)|responses?|messages?|explanations?|summary|summaries|texts?|updates?|briefings?)",
    good="perfect(?:ion)?|great|brilliant|excellent|ideal|awesome|lovely|fantastic|wonderful|spot on|super|really "
    "good|very good|good|nice|exactly right|exactly what i (?:need|want)(?:ed)?|amazing|gold",
    useful="(?:useful|helpful|clear|handy|practical|easy to read|easier to read|much easier|good to have|well(?: "
    "for me)?|a lot|so much|me a lot|to read|easier|super helpful)",
    too={
        "long": (LESS, "long"),
        "wordy": (LESS, "long"),
        "lengthy": (LESS, "long"),
        "verbose": (LESS, "long"),
        "chatty": (LESS, "long"),
        "long-winded": (LESS, "long"),
        "much text": (LESS, "long"),
        "much to read": (LESS, "long"),
        "many words": (LESS, "long"),
        "detailed": (LESS, "detailed"),
        "short": (MORE, "detail"),
        "brief": (MORE, "detail"),
        "terse": (MORE, "detail"),
        "curt": (MORE, "detail"),
        "vague": (LESS, "vague"),
        "general": (LESS, "vague"),
        "generic": (LESS, "vague"),
        "formal": (LESS, "formal"),
        "stiff": (LESS, "formal"),
        "polite": (LESS, "formal"),
        "casual": (LESS, "casual"),
        "informal": (LESS, "casual"),
        "technical": (LESS, "technical"),
        "complicated": (LESS, "technical"),
        "academic": (LESS, "technical"),
    },
    said={
        "short": (LENGTH, "short answers"),
        "long": (LENGTH, "long answers"),
        "detail": (LENGTH, "detailed answers"),
        "detailed": ("detail", "detail in answers"),
        "repeat": (REPEAT, "repeating yourself"),
        "sorry": (APOLOGY, "apologising"),
        "vague": ("vague", "vague answers"),
        "formal": ("formal", "a formal tone"),
        "casual": ("casual", "a casual tone"),
        "technical": ("jargon", "technical language"),
        "questions": ("question", "questions back"),
        "intro": ("intro", "long introductions"),
        "adjective": ("", "{} answers"),
        "tongue": ("", "answer in {}"),
        "kept": ("", "{}"),
    },
    short="short|shorter|brief|briefer|concise|crisp|compact|to the point",
    long="long|longer|wordy|lengthy|verbose|detailed",
    head="(?:please|pls|ok(?:ay)?|hey|well|and|but|so|also|oh|no|yes|yeah|hmm*|honestly|sorry|thanks?|thank you|"
    "nice|great|good|perfect|cool|really|actually|btw|by the way|adjutant|again)[,!:]? ",
    tail=" (?:please|pls|thanks|thank you|thx|ok|okay|next time|from now on|now|really|again|adjutant|then|though|"
    "in future|in the future)",
    reported=r"\b(?:says|said|told|tells|wrote|writes|written|thinks|thought|asked|asks|claims|claimed|complained|"
    r"complains|mentioned)\b",
    others=r"\b(?:to|for|ask|tell|call) (?!(?:English|Norwegian|German|Bokm|Markdown|Monday|Tuesday|Wednesday|"
    "Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|"
    r"November|December|I\b))[A-Z][a-z]+",
    lasting="from now on(?:wards)?|from here on|from today(?: on)?|going forward|in (?:the )?future|as of (?:now|"
    "today)|next time|always|never|every time|each time|as a rule|henceforth",
    wanted="(?:i(?:'d| would)? (?:want|like|need|love|expect|prefer) (?:you )?to|i(?:'d| would)? (?:want|like|need|"
    "prefer)|you (?:should|must|can|could|may|are to|have to)|can you|could you|would you|will you|make "
    "sure (?:to|you)|be sure to|remember to|try to|just|please|let's have|let us have|and|but)",
    never="don't|do not|never|no|without|not|stop|avoid|skip|leave out|drop|no more",
    not_me="(?:i|we|he|she|they|it|there|the|this|that|these|those|my|our|his|her|their|a|an|if|when|one|people|"
    r"everyone|somebody|to|is|are)\b",
    verbs="answer|reply|respond|cite|quote|summari[sz]e|phrase|format|speak|address me|tell me|show me|give me|ask "
    "me|warn me|explain|call me|greet me|talk to me|let me know|lead with|sum up|spell out|write to me|"
    "remind me (?:of|what) you|send me|mention|say (?:so|that you|when you|if you|straight|at once|first|it "
    "when|right away|honestly)|talk to me|admit|number|(?:start|begin|open|lead) with (?:what|whatever|the "
    "answer|the result|how)|write (?:dates|times|numbers|names|amounts|sums)",
    acts="use|put|add|keep|be|start|begin|open|end|finish|include|list|name|give|show|write|say|round|sort|group|"
    "stick to|take|make|set|mark|translate|assume|ask|check|guess",
    places="(?:first|last|top|second) (?:line|sentence|paragraph)|at the (?:top|end|bottom|beginning|start)|"
    "subject line|(?:every|each|your|the|all) (?:plans?|answers?|repl(?:y|ies)|messages?|reports?|briefs?|"
    "summary|summaries|drafts?|texts?|estimates?|proposals?)|bottom line|(?:metric|imperial|si) units|"
    "celsius|24[- ]hour|(?:bokm[åa]l|norwegian|english|german|nynorsk|danish|swedish)|first name|last name|"
    "recommendations?|conclusions?|dates as|times as|when you (?:don't|do not) know|how (?:sure|certain) "
    r"you are|assum\w+|your (?:sources?|reasons?|guesses|assumptions)|(?:short|brief|concise|shorter|plain|"
    r"simple|direct|formal|informal|polite|honest)\b|questions?|guess\w*|the words? \S+|lines|sentences",
    articles="(?:the|a|an|these|this|those|that|your|all|any|some|so many|such) ",
    vp="(?:put|puts|give|gave|cite|cited|name|named|list|listed|answer|answered|keep|kept|use|used|ask|asked|"
    "start|started|end|ended|quote|quoted|explain|explained|show|showed|write|wrote|say|said|tell me|told me|"
    "sum up|summarise|summarised|summarize|link|linked|mention|mentioned|add|added|include|included|structure|"
    r"sort|sorted|lead with|call me|called me|don't|admit|admitted|warn|warned|repeat|repeated)\b",
    tongue="(?:norwegian|english|german|danish|swedish|french|spanish|bokmål|nynorsk)",
    plural={
        "table": "tables",
        "list": "lists",
        "bullet list": "bullet lists",
        "bulleted list": "bulleted lists",
        "numbered list": "numbered lists",
        "bullets": "bullet lists",
        "bullet points": "bullet points",
        "intro": "introductions",
        "preamble": "preambles",
        "headline": "headlines",
        "summary": "summaries",
        "recap": "recaps",
        "introduction": "introductions",
        "disclaimer": "disclaimers",
        "greeting": "greetings",
    },
    gerunds={
        "use": "using",
        "put": "putting",
        "add": "adding",
        "start": "starting",
        "begin": "beginning",
        "call": "calling",
        "ask": "asking",
        "tell": "telling",
        "give": "giving",
        "show": "showing",
        "answer": "answering",
        "reply": "replying",
        "write": "writing",
        "guess": "guessing",
        "assume": "assuming",
        "explain": "explaining",
        "repeat": "repeating",
        "mention": "mentioning",
        "say": "saying",
        "end": "ending",
        "open": "opening",
        "quote": "quoting",
        "include": "including",
        "list": "listing",
        "be": "being",
        "address": "addressing",
        "greet": "greeting",
        "congratulate": "congratulating",
        "close": "closing",
        "hedge": "hedging",
        "ramble": "rambling",
        "lecture": "lecturing",
        "flatter": "flattering",
        "praise": "praising",
        "thank": "thanking",
        "restate": "restating",
        "echo": "echoing",
        "make": "making",
        "summarise": "summarising",
        "summarize": "summarizing",
        "translate": "translating",
        "send": "sending",
        "remind": "reminding",
        "round": "rounding",
        "keep": "keeping",
        "name": "naming",
        "speak": "speaking",
        "sugarcoat": "sugarcoating",
        "sugar-coat": "sugar-coating",
        "finish": "finishing",
    },
    rules=_RULES,
)
