"""STAGE. memory: notes saved, listed, shown, corrected, forgotten, restored, and a flat MEMORY.md taken in."""

import os
import re
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from functools import partial

import msgspec

from adjutant.app import App, Args, Outcome, Row, cut_list, plural
from adjutant.domain.forgetting import acts, fact
from adjutant.domain.forgetting.acts import Acts, FactChange
from adjutant.domain.memory import gate, importing, notes
from adjutant.domain.memory.shelf import Shelf, ShelfPlace
from adjutant.domain.recall import taxonomy
from adjutant.domain.telemetry import spans
from adjutant.errors import MemoryRefused, MemoryUnknown, UsageError
from adjutant.judgements import filing
from adjutant.language import likeness
from adjutant.ports import TRUST
from adjutant.records import wisdom_file
from adjutant.records.note import KEYS, Note
from adjutant.records.period_file import lowest
from adjutant.screening.fence import clean_line

MAX_IMPORT = 1024 * 1024
MAX_TAGS = 12
SHOWN_LINE, MOST_SHOWN = 100, 20
_short = partial(clean_line, limit=SHOWN_LINE)
NONE = "nothing here holds all of these words"
ROW = (*KEYS, "path")
Words = tuple[likeness.Word, ...]
_TAG = re.compile(r"[\w][\w./-]{0,39}")


def run(app: App, args: Args) -> Outcome:
    """One subverb."""
    if args.subverb == "search":
        from adjutant.domain.recall import places, search  # SQLite: only a search pays for it

        return search.tell(app, app.given(args.words), places.find_collections("memory"), args)
    shelf = Shelf(app.files)
    ended = _complete(app, shelf)
    verbs = {"save": _save, "list": _list, "show": _show, "import": _import}
    verbs |= {"correct": _correct, "forget": partial(_forget, ended=ended), "restore": _restore}
    outcome = verbs[args.subverb](app, shelf, args)
    for reason in shelf.damaged.values():
        app.say(f"left alone: {reason}")
    if shelf.damaged:
        outcome.result["damaged"] = sorted(shelf.damaged)
    return outcome


def _save(app: App, shelf: Shelf, args: Args) -> Outcome:
    guard = gate.for_app(app)
    text = guard.admit(app.given(args.text), args.trust)
    guard.refuse_secrets(args.tags)
    draft = notes.NoteDraft(
        text=text,
        type=args.type or notes.type_of(text),
        concepts=filing.file(app, text, taxonomy.load(app.files)).concepts,
        tags=_tags(args.tags),
        trust=args.trust,
        source="command memory save",
        supersedes=args.supersedes,
        obstacle=guard.find_lifted(text),
    )
    with spans.share(app).span("create_memory", **spans.gen_ai(operation__name="create_memory")):
        saved = notes.save(shelf, draft, app.clock.now())
    note, new = saved.note, saved.outcome == "saved"
    guessed = [*["type"] * (new and not args.type), *["concepts"] * new]
    row = {key: _row(note)[key] for key in ("id", "type", "concepts", "path", "trust")}
    result = {"outcome": saved.outcome, **row, "guessed": guessed, "supersedes": saved.superseded or None}
    parts = {"type": note.type, "concepts": ", ".join(note.concepts) or "no concept"}
    told = [f"{text} (guessed)" if name in guessed else text for name, text in parts.items()]
    told += [note.trust] if note.trust != TRUST[0] else []
    lines = [f"{note.id}: {app.would}{saved.outcome}, {', '.join(told)}", f"  {note.path}"]
    lines += [] if new else [f"  it says so already: {_short(note.body)}"]
    lines += [f"  in place of {saved.superseded}"] if saved.superseded else []
    return Outcome(result, lines, next_actions=_read_it(note))


def _read_it(note: Note) -> list[tuple[str, str]]:
    return [(f"adjutant memory show {note.id}", "read it")]


def _tags(given: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(tag.strip().lower() for tag in given.split(",") if tag.strip()))
    if bad := next((tag for tag in found if not _TAG.fullmatch(tag)), ""):
        raise UsageError(f"--tags: `{bad[:40]}` is no tag", "letters, digits, - _ . and /, with commas in between")
    if len(found) > MAX_TAGS:
        raise UsageError(f"--tags: {len(found)} tags, {MAX_TAGS} are allowed")
    return found


