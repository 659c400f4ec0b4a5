"""TABLE. One row a verb: what runs, which switches stop it, whether dry_run binds it, which run lock it takes."""

from __future__ import annotations


class Verb:
    """A verb's needs, granted by the runner in one place.

    `steps`: stage modules walked in order. `paused`: PAUSED skips and stops it. `killed`: KILLED refuses and stops it.
    `dry`: debug.dry_run binds it. `lock`: the run lock, never waited for. `instance`: False for verbs that work without
    one. `config`: False for verbs that must work with a broken adjutant.yaml. `preset`: arguments a verb adds to its
    stage. `renames`: keys a later step's result takes in the merged one. `ledger`: a failed step leaves a line in the
    ledger. `schedule`: its key under `schedule:` in adjutant.yaml; such a verb takes --if-due. A verb may have a row
    for one of its subverbs, or for an option with which it needs less. `asks`: it may ask a model, takes --estimate.
    """

    __slots__ = (
        "asks",
        "config",
        "dry",
        "help",
        "instance",
        "killed",
        "ledger",
        "lock",
        "paused",
        "preset",
        "renames",
        "schedule",
        "steps",
        "verb",
    )

    def __init__(
        self,
        verb: str,
        help: str,
        *,
        steps: tuple[str, ...] = (),
        paused: bool = False,
        dry: bool = False,
        lock: str = "",
        instance: bool = True,
        config: bool = True,
        preset: dict[str, str] | None = None,
        renames: dict[str, str] | None = None,
        schedule: str = "",
        killed: bool = False,
        asks: bool = False,
    ) -> None:
        self.asks = asks
        self.verb, self.help, self.steps = verb, help, steps or (verb,)
        self.paused, self.dry, self.lock, self.killed = paused, dry, lock, killed
        self.instance, self.config = instance, config
        self.preset, self.renames = preset or {}, renames or {}
        self.schedule, self.ledger = schedule, bool(schedule) or lock == "heartbeat"


