"""OPINION. A prepared turn, answered by its owner: on which route, with which tools, in which folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from adjutant.domain.behavior import grammar
from adjutant.domain.conversation import owners, tools
from adjutant.domain.matters.picture import row
from adjutant.domain.telling import agenda
from adjutant.judgements import answer as kb_answer
from adjutant.judgements import consulting, turn
from adjutant.judgements.material import nears
from adjutant.ports import Converser, Folder, Model, Worker

if TYPE_CHECKING:
    from adjutant.app import App
    from adjutant.domain.conversation.preparing import Prepared


def route(app: App, prepared: Prepared) -> Model | None:
    """The owner's route to a model; None where it is offline. Raises ConfigInvalid."""
    return app.model(prepared.owner.backend) if prepared.owner.backend else app.model()


def answer(
    app: App,
    prepared: Prepared,
    *,
    session: str,
    source: str,
    model: Model | None,
    clean: turn.Clean,
    told: Callable[[str], None] | None = None,
) -> turn.TurnOutcome:
    """The model's answer, or what the folder says. `source`: what notes name as where they come from; `clean` and
    `told` as in `turn.take`.

    Raises as `turn.take`, and FileDamaged where a specialist's folder is none.
    """
    owner, said = prepared.owner, prepared.assembly.message
    forwarded = grammar.parse(said.encode()).forwarded
    box = tools.Toolbox(
        app,
        source=source,
        folder=owner.workspace or tools.FOLDER,
        message=said.removesuffix(forwarded),
        heard=list(filter(None, (forwarded, *_list_untrusted(prepared)))),
        ask_kb=lambda name, question: _consult(app, name, question),
        where=prepared.where,
    )
    inputs = turn.Inputs(
        said,
        session,
        owner.role,
        [turn.RetrievedPassage(each.id, each.path, each.anchor, each.passage, each.trust) for each in prepared.found],
        nears(prepared.answers, lambda each: (each.document.path, each.document.anchor, each.quote)),
        _cite_agenda(prepared.agenda.cleaned(clean)) if prepared.agenda is not None else None,
    )
    found = turn.take(
        app,
        inputs,
        prepared.assembly,
        model=model,
        named=owner.model,
        use=box.use,
        clean=clean,
        tools=box.table if isinstance(model, Converser) else (),
        reads=_open_folder(app, prepared, model),
        told=told,
    )
    return msgspec.structs.replace(found, repeats=box.repeats(found.result.answer))


def _list_untrusted(prepared: Prepared) -> Iterator[str]:
    """What stands in the prompt and is nobody's word that counts: earlier messages that pass it on, passages, and the
    lines of the briefing, which name what stands in folders."""
    yield from prepared.passed_on
    yield from (each.passage for each in prepared.found if each.trust == "untrusted")
    for part in prepared.assembly.parts:
        if part.name == "briefing":
            yield from (line.removeprefix("- ") for line in part.text.split("\n") if line.startswith("- "))


def _cite_agenda(found: agenda.AgendaAnswer) -> turn.Agenda:
    cited = [
        turn.Citation(each.evidence[0].path, str(each.evidence[0].line), each.evidence[0].quote)
        for each in found.matters
    ]
    return turn.Agenda(found.lines, [row(each) for each in found.matters], cited)


def _open_folder(app: App, prepared: Prepared, model: Model | None) -> Folder | None:
    """Where a specialist's agent works: it may change files there and run commands, in a dry run only look."""
    if not prepared.owner.workspace or not isinstance(model, Worker):
        return None
    found = owners.folder_of(app.files, prepared.owner)
    if found is None:
        return None
    path, inode = found
    if model.no_commands and not app.dry_run:
        app.say(f"{prepared.owner.role} may edit files and run no commands: {model.no_commands}")
    return Folder(path, not app.dry_run, runs=not app.dry_run and not model.no_commands, inode=inode)


def _consult(app: App, name: str, question: str) -> str:
    """A knowledge base's answer, with the lines it rests on; a model's question changes nothing in it."""
    told = consulting.consult(app, name, question, may_write=False).answered.result
    return "\n".join([told.answer, *(f"{each.path}:{each.line}: {each.quote}" for each in kb_answer.cited(told))])