def _list(app: App, shelf: Shelf, args: Args) -> Outcome:
    found = [note for note in shelf.all() if args.type in (None, note.type)]
    follow = ("adjutant memory show <id>", "one of them", {"id": "an id or its beginning"})
    lines = [_line(note) for note in found] or ["no notes"]
    return Outcome({"notes": [_row(note) for note in found]}, lines, next_actions=[follow])


def _show(app: App, shelf: Shelf, args: Args) -> Outcome:
    wanted = shelf.find(args.id)
    note = next((each for each in shelf.all() if each.id == wanted.id), wanted)
    row, lines = _row(note), [f"{note.id}  {note.type}, {note.trust}, {note.created}", f"  {note.path}"]
    for name in ("concepts", "tags", "source", "reinforced", "supersedes", "superseded_by"):
        told = row[name] if isinstance(row[name], str | None) else ", ".join(row[name])
        lines += [f"  {name.replace('_', ' ')}: {clean_line(told, SHOWN_LINE * 4)}"] if told else []
    return Outcome({**row, "body": note.body}, [*lines, "", note.body])


def _row(note: Note) -> Row:
    row: Row = msgspec.to_builtins(note)
    return {key: row[key] for key in ROW}


def _line(note: Note) -> str:
    marks = "" if note.trust == TRUST[0] else f" [{note.trust}]"
    marks += f" (superseded by {note.superseded_by})" if note.superseded_by else ""
    return f"{note.id}  {note.type:<10}  {_short(note.title)}{marks}"


def _acts(app: App, shelf: Shelf) -> Acts:
    return Acts(shelf, wisdom_file.read_file(app.files, app.config).path, app.clock.now())


def _complete(app: App, shelf: Shelf) -> list[FactChange]:
    """Ends what a run that was cut has begun to take back or put right."""
    if app.dry_run or not acts.list_unfinished(app.files):
        return []
    with app.files.lock(notes.LOCK):
        done = _acts(app, shelf).complete()
    for each in done:
        app.say(f"{each.act.note or each.act.id}: a run that was cut had begun to {each.act.verb} it; that is done now")
    _bring_up_search(app)
    return done


def _bring_up_search(app: App) -> dict[str, str]:
    """Where there is an index: {index or mirror: ok, or why not}."""
    from adjutant.domain.recall import indexing, servers  # SQLite: only where something was taken out of it
    from adjutant.domain.recall.places import TABLE
    from adjutant.domain.recall.search import Mirror

    if app.dry_run or not app.files.exists(app.tree.index):
        return {}
    mirror = Mirror(app)
    with closing(mirror.index) as index:
        with mirror.lock():
            servers.mark(app, index, TABLE)
            mirror.heal(lambda: indexing.refresh(index, mirror.reader, TABLE))
            index.purge()
        return {index.name: "ok", **servers.bring_up(app, index, TABLE, full=False, take_over=False)[0]}


def _correct(app: App, shelf: Shelf, args: Args) -> Outcome:
    guard = gate.for_app(app)
    text = guard.admit(app.given(args.text), args.trust)
    with notes.hold(shelf, app.clock.now()):
        note = shelf.find(args.id)
        if TRUST.index(args.trust) > TRUST.index(note.trust):
            raise MemoryRefused(f"refused: {args.trust} words change no note that is trusted as {note.trust}")
        done = _acts(app, shelf).change(note, text)
    result, lines = _copies(app, [done])
    lines = [f"{note.id}: {app.would}corrected, {note.path}", f"  {_short(note.body)}", f"  → {_short(text)}", *lines]
    result |= {"outcome": "corrected", "id": note.id, "type": note.type, "path": note.path}
    return Outcome(result, lines, next_actions=_read_it(note))


