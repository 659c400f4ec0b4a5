"""Row turn: how long until the model has its prompt, in a process that stays, and how soon an edited layer is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from adjutant import commands, wire
from adjutant.app import App
from adjutant.domain.conversation.preparing import prepare
from adjutant.domain.prompting import standing
from adjutant.place import Options
from adjutant.store.tree import LAYERS
from bench.corpus import Corpus
from bench.instances import lived_in, run
from bench.measure import Figure, Settings, Skipped, paired, ratio
from bench.retrieval import timed

SESSION = "bench"
TOLD = 40  # earlier messages in the session
TIMES = 10  # prompts of one reading of the clock
NOTHING_ASKED = "ok, do that"  # has no content word: nothing is searched
LAYER = "\n{name} was edited\n"


def turn(folder: Path, settings: Settings) -> Iterator[Figure | Skipped]:
    """The prompt without its retrieval, files unchanged, against one with nothing kept; the same among more notes."""
    most = 2_000 if settings.quick else 10_000
    notes = Corpus("notes", most, 1)
    few, many = (_instance(folder / str(count), notes, count) for count in (100, most))
    words = " ".join(notes.questions[0].words)

    def resident() -> float:
        return timed(lambda: [_prompt(many, NOTHING_ASKED) for _ in range(TIMES)]) / TIMES

    def among_few() -> float:
        return timed(lambda: [_prompt(few, NOTHING_ASKED) for _ in range(TIMES)]) / TIMES

    def uncached() -> float:
        return timed(lambda: _anew(many, words))

    mine, anew, least = paired([resident, uncached, among_few], settings.pairs)
    yield Figure(
        "turn",
        f"without retrieval / nothing kept, {most // 1000}k notes",
        ratio(mine, anew),
        0.1,
        details={
            "us": 1e6 * median(mine),
            "uncached_us": 1e6 * median(anew),
            "standing_us": 1e6 * _standing(many, kept=True),
            "standing_uncached_us": 1e6 * _standing(many, kept=False),
        },
    )
    yield Figure("turn", f"without retrieval, {most // 1000}k notes / 100 notes", ratio(mine, least), 1.2)
    yield Figure("turn", "edited layers that the very next prompt lacks", _unseen(many), 0, exact=True, unit="")


def _instance(root: Path, notes: Corpus, count: int) -> App:
    """An instance with that many notes, and a conversation that is under way."""
    lived_in(root)
    (root / "memory" / "notes" / "fact").mkdir(parents=True)
    for each in notes.documents[:count]:
        (root / each.path).write_text(f"{each.title}\n\n{each.text}\n")
    run(root, "index", "--quiet")
    options = Options()
    options.quiet = True
    app = wire.open_app(commands.ROWS["ask"], options, str(root))
    Path(app.tree.conversations).mkdir(exist_ok=True)
    Path(app.tree.conversation(SESSION)).write_text(
        "".join(
            json.dumps(
                {
                    "id": f"m{number}",
                    "ts": app.clock.now().isoformat(),
                    "role": ("operator", "agent")[number % 2],
                    "name": "x",
                    "text": each.text,
                }
            )
            + "\n"
            for number, each in enumerate(notes.documents[:TOLD])
        )
    )
    return app


def _prompt(app: App, message: str) -> str:
    return prepare(app, message, session=SESSION).assembly.text


def _anew(app: App, message: str) -> None:
    app.shared.clear()
    _prompt(app, message)


def _standing(app: App, *, kept: bool) -> float:
    """Seconds that core to heart take, median of many."""

    def once() -> float:
        if not kept:
            app.shared.clear()
        return timed(lambda: standing.read(app.files, app.config))

    standing.read(app.files, app.config)
    return median(once() for _ in range(TIMES))


def _unseen(app: App) -> int:
    """How many of the layers, each edited in turn, the next prompt does not show as edited."""
    missing = 0
    for name in LAYERS:
        path = Path(app.tree.inside(app.config.text(f"layers.{name}.path")))
        said = LAYER.format(name=name)
        with path.open("a") as file:
            file.write(said)
        missing += said.strip() not in _prompt(app, NOTHING_ASKED)
    return missing
