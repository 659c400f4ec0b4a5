"""TABLE. The words that each verb takes, one function a stage; its docstring is what --help says first.

Beside the stages and not in them: `--help`, and a word mistyped, load nothing of what the verb needs to work. A choice
is spelled out where naming it would load that; a test compares these with what they stand for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

ACCESS = ("read-only", "read-write")
FOLDER_KINDS, FOLDER_TRUST = ("notes", "calendar", "mail"), ("operator", "untrusted")
KINDS = ("escalation", "review", "manual", "failure", "advice")
PERIODS = ("due", "daily", "weekly", "monthly")
JOBS = ("ingest", "transcribe", "summarise", "content-review", "delegate")
MARKS = ("done", "snooze", "useful", "useless")
NOTES = ("decision", "invariant", "gotcha", "pattern", "preference", "person", "fact", "correction")
TIERS = ("cheap", "medium", "expensive")
TRUST = ("operator", "agent", "untrusted")


def _collections() -> str:
    from adjutant.domain.recall import places  # where their names are told

    return ", ".join(each.name for each in places.TABLE)


def ask(parser: argparse.ArgumentParser) -> None:
    """Ask something. The conversation is kept; a line like `KEEP: short answers` becomes a standing directive."""
    parser.add_argument("words", nargs="+", metavar="MESSAGE", help="what you want to know; - reads standard input")
    parser.add_argument("--session", metavar="NAME", default="cli", help="the conversation (cli)")
    parser.add_argument("--role", metavar="ROLE", help="writer, researcher or a specialist, whatever it is about")
    parser.add_argument("--id", metavar="ID", help="the message's own id: one that was answered is not asked again")
    only = f"look for an answer only in these: {_collections()}"
    parser.add_argument("--in", dest="collections", metavar="A,B", help=only)
    parser.add_argument("--channel", choices=("cli", "telegram", "voice"), help="where the message came from")
    parser.add_argument("--grow", type=int, metavar="FD", help="a datagram socket that is told the answer as it comes")


def backup(parser: argparse.ArgumentParser) -> None:
    """Back up all that cannot be rebuilt: one tar without secrets, caches and knowledge bases outside the instance."""
    parser.add_argument("file", metavar="FILE", help="outside the instance; an older backup there is replaced")
    parser.add_argument("--force", action="store_true", help="replace the file even if it is not a backup")


def behavior(parser: argparse.ArgumentParser) -> None:
    """What the agent is to KEEP, do MORE or LESS of, STOP or START: your directives, in every prompt."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="VERB")
    add = verbs.add_parser("add", help='a directive: "KEEP: short answers", or --type keep --text "short answers"')
    add.add_argument(
        "words", nargs="*", metavar="DIRECTIVE", help="as in a message; - reads standard input, for an ID too"
    )
    add.add_argument("--type", metavar="T", help="keep, more, less, stop or start")
    add.add_argument("--text", metavar="TEXT", help="4 to 320 characters on one line")
    add.add_argument("--expires", default="", metavar="DATE", help="its last day, YYYY-MM-DD")
    verbs.add_parser("list", help="all that hold, oldest first")
    verbs.add_parser("show", help="the block as every prompt has it")
    verbs.add_parser("remove", help="take one away").add_argument("id", metavar="ID", help="or its beginning")
    promote = verbs.add_parser("promote", help="make a proposed directive active")
    promote.add_argument("id", metavar="CANDIDATE", help="or its beginning")
    for sub in (add, promote):
        sub.add_argument("--replace", action="store_true", help="replace the directive that it contradicts")
    reject = verbs.add_parser("reject", help="decline a proposed directive")
    reject.add_argument("id", metavar="CANDIDATE", help="or its beginning")
    candidates = verbs.add_parser("candidates", help="the proposed directives")
    candidates.add_argument("--all", action="store_true", help="also those that were decided on")
    verbs.add_parser("review", help="propose directives from what you said")  # a stage of its own runs it
    verbs.add_parser("apply", help="check all, drop duplicate and expired ones, update the copies")
    told = verbs.add_parser("history", help="what was done, oldest first")
    told.add_argument("--limit", type=int, default=50, metavar="N", help="the newest N (50)")
    verbs.add_parser("stats", help="counts: directives, captures, near misses, turns by contract")
    verbs.add_parser("why", help="which message set it, and the replies given under it").add_argument(
        "id", metavar="ID", help="or its beginning; a removed one works too"
    )
    capture = verbs.add_parser("capture", help="set the directives of a message, read from standard input")
    capture.add_argument("--source", default="", metavar="ID", help="the message's id; it is captured only once")


