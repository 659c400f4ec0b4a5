"""DOMAIN. From a message to its prompt: what it is about, who answers, what is found for it, what was said before."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from adjutant.app import App
from adjutant.domain.behavior import grammar, own_words
from adjutant.domain.conversation import briefing
from adjutant.domain.matters import drawing, opened
from adjutant.domain.matters.picture import Picture
from adjutant.domain.matters.relevance import Relevance
from adjutant.domain.prompting import roles, standing
from adjutant.domain.prompting.assembly import Assembly, Part, PastMessage, PromptLimits, Retrieved, assemble, part
from adjutant.domain.recall import taxonomy
from adjutant.domain.recall.answer_lines import FoundAnswer
from adjutant.domain.recall.classify import UNCATEGORISED, Classified, certain
from adjutant.domain.recall.sources import logs
from adjutant.domain.telling import agenda, asking, mentions
from adjutant.domain.telling.agenda import AgendaAnswer
from adjutant.errors import AdjutantError, FileDamaged, Stopped, UsageError
from adjutant.language.stems import telling
from adjutant.records import conversation, matters_log, registry
from adjutant.records import heart as hearts
from adjutant.records.layers import Layer
from adjutant.records.registry import KnowledgeBase
from adjutant.store.config import Config
from adjutant.store.files import Files

UNSEARCHED = "The search failed for this message: what the folder holds on it is not known in this turn."
OFFLINE = "offline"
FIRST = 2  # lines of each knowledge base that none of another crowds out
MOST_SAID = 12  # lines of the notes below an answer from the picture
FEW = 3  # lines about a noun, of which fewer may mean that it is no topic
LOOSE = (12, 12)  # matters and lines of the notes that are then shown, whatever they are about
Answer = AgendaAnswer | None
Bases = Sequence[KnowledgeBase]


class Prepared(NamedTuple):
    """A turn before the model is asked."""

    assembly: Assembly
    owner: WorkloadOwner
    about: Classified
    layers: tuple[Layer, ...]
    found: tuple[Retrieved, ...]
    answers: tuple[FoundAnswer, ...]
    where: briefing.Where
    agenda: AgendaAnswer | None = None
    passed_on: tuple[str, ...] = ()  # of earlier messages, those that pass on what untrusted sources say
    wishes: tuple[str, ...] = ()  # the directives that it wishes for, where it holds nothing else


def prepare(
    app: App,
    message: str,
    *,
    session: str,
    role: str | None = None,
    id: str = "",
    names: str | None = None,
    about: Classified | None = None,
) -> Prepared:
    """Everything that is sent for `message` ("" for none), recorded nowhere. `names`: the collections that are
    searched; `about`: what it is filed under. Raises SearchInvalid, ConfigInvalid (a layer), UsageError,
    TaxonomyInvalid, FileDamaged, IoFailed."""
    if about is None:
        about = certain(message, taxonomy.load(app.files)) if message else Classified(UNCATEGORISED, 0.0, ())
    past = conversation.newest(app.files, session, max(app.config.whole("turn.history_messages"), 1))
    wishes = tuple(f"{each.type}: {each.text}" for each in own_words.find_alone(message))
    asks = bool(message) and names is None and not wishes
    wanted = asking.asked(message, app.clock.now().date()) if asks else None
    opens = briefing.is_due(past, app.clock)
    picture = _picture(app) if opens or wanted is not None else None
    open_ones = _answer(app, wanted, picture) if wanted and picture else None
    # What is open is the conductor's own, whatever its words would be filed under.
    owner = owner_of(app.config, about.concept if open_ones is None else UNCATEGORISED, role)
    stands = standing.read(app.files, app.config, owner.role)
    opening = briefing.compose(app, about.concept, picture) if opens else ""
    sizes = ("prompt.max_tokens", "prompt.weather_tokens", "turn.history_messages")
    limits = PromptLimits(*map(app.config.whole, sizes))
    offline = (owner.backend or app.config.text("llm.backend")) == OFFLINE
    place = briefing.where(app, message, session, id, names=names, offline=offline)
    if open_ones is not None and (not offline or (wanted and wanted.sure)):
        skills = place._replace(collections=tuple(each for each in place.collections if each.key == briefing.SKILLS))
        found, answers, failed = briefing.find(app, message, about, skills)  # how to go about it
        found, answers = (briefing.show("\n".join(open_ones.lines), "what is open"), *found), ()
    else:
        found, answers, failed = briefing.find(app, message, about, place) if message else briefing.Weather()
        vague = not telling(message)  # "who is still waiting?" finds a line that waits
        answered = not vague and any(each.certain for each in answers)
        searched = offline and names is None and not wishes
        open_ones = _besides(app, message, open_ones, picture, answered=answered) if searched else None
    opening = "\n".join(filter(None, (opening, UNSEARCHED if failed else "")))
    history = [PastMessage(each.role, each.text) for each in past]
    told: dict[str, Any] = {"briefing": opening, "found": found, "history": history}
    assembly = assemble(date_core(app, stands.parts), stands.contract, message, limits, **told)
    shown = {id: at for at, id in enumerate(assembly.retrieved)}
    kept = sorted((each for each in found if each.id in shown), key=lambda each: shown[each.id])
    strange = [each for each in past if logs.trust(each.role, each.text, each.trust) == logs.UNTRUSTED]
    passed_on = tuple(grammar.parse(each.text.encode("utf-8", "replace")).forwarded or each.text for each in strange)
    return Prepared(assembly, owner, about, stands.layers, tuple(kept), answers, place, open_ones, passed_on, wishes)


def date_core(app: App, parts: Sequence[Part]) -> tuple[Part, ...]:
    """The standing parts, the core with a last line that says which day it is: a model has no calendar."""
    now = app.clock.now()
    zone = app.config.text_or_none("instance.timezone") or now.tzname() or "local time"
    core, *rest = parts
    day = f"Today is {now:%A}, {now:%Y-%m-%d}. The operator's time zone is {zone} (UTC{now:%z})."
    return part(core.name, core.tier, f"{core.text}\n\n{day}"), *rest


def _picture(app: App) -> Picture | None:
    try:
        return drawing.draw(app)
    except Stopped:
        raise
    except AdjutantError as error:
        app.say(f"what is open is not known: {error.message}")
        return None


def _answer(app: App, wanted: asking.Asked, picture: Picture, bases: Bases = ()) -> AgendaAnswer | None:
    """The answer from the picture, to a message that asks for what is open. `bases`: whose, () for all enabled."""
    bases = bases or [kb for kb in registry.load(app.files) if kb.enabled]
    about = agenda.find_page(wanted, picture.shown())
    found = _read(app, about, picture, bases, agenda.MOST_LINES, MOST_SAID)
    noun = about.about != wanted.about or about.about == about.about.lower() != ""
    lines = sum(line.startswith("- ") for each in found for line in each.lines)
    loose = _read(app, wanted._replace(about=""), picture, bases, *LOOSE) if noun and lines < FEW else []
    joined, more = agenda.join(found), agenda.join(loose)  # it may name nothing here
    if more is not None and more.holds:
        joined = agenda.add(joined, more) if joined is not None and lines else agenda.head(more, agenda.NOTHING)
    return joined if joined is None or joined.holds or wanted.sure else None


def _read(app: App, wanted: asking.Asked, picture: Picture, bases: Bases, most: int, said: int) -> list[AgendaAnswer]:
    """The answers to each way in which a question may be read: at most so many matters and so many lines."""
    heart, found = hearts.read(app.files, app.config), list[AgendaAnswer]()
    for kind in filter(None, (wanted.kind, wanted.other)):
        asked = wanted._replace(kind=kind)
        sought = agenda.sought(asked, picture)
        lines = find_mentions(app, bases, heart, picture, sought, said) if sought is not None else []
        answer = agenda.answer(asked, picture, several=len(bases) > 1, said=lines, most=most)
        found += [answer] if answer is not None else []
    return found


def about_base(app: App, kb: KnowledgeBase, message: str) -> AgendaAnswer | None:
    """The answer from the picture of one knowledge base, None where nothing is asked. Raises Stopped, FileDamaged."""
    wanted = asking.asked(message, app.clock.now().date())
    if wanted is None or (picture := _picture(app)) is None:
        return None
    here = [each for each in picture.matters if each.kb == kb.name]
    return _answer(app, wanted, msgspec.structs.replace(picture, matters=here), [kb])


def _besides(app: App, message: str, found: Answer, picture: Picture | None, *, answered: bool) -> Answer:
    wanted = asking.perhaps(message, app.clock.now().date(), answered=answered) if found is None else None
    if wanted is not None and (picture := picture or _picture(app)) is not None:
        found = _answer(app, wanted, picture)
    if found is None or not found.holds:
        return None
    return agenda.head(found, agenda.BELOW if answered else agenda.NOTHING)


def find_mentions(
    app: App, bases: Bases, heart: hearts.Heart, picture: Picture, sought: mentions.Sought, most: int = mentions.MOST
) -> list[mentions.Mention]:
    """At most so many lines of the knowledge bases that bear on a question and are no matters."""
    now, found = app.clock.now(), list[list[mentions.Mention]]()
    register = matters_log.read(app.files).values()
    for kb in bases:
        heard = [each for each in register if each.kb == kb.name]
        known = [each for each in picture.matters if each.kb == kb.name]
        try:
            base = opened.open_base(app.files, app.config, kb, now, lambda size: True)
        except OSError:
            continue  # it was said when the picture was drawn
        found.append(mentions.find(base, sought, known, heard, Relevance(heart, kb.name)))
    turns = [each for row in zip_longest(*(each[:FIRST] for each in found)) for each in row if each is not None]
    rest = sorted((each for several in found for each in several[FIRST:]), key=lambda each: -each.share)
    return sorted([*turns, *rest][:most], key=lambda each: each.day or date.min)


class WorkloadOwner(NamedTuple):
    """Who answers: `role`; None for the conductor's own backend and model; `workspace` in the instance or ""."""

    role: str
    backend: str | None = None
    model: str | None = None
    workspace: str = ""


