"""STAGE. index: brings the index up to date with the files; --check compares the two."""

from itertools import chain

from adjutant.app import App, Args, Outcome, Row
from adjutant.domain.recall import indexing, places, search, servers
from adjutant.errors import CheckFailed

EXAMPLES = 5
COUNTED = ("documents", "upserted", "deleted", "unchanged")


def run(app: App, args: Args) -> Outcome:
    """Also damaged[], and vectors{read, left} with `retrieval.semantic`; for --check behind{} and unavailable{}."""
    chosen = places.TABLE if args.only is None else places.find_collections(args.only)

    def look(files: int) -> None:
        app.gate()
        if files % 100 == 0:
            app.progress(f"index: {files} files read")

    mirror = search.Mirror(app, look)
    try:
        return _check(app, mirror, chosen) if args.check else _index(app, mirror, chosen, args)
    finally:
        app.progress("")
        mirror.index.close()


def _index(app: App, mirror: search.Mirror, chosen: tuple[places.Collection, ...], args: Args) -> Outcome:
    began, full = app.clock.monotonic(), args.full

    def work() -> dict[str, indexing.Counts]:
        servers.mark(app, mirror.index, chosen)
        if full and chosen == places.TABLE:
            return indexing.rebuild(mirror.index, mirror.reader)
        return indexing.refresh(mirror.index, mirror.reader, chosen, full=full)

    with mirror.lock():
        done = mirror.heal(work)
        search.note_scan(app, mirror.index, chosen)
    whole = chosen == places.TABLE
    by_hand = app.slot is None and whole  # cron would take them to and fro between two
    mirrors, pushed = servers.bring_up(app, mirror.index, chosen, full=full, take_over=by_hand)
    vectors = indexing.take_in(app, mirror.index, mirror.lock)
    told = (wrong for one in done.values() for wrong in one.damaged.values())
    damaged = list(dict.fromkeys([*mirror.reader.places.problems, *told]))
    seconds = app.clock.monotonic() - began
    rows = {name: {key: getattr(one, key) for key in COUNTED} for name, one in done.items()}
    result: Row = {"status": "completed" if whole else "partial", "collections": rows}
    result |= {"mirrors": {mirror.index.name: "ok", **mirrors}, "contract_pushed": pushed}
    result |= {"seconds": round(seconds, 3), "damaged": damaged}
    total = ", ".join(f"{sum(row[key] for row in rows.values())} {key}" for key in COUNTED)
    line = f"index: {total}; {seconds:.1f} s"
    if vectors is not None:
        result |= {"vectors": vectors}
        line += f"; {vectors['read']} read for their meaning, {vectors['left']} left for the next"
    lines = [f"left out: {each}" for each in damaged]
    lines += [f"not updated: {told}" for told in mirrors.values() if told != "ok"]
    return Outcome(result, [*lines, line])


def _check(app: App, mirror: search.Mirror, chosen: tuple[places.Collection, ...]) -> Outcome:
    damaged: list[str] = []
    found = list(indexing.check(mirror.index, mirror.reader, chosen, damaged))
    damaged = list(dict.fromkeys([*mirror.reader.places.problems, *damaged]))
    held = servers.drifts(app, mirror.index, {drift.collection: drift.wanted for drift in found})
    states = [*((mirror.index.name, drift) for drift in found), *held]
    rows = [_row(name, state) for name, state in states if state and not isinstance(state, str)]
    away = {name: state for name, state in states if isinstance(state, str)}
    behind = {drift.collection: drift.behind for drift in found if drift.behind}
    result = {"drift": rows, "behind": behind, "damaged": damaged, **({"unavailable": away} if away else {})}
    lines, names = list[str](), ", ".join(f"{row['mirror']} {row['collection']}" for row in rows)
    for row in rows:
        counts = ", ".join(f"{row[kind]} {kind}" for kind in ("missing", "extra", "stale"))
        lines.append(f"{row['mirror']} {row['collection']}: {counts} ({', '.join(row['examples'])})")
    lines += [f"left out: {each}" for each in damaged]
    lines += [f"not compared: {told}" for told in away.values()]
    told, fixes = list[str](), list[str]()
    if rows:
        told.append(f"the files differ from {names}")
        fixes.append("adjutant index --full")  # it may be in files that seem unchanged, or in rows of one fingerprint
        lines.append("`adjutant index --full` repairs it")
    if away:
        told.append(f"cannot be compared: {', '.join(away)}")
        fixes.append("mend each one that cannot be compared, or take it out of adjutant.yaml")
    error = CheckFailed("; ".join(told), "; ".join(fixes)) if told else None
    return Outcome(result, lines if told else [*lines, "index: no drift"], error=error)


def _row(mirror: str, drift: indexing.Drift) -> Row:
    found = {kind: getattr(drift, kind) for kind in ("missing", "extra", "stale")}
    row = {"mirror": mirror, "collection": drift.collection, **{kind: len(ids) for kind, ids in found.items()}}
    return row | {"examples": [*chain(*found.values())][:EXAMPLES]}