def behavior_review(parser: argparse.ArgumentParser) -> None:
    """Propose directives from what you said since the last review; you promote or reject them."""
    parser.add_argument("subverb", choices=("review",), metavar="review", help="propose now")


def compact(parser: argparse.ArgumentParser) -> None:
    """Sum up days, weeks and months: what was decided, learnt and left open, each line with its source."""
    shown, help = "|".join(PERIODS), "due: all that is missing or stale; else the last day, week or month that is over"
    parser.add_argument("what", nargs="?", choices=PERIODS, default=PERIODS[0], metavar=shown, help=help)
    parser.add_argument("--date", metavar="DATE", help="the period that holds this day, YYYY-MM-DD")


def config(parser: argparse.ArgumentParser) -> None:
    """adjutant.yaml: what is set, where it is, whether it is right."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="show|path|check")
    verbs.add_parser("show", help="every setting in effect")
    verbs.add_parser("path", help="the file")
    verbs.add_parser("check", help="look for mistakes")


def delegate(parser: argparse.ArgumentParser) -> None:
    """Give a specialist a task; `delegate --run` works the queue, which `adjutant job list` shows."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a specialist of adjutant.yaml")
    parser.add_argument("words", nargs="*", metavar="TASK", help="what is to be done; - reads standard input")
    parser.add_argument("--run", action="store_true", help="work the queue, the oldest task first")
    parser.add_argument("--limit", type=int, default=5, metavar="N", help="with --run: at most N tasks (5)")


def completion(parser: argparse.ArgumentParser) -> None:
    """Completion of verbs, subverbs and options for a shell, or the man page, made from the table of verbs."""
    parser.add_argument("kind", choices=("bash", "zsh", "fish", "man"), help="what to print on standard output")


def distill(parser: argparse.ArgumentParser) -> None:
    """Standing rules: what months and notes say is merged into identity/wisdom.md, added to it, or dropped."""
    parser.add_argument("--date", metavar="DATE", help="pretend that it is this day")


def doctor(parser: argparse.ArgumentParser) -> None:
    """Check config, secrets, prompts, knowledge bases, servers and every file; each finding with its fix."""


def escalation(parser: argparse.ArgumentParser) -> None:
    """Decide on pending insights that nobody looked at yet: notify, log, or flag for the review."""


def evolve(parser: argparse.ArgumentParser) -> None:
    """Suggestions from what you asked and how it went: each with its reasons and its diff; you accept or reject it."""
    parser.add_argument("--hours", type=int, metavar="N", help="look back N hours (since the last look)")
    verbs = parser.add_subparsers(dest="subverb", metavar="list|show|accept|reject|revert|stats")
    verbs.add_parser("list", help="those that wait for you").add_argument(
        "--all", action="store_true", help="also those that were decided on"
    )
    for verb, help in (
        ("show", "one of them whole, with its diff"),
        ("accept", "apply the diff that is stored"),
        ("reject", "set one aside; the same is not suggested for 90 days"),
        ("revert", "take back an accepted one"),
    ):
        verbs.add_parser(verb, help=help).add_argument("id", metavar="ID", help="or its beginning; -: standard input")
    verbs.choices["accept"].add_argument("--stored", action="store_true", help="even if its report was edited since")
    verbs.choices["reject"].add_argument("--reason", default="", metavar="TEXT", help="why; -: standard input")
    verbs.add_parser("stats", help="did it help? friction and tokens before and after; counts")


