"""TABLE. One row a verb: its steps, the switches that stop it, its run lock. Its words stand in usage.txt."""


class Verb:
    """A verb's needs, granted by the runner in one place.

    `lock`: the run lock, never waited for. `steps`: stage modules walked in order. `schedule`: its key in `schedule:`
    of adjutant.yaml. `preset`: arguments a verb adds to its stage. `renames`: keys a later step's result takes in the
    merged one. `flags`, a word each:
      paused    PAUSED skips and stops it
      killed    KILLED refuses and stops it
      dry       debug.dry_run binds it
      cron      it has a schedule, called as its first step is where no other is named, and takes --if-due
      homeless  it works without an instance
      mends     it must work with a broken adjutant.yaml
    A verb may have a row for one of its subverbs, or for an option with which it needs less.
    """

    def __init__(
        self,
        verb: str,
        help: str,
        flags: str = "",
        lock: str = "",
        steps: str = "",
        *,
        schedule: str = "",
        preset: dict[str, str] | None = None,
        renames: dict[str, str] | None = None,
    ) -> None:
        words = flags.split()
        self.verb, self.help, self.lock = verb, help, lock
        self.steps = tuple((steps or verb).split())
        self.schedule = schedule or (self.steps[0] if "cron" in words else "")
        self.paused, self.killed, self.dry = (word in words for word in ("paused", "killed", "dry"))
        self.instance, self.config = "homeless" not in words, "mends" not in words
        self.preset, self.renames = preset or {}, renames or {}
        self.ledger = bool(self.schedule) or lock == "heartbeat"  # a failed step leaves a line in the ledger


def _switch(verb: str, help: str) -> Verb:
    return Verb(verb, help, "mends", steps="switch", preset={"switch": verb})


_LOOK, _REVIEWED = (
    "look at the knowledge bases, file what matters, tell the worst",
    "propose directives from what you said",
)
_MAILBOX = {"subverb": "add", "kind": "mail", "model": "cheap", "access": "read-only"}
TABLE: tuple[Verb, ...] = (
    Verb("init", "set up Adjutant in a folder of its own", "homeless"),
    Verb("pulse", _LOOK, "paused dry cron", "heartbeat", "pulse escalation", renames={"handled": "escalations"}),
    Verb("escalation", "decide on insights that wait", "paused dry", "heartbeat", preset={"by_hand": "yes"}),
    Verb("review", "the daily review", "paused dry cron", "heartbeat", preset={"tier": "cheap"}),
    Verb("reflect", "the daily review in depth, now", "paused dry", "heartbeat", "review", preset={"tier": "medium"}),
    Verb("wisdom", "standing rules: show, lint, history, undo"),
    Verb("kb", "knowledge bases: create, add, list, info, remove, query"),
    Verb("kb query", "ask one knowledge base", "paused dry", steps="kb"),
    Verb("mail", "a mailbox as a knowledge base", steps="kb", preset=_MAILBOX),
    Verb("notify", "send one notice, within the budget", "dry mends"),
    Verb("notices", "what was sent, held back or failed", preset={"all": ""}),
    Verb("today", "what is late, due today and tomorrow, with ids"),
    Verb("why", "from a matter, notice or run back to file and line"),
    Verb("mark", "done, snooze, useful or useless: a matter by its id"),
    Verb("behavior", "directives: KEEP MORE LESS STOP START; add, list, remove, review"),
    Verb("behavior review", f"{_REVIEWED} of the answers", "paused dry cron", "learning", "behavior-review"),
    Verb("memory", "notes: save, search, list, show, correct, forget, restore, import"),
    Verb("compact", "days, weeks and months in short: daily, weekly, monthly, due", "paused dry cron", "compaction"),
    Verb("distill", "months and notes become the standing rules of wisdom.md", "paused dry cron", "compaction"),
    Verb("evolve", "suggestions from what was asked: list, show, accept, reject", "paused dry cron", "learning"),
    # what is told or decided by hand needs no lock, and no switch stops it
    Verb("evolve list", "the suggestions that wait", steps="evolve"),
    Verb("evolve show", "one suggestion, with its diff", steps="evolve"),
    Verb("evolve accept", "apply the diff of a suggestion", steps="evolve"),
    Verb("evolve reject", "set a suggestion aside", steps="evolve"),
    Verb("evolve revert", "take an accepted suggestion back", steps="evolve"),
    Verb("evolve stats", "whether accepted suggestions helped", steps="evolve"),
    Verb("search", "one query over notes, skills, vault, log, journal, talks, KBs"),
    Verb("ask", "a message and its answer, in a conversation that is kept", "paused dry"),
    Verb("delegate", "a task for a specialist; --run works the queue", "paused dry"),
    Verb("delegate --run", "work the queue", "paused dry", "delegation", "delegate"),
    Verb("job", "work in steps: run, list, show, accept, retry, cancel, work"),
    Verb("job run", "file a job and work it", "paused killed dry", steps="job"),
    Verb("job work", "work what waits", "paused killed dry", "jobs", "job", schedule="jobs"),
    Verb("listen", "answer the operator on Telegram, until KILLED", "killed", "listener"),
    Verb("serve", "the page: today, approvals, ask, memory, behaviour, runs", lock="serve"),
    Verb("serve --link", "one more link to the page that is running", steps="serve"),
    Verb("serve --key", "a key for a program that asks /mcp", steps="serve"),
    Verb("mcp", "tools for an agent, which ask you before they change anything"),
    Verb("prompt", "what a turn would send, part by part; the layers and their churn"),
    Verb("index", "take in what changed; --check compares index and files", "paused cron", "indexing"),
    Verb("index --check", "compare index, mirrors and files; reads only", "", "indexing", "index"),
    Verb("worker", "work the steps of other machines' jobs, from Redis", "killed"),
    Verb("skills", "skills/*/SKILL.md: list, lint, tag with a workload"),
    Verb("taxonomy", "what work is about: list, validate, classify, export"),
    Verb("slog", "the work log: add a line, list"),
    Verb("runs", "what was asked and answered: list, show, replay, rehearse"),
    Verb("ledger", "what was done; rotate old lines away"),
    Verb("status", "switches, budget, last runs, what waits"),
    Verb("doctor", "what needs a hand, each with its fix", "mends"),
    Verb("backup", "back up the whole instance into one tar, while runs go on", "mends"),
    Verb("restore", "restore an instance from a backup into a new folder", "homeless"),
    Verb("schedule", "cron entries: show, install, remove", "mends"),
    Verb("merge", "join what two machines wrote to one tree", "dry", "heartbeat"),
    _switch("pause", "stop everything before its next step"),
    _switch("resume", "undo pause"),
    _switch("kill", "pause, and stop the listener"),
    _switch("start", "undo kill"),
    Verb("config", "show, path, check", "mends"),
    Verb("model", "find a model, set it up, try it; test: a day of an invented life"),
    Verb("model test", "a day of an invented life through the model", "paused", steps="model"),
    Verb("completion", "for bash, zsh or fish, and the man page", "homeless"),
    Verb("version", "versions and the instance", "homeless"),
)
GROUPS = {
    group: tuple(names.split())
    for group, names in (
        (
            "Every day",
            "today ask status pulse review reflect mark why notices notify serve mcp listen delegate job slog",
        ),
        ("Memory", "memory search compact distill wisdom index skills taxonomy"),
        ("Behaviour", "behavior evolve prompt"),
        (
            "Set-up",
            "init kb mail model schedule config doctor merge worker pause resume kill start backup restore completion "
            "version",
        ),
        ("Look inside", "escalation runs ledger"),
    )
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