def owner_of(config: Config, concept: str, role: str | None = None) -> WorkloadOwner:
    """Who was asked for by `role`, else who owns `concept`. Raises UsageError (no such role)."""
    if role is not None and role not in roles.names(config):
        raise UsageError(f"no role {role[:40]!r}; there are {', '.join(roles.names(config))}")
    workload = concept.removeprefix(taxonomy.PREFIX)
    owners = (name for name, each in config.specialists.items() if workload in each["workloads"])
    name = role or next(owners, roles.CONDUCTOR)
    found = config.specialists.get(name)
    if found is None:
        return WorkloadOwner(name, None, config.text_or_none("conductor.model"))
    return WorkloadOwner(name, found["backend"], found["model"], found["workspace"])


def folder_of(files: Files, owner: WorkloadOwner) -> tuple[str, tuple[int, int]] | None:
    """(path, (device, inode)) of a specialist's folder, made where it is missing; None where a dry run may not. No part
    of it may be a link, or what an agent put there would lead out. Raises FileDamaged, IoFailed."""
    path = files.tree.inside(owner.workspace)
    try:
        with files.folder(path, make=not files.dry) as fd:
            found = os.fstat(fd)
    except FileNotFoundError:
        return None
    except FileDamaged as error:
        raise FileDamaged(f"{error.message}; {owner.role} works in plain folders only", error.fix) from error
    return path, (found.st_dev, found.st_ino)