def index(parser: argparse.ArgumentParser) -> None:
    """Update the search index; --check compares it with the files."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--full", action="store_true", help="read every file again, changed or not")
    what.add_argument("--check", action="store_true", help="change nothing; exit 1 where index and files differ")
    parser.add_argument("--only", metavar="A,B", help=f"only these: {_collections()}")


def init(parser: argparse.ArgumentParser) -> None:
    """Make an instance: adjutant.yaml, identity/, registry, taxonomy, skills, AGENTS.md. Nothing is overwritten."""
    parser.add_argument("dir", metavar="DIR", help="a new folder, or one without an adjutant.yaml")
    parser.add_argument("--name", metavar="NAME", default="", help="your name, as your notes spell it")
    parser.add_argument("--matters", metavar="TEXT", action="append", default=[], help="a priority; may be repeated")
    parser.add_argument("--folder", metavar="PATH", action="append", default=[], help="to read; may be repeated")
    parser.add_argument(
        "--two-machines", action="store_true", help="for git or Syncthing between machines; works on an instance too"
    )


def job(parser: argparse.ArgumentParser) -> None:
    """Take in files and pages, transcribe, summarise: in steps, so that what was cut off goes on where it stopped."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="run|list|show|accept|retry|cancel|work")
    run = verbs.add_parser("run", help=f"file a job and work it: {', '.join(JOBS)}")
    run.add_argument("name", choices=JOBS, metavar="NAME", help="which job")
    run.add_argument("words", nargs="+", metavar="INPUT", help="a file or an address; of delegate: SPECIALIST TASK")
    run.add_argument("--kb", metavar="NAME", help="ingest: the knowledge base that the notes go to (jobs.kb)")
    run.add_argument("--title", default="", metavar="TEXT", help="ingest: what the notes are called")
    run.add_argument("--redact", action="store_true", help="ingest: leave out lines that give orders to an assistant")
    run.add_argument("--later", action="store_true", help="only file it; `job work` works it")
    verbs.add_parser("list", help="newest first").add_argument("--all", action="store_true", help="those done, too")
    for verb, help in (
        ("show", "one of them whole"),
        ("accept", "let one be worked that was proposed"),
        ("retry", "try one again that failed or waits"),
        ("cancel", "give one up; the results of its steps are kept"),
    ):
        verbs.add_parser(verb, help=help).add_argument("id", metavar="ID", help="or its beginning; -: standard input")
    work = verbs.add_parser("work", help="work what waits, the oldest first")
    work.add_argument("--limit", type=int, default=20, metavar="N", help="at most N jobs (20)")


def kb(parser: argparse.ArgumentParser) -> None:
    """Knowledge bases: the folders that `pulse` reads."""
    verbs = parser.add_subparsers(dest="subverb", metavar="create|add|list|info|remove|query", required=True)
    create = verbs.add_parser("create", help="make a folder under knowledge_bases/ and register it")
    add = verbs.add_parser("add", help="register a folder that exists, anywhere")
    add.add_argument("--kind", choices=FOLDER_KINDS, default="notes", help="what it holds (notes)")
    _describe_folder(create)
    _describe_folder(add, "the folder, or one file of a calendar or of mail")
    for sub in (create, add):
        sub.add_argument("--model", choices=TIERS, default="cheap", help="the tier that reads it (cheap)")
        sub.add_argument("--access", choices=ACCESS, default="read-only", help="for agent backends (read-only)")
    verbs.add_parser("list", help="all of them, with files and bytes")
    for verb, help in (
        ("info", "one of them: files, what was skipped, newest change"),
        ("remove", "remove it from the registry; its files stay"),
        ("query", "ask it a question; the answer cites path:line"),
    ):
        verbs.add_parser(verb, help=help).add_argument("name", metavar="NAME")
    verbs.choices["info"].add_argument("--excluded", action="store_true", help="list all that is left out, and why")
    verbs.choices["query"].add_argument(
        "question",
        metavar="QUESTION",
        nargs="*",
        help="in everyday words; - in place of NAME reads both from standard input",
    )


