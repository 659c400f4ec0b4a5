"""TABLE. One row a verb, from verbs.txt: its steps, the switches that stop it, its run lock."""

from adjutant.store import package


class Verb:
    """A verb's row, as the head of verbs.txt explains it. `schedule`: its key in adjutant.yaml, "" for none."""

    def __init__(self, verb: str, help: str, needs: str) -> None:
        words = needs.split()
        named = dict(word.split(":") for word in words if ":" in word)
        self.verb, self.help, self.lock = verb, help, named.get("lock", "")
        self.steps = tuple(named.get("steps", verb.split()[0]).split("+"))
        self.schedule = named.get("cron", self.steps[0] if "cron" in words else "")
        self.paused, self.killed, self.dry = (word in words for word in ("paused", "killed", "dry"))
        self.instance, self.config = "homeless" not in words, "mends" not in words
        self.preset, self.renames = (dict(word.split(by) for word in words if by in word) for by in "=>")
        self.ledger = bool(self.schedule) or self.lock == "heartbeat"  # a failed step leaves a line in the ledger


_LINES = [line for line in package.text("verbs.txt").splitlines() if line and line[0] != "#"]
TABLE = tuple(Verb(*(part.strip() for part in line.split("|"))) for line in _LINES if "|" in line)
_GROUPS = (line.partition(":") for line in _LINES if "|" not in line)
GROUPS = {group: tuple(names.split()) for group, _, names in _GROUPS}
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