def _forget(app: App, shelf: Shelf, args: Args, ended: Sequence[FactChange]) -> Outcome:
    """`ended`: what this run has ended for one that was cut; the same words again are no mistake."""
    ids = app.given(args.ids).split() if args.ids == ["-"] else args.ids
    if (args.query is None) != bool(ids):
        raise UsageError("say which notes: their ids, or --query", "`adjutant memory forget ID…`, or --query TEXT")
    if args.query is None:
        return _forget_all(app, shelf, ids, ended)
    words, found = likeness.content(args.query), shelf.holding(args.query)
    heard = _find_said(app, words)
    if args.yes and not (found or heard or ended):
        raise MemoryUnknown(NONE, "name fewer words; without --yes it shows what they find")
    if args.yes:
        return _forget_all(app, shelf, [note.id for note in found], ended, words)
    where = defaultdict[str, list[str]](list)
    for each in heard:
        where[each.text].append(each.place)
    told = [f"{_short(text)}  ({', '.join(cut_list(places, 1))})" for text, places in where.items()]
    lines = [*map(_line, found), *cut_list(told, MOST_SHOWN)]
    counts = [plural(len(found), "note")] * bool(found)
    counts += [f"{plural(len(heard), 'line')} that no note says"] * bool(heard)
    lines.append(f"{' and '.join(counts)} would be forgotten; nothing is until you add --yes" if counts else NONE)
    follow = [("adjutant memory forget --query <text> --yes", "forget them", {"text": args.query})] if counts else []
    result = {"ids": [], "paths": [], "matches": [_row(note) for note in found]}
    result["said"] = [{"place": each.place, "text": each.text} for each in heard]
    return Outcome(result, lines, next_actions=[*follow])


def _find_said(app: App, words: Words) -> list[fact.Said]:
    path = wisdom_file.read_file(app.files, app.config).path
    return fact.find(app.files, app.clock, path, words) if words else []


def _forget_all(app: App, shelf: Shelf, ids: Sequence[str], ended: Sequence[FactChange], words: Words = ()) -> Outcome:
    """`words`: of a query, of which also goes what no note says."""
    done, gone = [each for each in ended if each.act.note in ids], list[tuple[ShelfPlace | None, list[str]]]()
    ids = [id for id in ids if id not in {each.act.note for each in done}]
    with notes.hold(shelf, app.clock.now()):
        acting, texts = _acts(app, shelf), list(shelf.texts())
        for place in dict.fromkeys(map(shelf.place, ids)):
            if (note := shelf.get(place)) is not None:
                said = (note, *shelf.saying(note.body, texts))
                done += [acting.change(each) for each in said if app.files.exists(app.tree.inside(each.path))]
            else:  # it cannot be read: nobody knows what it says
                shelf.damaged.pop(app.tree.relative(place.path), None)
                gone.append(notes.move_away(shelf, place.id))
        if heard := dict.fromkeys(each.text for each in _find_said(app, words)):
            done.append(acting.forget(tuple(heard)))
    gone += [(each.place, each.others) for each in done]
    places = [at for at, _ in gone if at is not None]
    others = {id for _, found in gone for id in found} - {at.id for at in places}
    noteless = [each.act.id for each in done if not each.act.note]
    result, lines = _copies(app, done)
    outcome = _tell_moved(app, places, sorted(others), noteless, "forgotten", "restore")
    return Outcome(outcome.result | result, outcome.lines + lines, outcome.next_actions)


def _copies(app: App, done: Sequence[FactChange]) -> tuple[Row, list[str]]:
    """What the changes came to beside the notes: copies by their files, the mirrors, pages that say it still."""
    copies: dict[str, int] = {}
    for each in done:
        copies |= {path: copies.get(path, 0) + many for path, many in each.changed.items()}
    left = sorted({path for each in done for path in each.left})
    mirrors = _bring_up_search(app) if done else {}
    lines = [f"  {sum(copies.values())} copies in {len(copies)} files as well"] if copies else []
    lines += [f"  not brought up: {told}; `adjutant index` does it" for told in mirrors.values() if told != "ok"]
    lines += [f"  it stands in {path} still: that page is yours" for path in left]
    return {"copies": copies, "mirrors": mirrors, "left": left, "changes": [each.act.id for each in done]}, lines


