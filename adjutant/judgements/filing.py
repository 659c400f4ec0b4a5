"""OPINION. What a text is filed under: by the labels of the taxonomy, and by a model where config lets one be asked."""

from typing import Annotated, Any

import msgspec

from adjutant.app import App
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.classify import UNCATEGORISED, Classified, certain, classify
from adjutant.ports import ReplyRefused
from adjutant.screening.fence import Fence
from adjutant.store import switches

TIMEOUT = 20.0  # seconds: a person waits for the line to be kept
NAME, TEMPLATE, TIER, TEMPERATURE, MAX_TOKENS = "classify", "classify.md", "cheap", 0.0, 300
TEXT_CHARS, SHOWN_ID = 4000, 60


def file(app: App, text: str, scheme: taxonomy.Scheme) -> Classified:
    """The rules' answer, or with `judgements.classify.enabled` a model's. Raises ConfigInvalid, FileDamaged."""
    ruled = classify(text, scheme)
    asks = app.config.judgements.get(NAME, {}).get("enabled") and not switches.is_on(app.tree.paused)
    return _ask(app, text, scheme, ruled) if asks else ruled


def workload(app: App, message: str) -> Classified:
    """What a turn is about, as `file`, or nothing where the rules are not certain. Raises as it, TaxonomyInvalid."""
    if not message:
        return Classified(UNCATEGORISED, 0.0, ())
    scheme = taxonomy.load(app.files)
    found = file(app, message, scheme)
    return found if found != classify(message, scheme) else certain(message, scheme)


def _ask(app: App, text: str, scheme: taxonomy.Scheme, ruled: Classified) -> Classified:
    from adjutant.judgements.asking import Asker  # the engine: only where a model may be asked
    from adjutant.judgements.hearing import load_judgement

    noted = ((each, each.notes.get("en") or next(iter(each.notes.values()), "")) for each in scheme.concepts.values())
    choices = [Choice(concept.id, concept.label(), note) for concept, note in noted]
    by_labels = Result(ruled.concepts[-1] if ruled.concepts else UNCATEGORISED, ruled.confidence)
    asker = Asker(app)
    answered = asker.ask(load_judgement(NAME), Inputs(text, choices, by_labels), timeout=TIMEOUT)
    if asker.told:
        app.say(asker.told)
    if not answered.replied or answered.degraded:
        return ruled
    concept = answered.result.concept  # in the form of the rules': the workload, and the narrower one it named
    top = concept if concept == UNCATEGORISED else scheme.tops_of(concept)[0]
    return Classified(top, answered.result.confidence, (), "" if concept == top else concept)


class Choice(msgspec.Struct, frozen=True):
    """A concept that a text can be filed under: its id, what it is called, and what it takes in."""

    id: str
    label: str
    note: str


class Result(msgspec.Struct, frozen=True):
    """`concept`: an id of the scheme, or "uncategorised"; how sure that is, 0 to 1."""

    concept: str
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]


class Inputs(msgspec.Struct, frozen=True):
    """A text, the scheme's concepts, and where its labels file the text."""

    text: str
    choices: list[Choice]
    by_labels: Result


def variables(inputs: Inputs, fence: Fence) -> dict[str, Any]:
    """For prompts/classify.md."""
    listed = [f"{each.id}: {each.label}{f'. {each.note}' if each.note else ''}" for each in inputs.choices]
    return {
        "concepts": fence.wrap("\n".join(listed), "the taxonomy", limit=100_000),
        "none": UNCATEGORISED,
        "text": fence.wrap(inputs.text, "the text", limit=TEXT_CHARS),
    }


def check(inputs: Inputs, result: Result) -> tuple[Result, list[str]]:
    """Raises ReplyRefused for an id that the scheme does not have."""
    if result.concept not in (UNCATEGORISED, *(each.id for each in inputs.choices)):
        how = f"repeat one as it stands there, or say {UNCATEGORISED}"
        raise ReplyRefused(f"`{result.concept[:SHOWN_ID]}` is no id of the list: {how}")
    return result, []


def rules(inputs: Inputs) -> Result:
    """Where the labels of the scheme file it."""
    return inputs.by_labels
