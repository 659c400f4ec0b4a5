"""DOMAIN. What a text is when nobody says: which type of note, and which concepts it is about."""

from __future__ import annotations

import re

from adjutant.domain.recall import classify, taxonomy
from adjutant.language.pack import cached
from adjutant.language.patterns import either
from adjutant.store.files import Files

_ROLES = (
    "lead|manager|boss|accountant|lawyer|doctor|dentist|engineer|designer|contact|founder|director|owner|landlord|teacher|"
    "head|electrician|plumber|regnskapsfører|leder|lege|utvikler|kontakt|chefin?|ansprechpartner(?:in)?|"
    "steuerberater(?:in)?|ärztin|arzt|leiter(?:in)?"
)
_ROLE_OF = r"(?:head|lead|owner|director|ceo|cto)"
# type: [(weight, what tells it)] in English, Norwegian, German. The most weight wins, the type named first among equals.
_CUES: dict[str, tuple[tuple[float, str], ...]] = {
    "correction": (
        (3, r"^(?:correction|actually|rettelse|korrektur)|i (?:meant|was wrong)|not \S+(?: \S+)? but|turns out"),
        (2.5, r"(?:is|was|were) (?:wrong|mistaken|incorrect)|correct(?:ed|ion)|mistakenly|instead of (?:what|saying)"),
        (2.5, r"egentlig|feilaktig|tok feil|ikke \S+,? men|stimmt nicht|falsch|eigentlich|nicht \S+,? sondern"),
    ),
    "decision": (
        (3, r"decided|decision|we(?:'ll| will)? (?:chose|choose|picked|settled on|go with|went with)|going with"),
        (2.5, r"agreed (?:to|on|that|with)|approved|from now on|resolved to"),
        (3, r"besluttet|bestemt|bestemte|vedtok|vedtatt|valgte|beschlossen|entschieden|entschluss|vereinbart"),
    ),
    "gotcha": (
        (3, r"gotcha|pitfall|caveat|beware|watch out|careful|trap|fallgruve|fallstrick|vorsicht|achtung"),
        (2.5, r"silently|unexpectedly|surprisingly|breaks (?:when|if)|fails? (?:when|if|unless|silently)|workaround"),
        (2.5, r"does not work|doesn't work|only works|pass på|obs|feiler|scheitert|bricht ab"),
    ),
    "invariant": (
        (2.5, r"(?:must|shall) (?:always|never|not|stay|be|remain)|always|never|under no circumstances"),
        (2, r"must|required|invariant|guarantee[ds]?|forbidden|mandatory|at (?:most|least)"),
        (2.5, r"alltid|aldri|må ikke|skal aldri|immer|nie(?:mals)?|darf nicht|dürfen nicht|muss"),
    ),
    "preference": (
        (3, r"prefer\w*|rather (?:than|have|not)|likes?|dislikes?|hates?|loves?|favou?rite"),
        (3, r"foretrekker|liker|misliker|helst|heller|bevorzug\w*|lieber|mag (?:keine?|nicht|gerne?)"),
        (2, r"please (?:use|write|keep|send|avoid|answer)|wants? (?:to|it|me|us|all|every)|as short as"),
    ),
    "pattern": (
        (2.5, r"usually|tends? to|typically|often|most(?:ly| of the time)|every time|whenever|pattern|recurr\w+"),
        (2.5, r"pleier|vanligvis|som regel|hver gang|ofte|meist(?:ens)?|jedes mal|üblicherweise|oft"),
        (2, r"(?:every|each) (?:week|month|day|quarter|year|WEEKDAY)"),
        (2, r"hver (?:uke|måned|dag|WEEKDAY)|jede[nrs]? (?:woche|monat|tag|WEEKDAY)"),
    ),
    "person": (
        (3, r"born|birthday|allergic|married|daughter|son|wife|husband|partner|colleague"),
        (3, r"født|bursdag|allergisk|datter|sønn|geburtstag|verheiratet|tochter|sohn|kollegin?"),
        (2.5, rf"(?:is|was|er|ist) (?:our|the|my|vår|min|unsere?|die|der|a|an|en)(?: \w+){{0,2}} (?:{_ROLES})"),
        (2.5, rf"(?:is|was) (?:\w+ )?{_ROLE_OF} of|(?:the|our|vår|unsere?) (?:{_ROLES}) (?:is|er|ist)"),
        (2, r"(?:she|he|her|his|hun|han|hennes|hans|ihre?|seine?) (?:phone|email|number|team|role)"),
        (2, r"(?:works|lives|jobber|bor|arbeitet|wohnt) (?:at|in|for|with|i|på|hos|bei|mit)"),
    ),
}
_HEADINGS = (
    ("decision", r"decision|beslutning|vedtak|entscheidung|beschl[uü]ss"),
    ("invariant", r"invariant|\brules?\b|constraint|never|always|regler|regeln"),
    ("gotcha", r"gotcha|pitfall|caveat|warning|trap|known issue|fallgruve|stolperstein|fallstrick"),
    ("pattern", r"pattern|habit|routine|workflow|convention|mønster|muster|gewohnheit"),
    ("preference", r"preference|\blikes|style|preferanse|ønsker|vorlieben|präferenz"),
    ("person", r"people|person|contact|team|family|who is who|folk|kontakter|familie|leute|kontakte"),
    ("correction", r"correction|mistake|errat|lesson|rettelse|korrektur|fehler"),
    ("fact", r"\bfacts?\b|reference|environment|setup|background|fakta|fakten"),
)
_UNDER = tuple((type, re.compile(pattern, re.IGNORECASE)) for type, pattern in _HEADINGS)
DEFAULT = "fact"


def type_of(text: str, heading: str = "") -> str:
    """The type of a note with this text; the heading it stands under decides where it names one."""
    for type, pattern in _UNDER:
        if heading and pattern.search(heading):
            return type
    weights: dict[str, float] = {}
    for type, weight, pattern in _compiled():
        if pattern.search(text):
            weights[type] = weights.get(type, 0.0) + weight
    return max(weights, key=lambda type: weights[type]) if weights else DEFAULT


@cached(1)
def _compiled() -> tuple[tuple[str, float, re.Pattern[str]], ...]:
    days = either("dates", "weekday")
    return tuple(
        (type, weight, re.compile(rf"\b(?:{pattern.replace('WEEKDAY', days)})\b", re.IGNORECASE | re.MULTILINE))
        for type, cues in _CUES.items()
        for weight, pattern in cues
    )


def concepts_of(files: Files, text: str) -> tuple[str, ...]:
    """Ids of the concepts a text is about; () when the rules are not sure. Raises TaxonomyInvalid, FileDamaged."""
    return classify.classify(text, taxonomy.load(files)).concepts