def _describe_folder(parser: argparse.ArgumentParser, path: str = "") -> None:
    """What a folder is registered with; `path`: what is told of it where it exists already."""
    parser.add_argument("name", metavar="NAME", help="a-z, 0-9, _ and -, at most 63 characters")
    parser.add_argument("--description", default="", metavar="TEXT", help="what it is about, one line")
    if path:
        parser.add_argument("path", metavar="PATH", help=path)
        parser.add_argument("--trust", choices=FOLDER_TRUST, default="untrusted", help="whose word it is (untrusted)")
        left = "left out, as in .gitignore; may be repeated"
        parser.add_argument("--exclude", action="append", default=[], metavar="PATTERN", help=left)


def mail(parser: argparse.ArgumentParser) -> None:
    """Register a mailbox as a knowledge base: `kb add NAME PATH --kind mail`."""
    _describe_folder(parser, "a Maildir, an mbox, or a folder of .eml files")


def ledger(parser: argparse.ArgumentParser) -> None:
    """One line a step and notice; `rotate` moves old lines to state/archive/."""
    parser.add_argument("--since", metavar="DATE", help="from this day on, YYYY-MM-DD")
    parser.add_argument("--type", help="pulse, escalation, review, notify …")
    parser.add_argument("--tail", type=int, metavar="N", help="the last N")
    verbs = parser.add_subparsers(dest="subverb", metavar="rotate")
    rotate = verbs.add_parser("rotate", help="move all but the last lines of a log to a monthly archive")
    rotate.add_argument(
        "--file", default="actions", metavar="NAME", help="actions (default), usage, events, notices or interactions"
    )
    rotate.add_argument("--keep", type=int, required=True, metavar="N", help="lines that stay")


def listen(parser: argparse.ArgumentParser) -> None:
    """Answer the operator on Telegram, until KILLED appears. Commands run as verbs; /help in the chat lists them."""


def mark(parser: argparse.ArgumentParser) -> None:
    """Mark what you were told: done (for good), snooze DAY (until then), useful, useless (no more of that)."""
    _mark(parser)
    parser.add_argument("--seal", metavar="HEX", help="only if it is unchanged since the notice with this seal")


def _mark(parser: argparse.ArgumentParser) -> None:
    named = "a matter's id or its beginning, `last`, a notice's key, an insight's file name; -: standard input"
    parser.add_argument("name", metavar="ID", help=named)
    parser.add_argument("state", choices=MARKS, help="snooze takes a day")
    parser.add_argument("until", nargs="*", metavar="DAY", help='tomorrow, friday, "in 2 weeks", 2026-12-01')


def mcp(parser: argparse.ArgumentParser) -> None:
    """Tools for an agent (Model Context Protocol, standard input and output). Nothing changes until you accept it."""
    help = "print the settings for this program and exit"
    parser.add_argument("--install", choices=("claude", "opencode"), help=help)


