"""OPINION. What a text is filed under: by the labels of the taxonomy, and by a model where config lets one be asked."""

from __future__ import annotations

from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED, Classified, certain, classify
from adjutant.store import switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.domain.recall.taxonomy import Scheme

TIMEOUT = 20.0  # seconds: a person waits for the line to be kept


def file(app: App, text: str, scheme: Scheme) -> Classified:
    """The rules' answer; with `judgements.classify.enabled` a model's, and the rules' when it has none that holds.

    Asks nobody while PAUSED, in a verb that PAUSED does not stop. Raises ConfigInvalid (a broken template of the
    instance), FileDamaged, IoFailed.
    """
    ruled = classify(text, scheme)
    if not app.config.judgements.get("classify", {}).get("enabled") or switches.is_on(app.tree.paused):
        return ruled
    return _ask(app, text, scheme, ruled)


def workload(app: App, message: str) -> Classified:
    """What a turn is about: a model's answer where config lets one be asked, else the rules' where these are certain.
    Raises as `filed`, and TaxonomyInvalid."""
    if not message:
        return Classified(UNCATEGORISED, 0.0, ())
    scheme = taxonomy.load(app.files)
    ruled = classify(message, scheme)
    found = file(app, message, scheme) if app.config.judgements.get("classify", {}).get("enabled") else ruled
    return found if found != ruled else certain(message, scheme)


def _ask(app: App, text: str, scheme: Scheme, ruled: Classified) -> Classified:
    from adjutant.judgements import classify as question  # msgspec and the engine: only where a model may be asked
    from adjutant.judgements.asking import Asker

    choices = [
        question.Choice(concept.id, concept.label(), concept.notes.get("en") or next(iter(concept.notes.values()), ""))
        for concept in scheme.concepts.values()
    ]
    by_labels = question.Result(ruled.concepts[-1] if ruled.concepts else UNCATEGORISED, ruled.confidence)
    asker = Asker(app)
    answered = asker.ask(question, question.Inputs(text, choices, by_labels), timeout=TIMEOUT)
    if asker.told:
        app.say(asker.told)
    if not answered.replied or answered.degraded:
        return ruled
    return _as_filed(answered.result.concept, answered.result.confidence, scheme)


def _as_filed(concept: str, confidence: float, scheme: Scheme) -> Classified:
    """A model's answer in the form of the rules': the workload, and the narrower concept where it named one."""
    if concept == UNCATEGORISED:
        return Classified(UNCATEGORISED, confidence, ())
    top = scheme.tops_of(concept)[0]
    return Classified(top, confidence, (), "" if concept == top else concept)
