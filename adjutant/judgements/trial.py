"""OPINION. A model that was just chosen, tried: by one question, and by a day of an invented life."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from functools import partial, reduce

from adjutant.app import App, Row
from adjutant.children import child, scratch
from adjutant.errors import AdjutantError, IoFailed, ModelUnavailable
from adjutant.judgements import answer, hearing
from adjutant.judgements.asking import MODEL, Asker
from adjutant.judgements.calling import SHARED
from adjutant.judgements.material import KbLine
from adjutant.judgements.recording import read
from adjutant.records import usage
from adjutant.store import jsonl, package
from adjutant.store.config import Config
from adjutant.store.disk import make_folder
from adjutant.store.files import Files
from adjutant.store.settings import AGENTS, BASES, KEYS
from adjutant.store.tree import Tree

SPARE, OUT_LIMIT = 60.0, 4 * 1024 * 1024  # seconds beyond limits.run_seconds that the day may take; bytes
CARRIED = ("llm.", "limits.", "heartbeat.parallel", "heartbeat.kb_timeout_seconds")
FOLDER = ("instance", "trial")


def table(days: Sequence[Row]) -> list[str]:
    """A line each, under its heads."""
    rows = [("", "told P", "told R", "severity", "calls", "tokens", "seconds", "money")]
    for day in days:
        precision = "-" if day["precision"] is None else f"{day['precision']:.2f}"
        told = (precision, f"{day['recall']:.2f}", f"{day['grave']} of {day['graded']}", str(day["calls"]))
        tokens = f"{day['tokens_in'] + day['tokens_out']:,}"
        rows.append((day["name"], *told, tokens, f"{day['seconds']:.0f}", day["spent"] or "-"))
    first, *widths = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [
        "  ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))])
        for name, *cells in rows
    ]


def live(app: App, config: Config, name: str) -> Row:
    """The day through the model of `config` (offline: the rules). Raises IoFailed, ModelUnavailable, Stopped."""
    labels = _read_labels()
    with _instance(app, config, labels) as files:
        began = app.clock.monotonic()
        result = _run(app, files.tree.root, ["pulse"], labels["now"], config.number("limits.run_seconds") + SPARE)
        seconds = app.clock.monotonic() - began
        records = jsonl.read(files, files.tree.usage)
        data = files.find(files.tree.outbox) or b""  # the words that reached the person, ids of matters among them
    for record in records:  # the day's caps and its cost are the instance's own
        app.files.append(app.tree.usage, {**record, "ts": app.clock.now().isoformat(), "run": app.run})
    calls = [(str(each.get("model")), int(each["tokens_in"]), int(each["tokens_out"])) for each in records]
    spent, told = usage.count(calls, config.prices()), set(data.decode("utf-8", "replace").split())
    day = {"calls": spent.calls, "tokens_in": spent.tokens_in, "tokens_out": spent.tokens_out, "spent": spent.told}
    money = {currency: round(cost, 6) for currency, cost in spent.money.items()}
    day |= {"money": money, "seconds": round(seconds, 1), "degraded": result.get("degraded")}
    return {"name": name, **_score(labels, result, told, day)}


def _read_labels() -> Row:
    """now, timezone, bases, musts, mays; the `question` of the first try and the files that are `shown` with it."""
    found: Row = json.loads(package.text(*FOLDER, "labels.json"))
    return found


def _score(labels: Row, result: Row, told: set[str], spent: Row) -> Row:
    """What came of the day: `hits` of those told were to be told, `fine` might be; `found` of the `musts` reached him;
    `grave` of the `graded` had the right severity. `precision` is None where nothing was told."""
    issues, musts = result["issues"], labels["musts"]
    reached = [each for each in issues if each["id"] in told]
    hits = [each for each in reached if _match(each, musts)]
    fine = sum(bool(_match(each, labels["mays"])) for each in reached if each not in hits)
    found = len({n for each in hits for n in _match(each, musts)})
    grades = {n: each["severity"] for each in reversed(issues) for n in _match(each, musts)}
    grave = sum(musts[n]["severity"] == grade for n, grade in grades.items())
    day = {"told": len(reached), "hits": len(hits), "fine": fine, "musts": len(musts), "found": found}
    precision = round((len(hits) + fine) / len(reached), 2) if reached else None
    rates = {"precision": precision, "recall": round(found / len(musts), 2)}
    return {**day, "graded": len(grades), "grave": grave, **spent, **rates}


def _match(issue: Row, labels: Sequence[Row]) -> list[int]:
    places = {(issue["kb"], each["path"], each["line"]) for each in issue["evidence"]}
    named = (((each["kb"], each["path"], line) for line in each["lines"]) for each in labels)
    return [n for n, lines in enumerate(named) if not places.isdisjoint(lines)]


@contextmanager
def _instance(app: App, config: Config, labels: Row) -> Iterator[Files]:
    with scratch.folder() as place:
        root = os.path.join(place, "work", "trial")
        _run(app, "", ["init", root], labels["now"], SPARE)
        files = Files(Tree(root))
        tree = files.tree
        files.replace(tree.layer("heart"), package.text(*FOLDER, "heart.md"))
        for kb in labels["bases"]:
            for path in _texts(*FOLDER, kb):
                target = tree.inside(f"knowledge_bases/{kb}/{path}")
                make_folder(os.path.dirname(target))
                files.replace(target, package.text(*FOLDER, kb, *path.split("/")))
        rows = [{"name": kb, "path": f"knowledge_bases/{kb}"} for kb in labels["bases"]]
        files.replace(tree.registry, json.dumps(rows))
        backend = config.text("llm.backend")
        if backend != "offline":  # the one key that the model's address gets, as .env has it
            api = AGENTS.get(backend, backend)
            key = app.secret(KEYS[api], config.text_or_none("llm.base_url") or BASES[api])
            files.replace(tree.env, f"{KEYS[api]}={key}\n" if key else "")
        made: Row = {"instance": {"name": "trial", "timezone": labels["timezone"]}}
        for name, value in config.values.items():
            if name.startswith(CARRIED) and not name.startswith("llm.caps."):
                *heads, last = name.split(".")
                reduce(lambda inner, head: inner.setdefault(head, {}), heads, made)[last] = value
        files.replace(tree.config, json.dumps({**made, "judgements": config.judgements}))  # JSON is YAML, too
        yield files


def _texts(*folder: str) -> Iterator[str]:
    for name in package.names(*folder):
        plain = name.endswith((".md", ".csv"))
        yield from [name] if plain else (f"{name}/{inner}" for inner in _texts(*folder, name))


def _run(app: App, root: str, words: Sequence[str], now: str, seconds: float) -> Row:
    argv = [sys.executable, "-P", "-m", "adjutant", *words, *(["--root", root] if root else []), "--json"]
    try:
        env, cwd = {**app.environment, "ADJUTANT_NOW": now}, root or os.path.dirname(words[-1])
        ended = child.run(argv, env=env, cwd=cwd, seconds=seconds, out_limit=OUT_LIMIT, watch=app.gate)
    except OSError as error:
        raise IoFailed(f"`{words[0]}` could not be run: {error.strerror or error}") from error
    if ended.cause is not None:
        fix = "a faster model, or a larger limits.run_seconds"
        raise ModelUnavailable(f"the day took longer than {seconds:g} s", fix)
    try:
        envelope = jsonl.loads(ended.out)
        if envelope["ok"]:
            found: Row = envelope["result"]
            return found
        why = str(envelope["error"]["message"])
    except (ValueError, KeyError, TypeError):
        why = f"exit {ended.code}"
    raise AdjutantError(f"the day could not be lived: `{words[0]}`: {why}")


def try_model(app: App, config: Config) -> tuple[Row, str, bool]:
    """(how it went as JSON, the same for a person, whether anything came). Raises Stopped, ConfigInvalid."""
    other = copy(app)  # with settings of its own, and a question that is none of this run's
    other.config, other.model = config, partial(app.model, settings=config)
    other.shared = {key: each for key, each in app.shared.items() if key not in (MODEL, SHARED)}
    labels = _read_labels()
    texts = {path: package.text(*FOLDER, *path.split("/")).split("\n") for path in labels["shown"]}
    lines = [KbLine(path, at, line) for path, text in texts.items() for at, line in enumerate(text, start=1)]
    inputs = answer.Inputs("trial", labels["question"], f"{app.clock.parse(labels['now']):%A %Y-%m-%d}", lines)
    began = app.clock.monotonic()
    answered = Asker(other).ask(answer, inputs, timeout=config.number("heartbeat.kb_timeout_seconds"))
    seconds = app.clock.monotonic() - began
    kept = read(app.files, app.run, f"{answered.number:02d}-{answer.NAME}.json").replies
    first, last = map(_parse, (kept[0], kept[-1])) if kept else (None, None)
    given, shown = last.citations if last is not None else [], answer.show_lines(inputs)
    stood, why = sum(bool(shown.resolve(cited)) for cited in given), answered.why or None
    row = {"seconds": round(seconds, 1), "json": first is not None, "stood": stood, "cited": len(given)}
    form = "JSON kept" if first is not None else "JSON not kept at first"
    evidence = f"evidence stood {stood} of {len(given)}" if given else "nothing was cited"
    said = f"answered in {seconds:.0f} s, {form}, {evidence}" + (f"; {why}" if why else "")
    told = said if kept else f"no answer: {why or ''}"
    return row | {"evidence": f"{stood} of {len(given)}", "why": why}, told, bool(kept)


def _parse(reply: str) -> answer.Result | None:
    with suppress(hearing.ReplyBroken):
        return hearing.parse(reply, answer.Result)
    return None