def memory(parser: argparse.ArgumentParser) -> None:
    """Notes: what to do differently from now on, one to three sentences each."""
    verbs = parser.add_subparsers(
        dest="subverb", metavar="save|search|list|show|correct|forget|restore|import", required=True
    )
    save = verbs.add_parser("save", help="keep a text; one that says what a note says reinforces that note")
    save.add_argument("text", metavar="TEXT", nargs="+", help="one to three sentences; - reads standard input")
    save.add_argument("--type", choices=NOTES, metavar="T", help=f"{' '.join(NOTES)} (guessed)")
    save.add_argument("--tags", default="", metavar="A,B", help="words of your own to find it by")
    save.add_argument("--supersedes", default="", metavar="ID", help="the note whose place it takes")
    search = verbs.add_parser("search", help="notes, days, weeks, months and standing rules; any words")
    search.add_argument("words", nargs="*", metavar="QUERY", help="what to look for; - reads standard input")
    _narrow(search)
    listed = verbs.add_parser("list", help="all of them, oldest first")
    listed.add_argument("--type", choices=NOTES, metavar="T", help="only this type")
    verbs.add_parser("show", help="one of them").add_argument("id", metavar="ID", help="or its beginning")
    correct = verbs.add_parser("correct", help="put a note right, and every copy of what it says")
    correct.add_argument("id", metavar="ID", help="or its beginning")
    correct.add_argument("text", metavar="TEXT", nargs="+", help="what is true; - reads standard input")
    forget = verbs.add_parser("forget", help="forget notes, and every copy of what they say")
    forget.add_argument("ids", nargs="*", metavar="ID", help="or their beginnings; - reads them from standard input")
    forget.add_argument("--query", metavar="TEXT", help="all notes that hold these words; shown first")
    forget.add_argument("--yes", action="store_true", help="with --query: do it")
    verbs.add_parser("restore", help="bring them back as they were").add_argument("ids", nargs="+", metavar="ID")
    taken = verbs.add_parser("import", help="split a MEMORY.md into notes, and say what went where")
    taken.add_argument("file", metavar="FILE", help="Markdown or plain text; it is only read")
    for sub in (save, correct, taken):
        sub.add_argument("--trust", choices=TRUST[1:], default=TRUST[0], help="whose word it is, when not yours")


def merge(parser: argparse.ArgumentParser) -> None:
    """Join what two machines wrote to one tree: conflict copies of Syncthing and the like, conflict marks of git."""


def model(parser: argparse.ArgumentParser) -> None:
    """Find the models that are there, set one up in adjutant.yaml, and ask it one question."""
    parser.add_argument("--use", metavar="NAME", help="this one, as `adjutant model` lists it; offline: none")
    parser.add_argument(
        "--ports", metavar="N,N", help="look on these ports of this machine: 11434,8080 or ollama=11500"
    )
    verbs = parser.add_subparsers(dest="subverb", metavar="test")
    verbs.add_parser("test", help="put a day of an invented life through the model: what it tells, what it takes")


def notices(parser: argparse.ArgumentParser) -> None:
    """What was sent, held back, failed or is unknown; the newest event of each key."""
    verbs = parser.add_subparsers(dest="subverb", metavar="list|mark")
    listed = verbs.add_parser("list", help="newest first (the default)")
    listed.add_argument("--all", action="store_true", help="every event, not the last of each key")
    _mark(verbs.add_parser("mark", help="the same as `adjutant mark`"))
    parser.set_defaults(all=False)


def notify(parser: argparse.ArgumentParser) -> None:
    """Send one notice through notifications.channel, within the budget of the day and outside of quiet hours."""
    parser.add_argument("text", metavar="TEXT|-", help="one line; - reads standard input")
    parser.add_argument("--key", help="sent at most once in 30 days per key (default: the run's id)")
    parser.add_argument("--kind", default="manual", choices=KINDS, help="what the notice is (manual)")