def _restore(app: App, shelf: Shelf, args: Args) -> Outcome:
    with app.files.lock(notes.LOCK):  # the copies first: a run that is cut in between is ended by the same words
        acting, known = _acts(app, shelf), acts.list_noteless(app.files)
        acted = [id for id in args.ids if id in known]
        ids = [id for id in args.ids if id not in known]
        places = [place.id for place in notes.find_gone(shelf, ids, [*known])]
        back = [path for id in (*places, *acted) for path in acting.restore(id)]
    outcome = _tell_moved(app, *notes.restore(shelf, ids, app.clock.now()), acted, "restored", "forget")
    outcome.result["copies"] = sorted(set(back))
    told = f"  {len(set(back))} files are restored; `adjutant compact` rebuilds their days"
    outcome.lines += [told] if back else []
    return outcome


def _tell_moved(
    app: App, places: Sequence[ShelfPlace], others: list[str], acted: Sequence[str], done: str, undo: str
) -> Outcome:
    """`acted`: the acts on what no note says, by which it comes back."""
    ids, paths = [place.id for place in places], [app.tree.relative(place.path) for place in places]
    now = "superseded again" if undo == "forget" else "live again"
    lines = [f"{id}: {app.would}{done}, {path}" for id, path in zip(ids, paths, strict=True)]
    lines += [f"{id}: {app.would}{now}" for id in others]
    lines += [f"{id}: {app.would}{done}, what no note says" for id in acted]
    undone = [*ids, *acted] if undo == "restore" else ids
    actions = [(f"adjutant memory {undo} {' '.join(undone)}", "undo it")] if undone else []
    return Outcome({"ids": ids, "paths": paths, "others": others}, lines or [NONE], next_actions=actions)


def _import(app: App, shelf: Shelf, args: Args) -> Outcome:
    given = args.file
    path = next(filter(os.path.isfile, map(os.path.realpath, (os.path.expanduser(given), app.tree.inside(given)))), "")
    if not path:
        raise UsageError(f"{given[:200]}: there is no such file", "`adjutant memory import FILE`")
    name = clean_line(os.path.basename(path), 60)
    text = app.files.text(path, MAX_IMPORT)
    found, guard, trust = importing.Pieces(text), gate.for_app(app), lowest(args.trust, importing.read_mark(text))
    source, now = f"command memory import {name}", app.clock.now()

    def tell(number: int) -> None:
        app.progress(f"import: {number} of {len(found.pieces)}")

    taken = importing.take_in(shelf, guard, found.pieces, trust=trust, source=source, now=now, progress=tell)
    app.progress("")
    rows: dict[str, list[Row]] = {"saved": [], "reinforced": [], "refused": []}
    for each in taken:
        keys, held = ("id", "type", "title", "path") if each.note is not None else ("reason",), each.note or each
        row = {key: getattr(held, key) for key in keys}
        rows[each.outcome].append({"line": each.piece.first, "last": each.piece.last, **row})
    rows["refused"] += [{"line": line, "last": line, "reason": reason} for line, reason in found.left.items()]
    rows["refused"].sort(key=lambda row: int(row["line"]))
    headings = [{"line": line, "text": guard.heading(heading, trust)} for line, heading in found.headings.items()]
    lines = []
    for outcome, row in ((outcome, row) for outcome, several in rows.items() for row in several):
        about = row["reason"] if "reason" in row else f"{row['id']} {row['type']}: {_short(row['title'])}"
        lines.append(f"{name}:{row['line']}-{row['last']}: {outcome}, {about}")
    whole = len(text.split("\n")) - (text[-1:] in "\n")
    counts = [*(f"{len(several)} {outcome}" for outcome, several in rows.items()), f"{len(headings)} headings"]
    lines.append(f"{whole} lines: {', '.join(counts)}, {len(found.blank)} blank")
    result, error = {**rows, "headings": headings, "blank": found.blank, "lines": whole}, None
    if taken and all(each.outcome == "refused" for each in taken):
        error = MemoryRefused(f"nothing of {name} became a note", "each line is named with its reason")
    return Outcome(result, lines, error=error, next_actions=[("adjutant memory list", "what is there now")])
