"""DOMAIN. From a message to its prompt: what it is about, who answers, what is found for it, what was said before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from adjutant.domain.conversation import briefing, weather
from adjutant.domain.conversation.owners import Owner, owner_of
from adjutant.domain.conversation.weather import Where
from adjutant.domain.matters import drawing, opened
from adjutant.domain.matters.picture import Picture
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.prompting.assembly import Assembly, Found, Limits, Past, assemble
from adjutant.domain.prompting.standing import Shelf
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.answers import Answer
from adjutant.domain.recall.classify import UNCATEGORISED, Classified, classify
from adjutant.domain.telling import agenda, mentions
from adjutant.language.dates import custom_order
from adjutant.records import conversation, layers, matters_log, registry
from adjutant.records import heart as hearts
from adjutant.records.heart import Heart
from adjutant.records.layers import Layer
from adjutant.records.registry import KnowledgeBase

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.app import App

UNSEARCHED = "The search failed for this message: what the folder holds on it is not known in this turn."
OFFLINE = "offline"
SURE = 2  # terms of a workload in a question
SHELF = "shelf"  # in app.shared: the standing parts, kept for all turns of one process


class Prepared(NamedTuple):
    """A turn before the model is asked."""

    assembly: Assembly
    owner: Owner
    about: Classified
    layers: tuple[Layer, ...]
    found: tuple[Found, ...]
    answers: tuple[Answer, ...]
    where: Where
    agenda: agenda.Answer | None = None


def prepare(
    app: App, message: str, *, session: str, role: str | None = None, id: str = "", names: str | None = None
) -> Prepared:
    """Everything that is sent for `message` ("" for none), asked of nobody and recorded nowhere. `id`: the message's
    own; `names`: the collections that are searched for it, None for those that it asks about.

    Raises SearchInvalid (names), ConfigInvalid (a layer), UsageError (role, session, a message that does not fit),
    TaxonomyInvalid, FileDamaged, IoFailed.
    """
    about = classify(message, taxonomy.load(app.files)) if message else Classified(UNCATEGORISED, 0.0, ())
    picture = _of_the_picture(app, message, names)
    # What is open is the conductor's own, whatever its words would be filed under.
    owner = owner_of(app.config, _workload(message, about) if picture is None else UNCATEGORISED, role)
    standing = shelf(app).standing(owner.role)
    past = conversation.newest(app.files, session, max(app.config.whole("turn.history_messages"), 1))
    opening = briefing.compose(app, about.concept) if briefing.is_due(past, app.clock) else ""
    limits = Limits(
        app.config.whole("prompt.max_tokens"),
        app.config.whole("prompt.weather_tokens"),
        app.config.whole("turn.history_messages"),
    )
    offline = (owner.backend or app.config.text("llm.backend")) == OFFLINE
    place = weather.where(app, message, session, id, names=names, offline=offline)
    if picture is not None:
        found, answers, failed = weather.Weather((weather.shown("\n".join(picture.lines), "what is open"),))
    else:
        found, answers, failed = weather.find(app, message, about, place) if message else weather.Weather()
    if failed:
        opening = f"{opening}\n{UNSEARCHED}" if opening else UNSEARCHED
    assembly = assemble(
        standing.parts,
        standing.contract,
        message,
        limits,
        briefing=opening,
        found=found,
        history=[Past(each.role, each.text) for each in past],
    )
    shown = {id: at for at, id in enumerate(assembly.retrieved)}
    kept = sorted((each for each in found if each.id in shown), key=lambda each: shown[each.id])
    return Prepared(assembly, owner, about, standing.layers, tuple(kept), answers, place, picture)


def _workload(message: str, about: Classified) -> str:
    """What a message is filed under for whoever owns that. One word of a question decides nothing ("who does the second
    fix"): rules that are not sure leave it with the conductor."""
    unsure = message.rstrip().endswith("?") and len(about.terms) < SURE
    return UNCATEGORISED if unsure else about.concept


def _of_the_picture(app: App, message: str, names: str | None) -> agenda.Answer | None:
    """The answer from the picture, to a message that asks for what is open; None for any other. Raises FileDamaged,
    IoFailed."""
    wanted = agenda.asked(message, app.clock.now().date()) if message and names is None else None
    if wanted is None:
        return None
    bases = [kb for kb in registry.load(app.files) if kb.enabled]
    heart = hearts.parse(layers.read(app.files, app.config, "heart").text)
    picture = drawing.draw(app, heart)
    sought = agenda.sought(wanted, app.clock.now().date())
    said = _mentioned(app, bases, heart, picture, sought) if sought is not None else []
    return agenda.answer(wanted, picture, several=len(bases) > 1, said=said)


def _mentioned(
    app: App, bases: Sequence[KnowledgeBase], heart: Heart, picture: Picture, sought: mentions.Sought
) -> list[mentions.Mention]:
    """The lines of the knowledge bases that bear on a question and are no matters."""
    now, found = app.clock.now(), list[mentions.Mention]()
    order = app.config.text_or_none("instance.date_order") or custom_order(now)
    register = matters_log.read(app.files).values()
    for kb in bases:
        heard = [each for each in register if each.kb == kb.name]
        known = [each for each in picture.matters if each.kb == kb.name]
        try:
            base = opened.open_base(app.files, app.config, kb, now, lambda size: True)
        except OSError:
            continue  # it was said when the picture was drawn
        found += mentions.find(base, sought, known, heard, Relevance(heart, kb.name), order)
    return found[: mentions.MOST]


def shelf(app: App) -> Shelf:
    """The standing parts of this process."""
    if SHELF not in app.shared:
        app.shared[SHELF] = Shelf(app.files, app.config)
    found: Shelf = app.shared[SHELF]
    return found