def prompt(parser: argparse.ArgumentParser) -> None:
    """The prompt of a turn, part by part, and the layers it is made of. Records nothing, asks nobody."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="show|layers")
    show = verbs.add_parser("show", help="the whole prompt, as a turn would send it")
    show.add_argument("--message", metavar="TEXT", default="", help="for this message; - reads standard input")
    show.add_argument("--role", metavar="ROLE", help="for this role, whatever the message is about")
    show.add_argument("--session", metavar="NAME", default="cli", help="in this conversation")
    verbs.add_parser("layers", help="tier, size, last change and churn of each layer")


def pulse(parser: argparse.ArgumentParser) -> None:
    """Look at the knowledge bases, judge what is found against identity/heart.md, file and tell what matters."""
    parser.add_argument("--full", action="store_true", help="ask about every knowledge base, changed or not")
    parser.add_argument(
        "--estimate", action="store_true", help="print the calls and tokens of a full pulse, spend none"
    )


def restore(parser: argparse.ArgumentParser) -> None:
    """An instance from its backup: whole or not at all, every file compared with its hash; then doctor runs."""
    parser.add_argument("file", metavar="FILE", help="what `adjutant backup` wrote")
    parser.add_argument("dir", metavar="DIR", help="a new folder, or an empty one")


def review(parser: argparse.ArgumentParser) -> None:
    """The structured daily review: what changed, what is at risk, what to decide. Consumes all pending insights."""


def runs(parser: argparse.ArgumentParser) -> None:
    """What was asked and answered: list the runs kept, show one, replay one without asking anybody"""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="list|show|replay|rehearse")
    verbs.add_parser("list", help="the runs kept, newest first")
    for verb, text in (("show", "the judgements of one run"), ("replay", "parse, check and rules again; asks nobody")):
        verbs.add_parser(verb, help=text).add_argument("id", help="a run's id, a unique beginning of it, or `last`")
    tried = verbs.add_parser("rehearse", help="what rules would decide today with another heart.md")
    tried.add_argument("file", help="identity/heart.md, as it is in the instance")
    tried.add_argument("--with", dest="new", metavar="FILE", required=True, help="the new text")


def schedule(parser: argparse.ArgumentParser) -> None:
    """Cron entries of this instance, from `schedule:` in adjutant.yaml. Only its own marked block is ever touched."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="show|install|remove")
    verbs.add_parser("show", help="what install would put into your crontab")
    verbs.add_parser("install", help="put it there, in place of what it put there before")
    verbs.add_parser("remove", help="take it out again")


def search(parser: argparse.ArgumentParser) -> None:
    """Search notes, skills, vault, slog, journal, conversations and knowledge bases; any words, whole questions too."""
    parser.add_argument("words", nargs="*", metavar="WORDS", help="what to look for; after a lone -- even with dashes")
    parser.add_argument("--in", dest="collections", metavar="A,B", help=f"only in these: {_collections()}")
    _narrow(parser)
    parser.add_argument("--fresh", action="store_true", help="look at the vault and the knowledge bases now")


def _narrow(parser: argparse.ArgumentParser) -> None:
    """What a search may be held to."""
    parser.add_argument("--workload", metavar="CONCEPT", help="only what is about it, or narrower")
    parser.add_argument("--since", metavar="DATE", help="only what was made on this day or later")
    parser.add_argument("--limit", metavar="N", type=int, help="hits at most")
    parser.add_argument("--explain", action="store_true", help="why each was found")


def serve(parser: argparse.ArgumentParser) -> None:
    """The page: what is open, what waits for your yes, ask, memory, behaviour, runs; in a browser on this machine."""
    parser.add_argument("--port", type=int, default=8384, metavar="N", help="on 127.0.0.1 (8384); 0 takes a free one")
    parser.add_argument("--bind", default="127.0.0.1", metavar="ADDRESS", help="only 127.0.0.1 is accepted")
    parser.add_argument("--socket", metavar="PATH", help="a Unix socket that only you may open, in place of a port")
    parser.add_argument("--host", action="append", default=[], metavar="NAME", help="a proxy's name for the page")
    parser.add_argument("--read-only", action="store_true", help="show everything, decide nothing")
    parser.add_argument("--link", action="store_true", help="print one more link to the page that is running")
    parser.add_argument("--key", action="store_true", help="print a key for a program that asks /mcp")