TABLE: tuple[Verb, ...] = (
    Verb("init", "make an instance in a folder", instance=False),
    Verb(
        "pulse",
        "look at the knowledge bases, file what matters, tell the worst",
        steps=("pulse", "escalation"),
        paused=True,
        dry=True,
        lock="heartbeat",
        renames={"handled": "escalations"},
        schedule="pulse",
    ),
    Verb(
        "escalation",
        "decide on insights that wait",
        paused=True,
        dry=True,
        lock="heartbeat",
        preset={"by_hand": "yes"},
        asks=True,
    ),
    Verb(
        "review",
        "the daily review",
        paused=True,
        dry=True,
        lock="heartbeat",
        preset={"tier": "cheap"},
        schedule="review",
        asks=True,
    ),
    Verb(
        "reflect",
        "the daily review in depth, now",
        steps=("review",),
        paused=True,
        dry=True,
        lock="heartbeat",
        preset={"tier": "medium"},
        asks=True,
    ),
    Verb("wisdom", "standing rules: show, lint, history, undo"),
    Verb("kb", "knowledge bases: create, add, list, info, remove, query"),
    Verb("kb query", "ask one knowledge base", steps=("kb",), paused=True, dry=True, asks=True),
    Verb("notify", "send one notice, within the budget", dry=True, config=False),
    Verb("notices", "what was sent, held back or failed"),
    Verb("today", "what is late, due today and tomorrow, with ids"),
    Verb("why", "from a matter, notice or run back to file and line"),
    Verb("mark", "done, snooze, useful or useless: a matter by its id"),
    Verb("behavior", "directives: KEEP MORE LESS STOP START; add, list, remove, review"),
    Verb(
        "behavior review",
        "propose directives from what you said of the answers",
        steps=("behavior-review",),
        paused=True,
        dry=True,
        lock="learning",
        schedule="behavior-review",
        asks=True,
    ),
    Verb("memory", "notes: save, search, list, show, correct, forget, restore, import", asks=True),
    Verb(
        "compact",
        "days, weeks and months in short: daily, weekly, monthly, due",
        paused=True,
        dry=True,
        lock="compaction",
        schedule="compact",
        asks=True,
    ),
    Verb(
        "distill",
        "months and notes become the standing rules of wisdom.md",
        paused=True,
        dry=True,
        lock="compaction",
        schedule="distill",
        asks=True,
    ),
    Verb(
        "evolve",
        "suggestions from what was asked: list, show, accept, reject",
        paused=True,
        dry=True,
        lock="learning",
        schedule="evolve",
        asks=True,
    ),
    Verb("evolve list", "the suggestions that wait", steps=("evolve",)),
    Verb("evolve show", "one suggestion, with its diff", steps=("evolve",)),
    Verb("evolve accept", "apply the diff of a suggestion", steps=("evolve",)),
    Verb("evolve reject", "set a suggestion aside", steps=("evolve",)),
    Verb("evolve revert", "take an accepted suggestion back", steps=("evolve",)),
    Verb("evolve stats", "whether accepted suggestions helped", steps=("evolve",)),
    Verb("search", "one query over notes, skills, vault, log, journal, talks, KBs"),
    Verb("ask", "a message and its answer, in a conversation that is kept", paused=True, dry=True, asks=True),
    Verb("delegate", "a task for a specialist; --run works the queue", paused=True, dry=True),
    Verb("delegate --run", "work the queue", steps=("delegate",), paused=True, dry=True, lock="delegation", asks=True),
    Verb("listen", "answer the operator on Telegram, until KILLED", lock="listener", killed=True),
    Verb("serve", "the page: today, approvals, ask, memory, behaviour, runs", lock="serve"),
    Verb("serve --link", "one more link to the page that is running", steps=("serve",)),
    Verb("serve --unit", "a systemd user unit that runs the page", steps=("serve",)),
    Verb("prompt", "what a turn would send, part by part; the layers and their churn"),
    Verb(
        "index",
        "take in what changed; --check compares index and files",
        paused=True,
        lock="indexing",
        schedule="index",
    ),
    Verb("index --check", "compare index, mirrors and files; reads only", steps=("index",), lock="indexing"),
    Verb("skills", "skills/*/SKILL.md: list, tag with a workload"),
    Verb("taxonomy", "what work is about: list, validate, classify, export", asks=True),
    Verb("slog", "the work log: add a line, list", asks=True),
    Verb("runs", "what was asked and answered: list, show, replay, rehearse"),
    Verb("ledger", "what was done; rotate old lines away"),
    Verb("status", "switches, budget, last runs, what waits"),
    Verb("doctor", "what needs a hand, each with its fix", config=False),
    Verb("schedule", "cron entries: show, install, remove", config=False),
    Verb("pause", "stop everything before its next step", steps=("switch",), config=False, preset={"switch": "pause"}),
    Verb("resume", "undo pause", steps=("switch",), config=False, preset={"switch": "resume"}),
    Verb("kill", "pause, and stop the listener", steps=("switch",), config=False, preset={"switch": "kill"}),
    Verb("start", "undo kill", steps=("switch",), config=False, preset={"switch": "start"}),
    Verb("config", "show, path, check", config=False),
    Verb("model", "find a model, set it up, try it; test: a day of an invented life"),
    Verb("model test", "a day of an invented life through the model", steps=("model",), paused=True),
    Verb("completion", "for bash, zsh or fish, and the man page", steps=(), instance=False),
    Verb("version", "versions and the instance", instance=False),
)
GROUPS: dict[str, tuple[str, ...]] = {
    "Every day": (
        *("today", "ask", "status", "pulse", "review", "reflect", "mark", "why", "notices", "notify"),
        *("serve", "listen", "delegate", "slog"),
    ),
    "Memory": ("memory", "search", "compact", "distill", "wisdom", "index", "skills", "taxonomy"),
    "Behaviour": ("behavior", "evolve", "prompt"),
    "Set-up": (
        *("init", "kb", "model", "schedule", "config", "doctor", "pause", "resume", "kill", "start"),
        *("completion", "version"),
    ),
    "Look inside": ("escalation", "runs", "ledger"),
}
ROWS = {row.verb: row for row in TABLE}
VERBS = tuple(row for row in TABLE if " " not in row.verb)


def schedule_of(row: Verb) -> str:
    """The key under `schedule:` of what this verb runs, "" for none: a reflect by hand is a review."""
    same = (other.schedule for other in TABLE if other.schedule and other.steps == row.steps)
    return row.schedule or next(same, "")


def row_of(words: list[str]) -> Verb | None:
    """The row of a command line's words: `kb query` before `kb`, `index --check` wherever the option stands."""
    options = [word for word in words[1:] if word.startswith("--")]
    plain = [word for word in words[1:] if word != "--"]
    closer = (ROWS.get(f"{words[0]} {word}") for word in [*plain[:1], *options])
    return next(filter(None, closer), ROWS.get(words[0])) if words else None