def skills(parser: argparse.ArgumentParser) -> None:
    """Agent Skills: skills/*/SKILL.md with name and description in their frontmatter, a workload in its metadata."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="list|lint|tag")
    verbs.add_parser("list", help="all of them, with their workload")
    verbs.add_parser("lint", help="what keeps them from being Agent Skills, line by line")
    tag = verbs.add_parser("tag", help="say which workload the untagged ones are about")
    tag.add_argument("--write", action="store_true", help="and add it to the metadata in their frontmatter")


def slog(parser: argparse.ArgumentParser) -> None:
    """The work log: one line a thing done, filed under a workload, found by search."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="add|list")
    add = verbs.add_parser("add", help="write down what was done")
    add.add_argument("text", metavar="TEXT", nargs="+", help="a sentence or two; - reads standard input")
    add.add_argument("--workload", metavar="W", help="platform, comms/email … (guessed from the text when not given)")
    add.add_argument("--tags", metavar="A,B", help="words to find it by")
    listed = verbs.add_parser("list", help="the lines, oldest first")
    listed.add_argument("--since", metavar="DATE", help="from this day on, YYYY-MM-DD")
    listed.add_argument("--workload", metavar="W", help="only this one and what is below it, or `uncategorised`")
    listed.add_argument("--tail", type=int, metavar="N", help="the last N")


def status(parser: argparse.ArgumentParser) -> None:
    """Switches with reason, budget, quiet hours, the last runs, pending insights, notices nobody got."""


def switch(parser: argparse.ArgumentParser) -> None:
    """Set or lift the kill switches PAUSED and KILLED. `touch PAUSED` and `rm PAUSED` do the same."""
    parser.add_argument("reason", nargs="*", help="why; shown by status; - reads standard input")


def taxonomy(parser: argparse.ArgumentParser) -> None:
    """What work is about: the concept scheme of prompts/taxonomy.yaml that notes, skills and the work log share."""
    verbs = parser.add_subparsers(dest="subverb", required=True, metavar="list|validate|classify|export")
    verbs.add_parser("list", help="the concepts, narrower ones below broader ones")
    verbs.add_parser("validate", help="does the file keep the rules of SKOS? each problem with its line")
    sort = verbs.add_parser("classify", help="which workload is this text about?")
    sort.add_argument("text", metavar="TEXT", nargs="+", help="any text; - reads standard input")
    export = verbs.add_parser("export", help="the scheme as SKOS, for other programs")
    export.add_argument("--format", choices=("turtle", "jsonld"), default="turtle", help="turtle (default) or jsonld")


def today(parser: argparse.ArgumentParser) -> None:
    """What is late, due today and tomorrow, from your files as they are now; every line with its id."""
    parser.add_argument("--week", action="store_true", help="this week's as well")
    parser.add_argument("--waiting", action="store_true", help="only what you wait for")
    parser.add_argument("--all", action="store_true", help="everything open, with and without a day")


def version(parser: argparse.ArgumentParser) -> None:
    """Versions, and the instance this command line would work on."""


def why(parser: argparse.ArgumentParser) -> None:
    """Why was I told this? From a matter's id, a notice's key, an insight or a run id back to file and line."""
    parser.add_argument("what", metavar="ID|KEY|INSIGHT|RUN", help="`last`: the newest notice; -: standard input")


def worker(parser: argparse.ArgumentParser) -> None:
    """Work steps of jobs that other machines put into Redis. It needs adjutant.yaml and .env, no other file."""
    parser.add_argument("--burst", action="store_true", help="end when nothing waits")
    parser.add_argument("--name", metavar="NAME", help="its name in Redis (random)")


def wisdom(parser: argparse.ArgumentParser) -> None:
    """Standing rules: what identity/wisdom.md tells every prompt, where it comes from, and the way back."""
    verbs = parser.add_subparsers(dest="subverb", metavar="show|lint|history|undo", required=True)
    verbs.add_parser("show", help="each entry: since when, how often it was confirmed, whether it is stale")
    verbs.add_parser("lint", help="what is wrong in the file, line by line")
    told = verbs.add_parser("history", help="the runs that changed it, oldest first")
    told.add_argument("--run", metavar="RUN", help="what one run decided on each item; a run's beginning, or last")
    verbs.add_parser("undo", help="take back the last run; again for the one before")
