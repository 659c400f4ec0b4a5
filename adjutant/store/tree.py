"""FILES. The one namer: every path of an instance is spelled here and nowhere else. Asking creates nothing."""

from __future__ import annotations

import os
from collections.abc import Callable

CONFIG = "adjutant.yaml"
LAYERS = ("soul", "wisdom", "identity", "user", "tools", "heart")


def _name(folder: str, suffix: str = "", prefix: str = "") -> Callable[[Tree, str], str]:
    """A method of Tree: the path of what bears a name in one of its folders."""
    return lambda tree, name: f"{getattr(tree, folder)}/{prefix}{name}{suffix}"


def _pair(folder: str, suffix: str = "") -> Callable[[Tree, str, str], str]:
    """The same of what bears two names."""
    return lambda tree, one, other: f"{getattr(tree, folder)}/{one}" + (f"/{other}{suffix}" if other else "")


class Tree:
    """Absolute paths (str) of one instance. The attribute names stand in stages/writes.txt."""

    def __init__(self, root: str) -> None:
        self.root = root = root.rstrip("/") or "/"
        # the operator's own
        self.config = f"{root}/{CONFIG}"
        self.env = f"{root}/.env"
        self.gitignore = f"{root}/.gitignore"
        self.gitattributes = f"{root}/.gitattributes"
        self.paused = f"{root}/PAUSED"
        self.killed = f"{root}/KILLED"
        self.identity = f"{root}/identity"
        self.soul = f"{root}/identity/soul.md"
        self.heart = f"{root}/identity/heart.md"
        self.registry_notes = f"{root}/identity/registry.md"
        self.prompts = f"{root}/prompts"
        self.words = f"{root}/prompts/words"
        self.roles = f"{root}/prompts/roles"
        self.knowledge_bases = f"{root}/knowledge_bases"
        self.registry = f"{root}/knowledge_bases/registry.yaml"
        self.sample = f"{root}/knowledge_bases/.sample"
        self.skills = f"{root}/skills"
        self.memory = f"{root}/memory"
        self.notes = f"{root}/memory/notes"
        self.notes_archive = f"{root}/memory/.archive"
        self.changes = f"{root}/memory/.archive/changes"
        self.daily = f"{root}/memory/daily"
        self.weekly = f"{root}/memory/weekly"
        self.monthly = f"{root}/memory/monthly"
        self.wisdom = f"{root}/identity/wisdom.md"
        self.wisdom_archive = f"{root}/memory/wisdom-archive.md"
        self.today = f"{root}/today.md"
        self.taxonomy = f"{root}/prompts/taxonomy.yaml"
        self.evolution = f"{root}/evolution"
        self.workspace = f"{root}/workspace"
        self.agents = f"{root}/AGENTS.md"
        # what the heartbeat leaves
        self.journal = f"{root}/journal"
        self.insights = f"{root}/insights"
        self.pending = f"{root}/insights/pending"
        self.sent = f"{root}/insights/sent"
        # state
        self.state = state = f"{root}/state"
        self.last_heartbeat = f"{state}/last_heartbeat.json"
        self.actions = f"{state}/actions.jsonl"
        self.notices = f"{state}/notices.jsonl"
        self.notices_cache = f"{state}/cache/notices.json"
        self.outbox = f"{state}/outbox.md"
        self.pulse = f"{state}/pulse.json"
        self.usage = f"{state}/usage.jsonl"
        self.events = f"{state}/events.jsonl"
        self.marks = f"{state}/marks.jsonl"
        self.matters = f"{state}/matters.jsonl"
        self.schedule_state = f"{state}/schedule.json"
        self.cron_log = f"{state}/cron.log"
        self.runs = f"{state}/runs"
        self.layer_changes = f"{state}/layers.jsonl"
        self.tasks = f"{state}/tasks"
        self.jobs = f"{state}/jobs"
        self.telegram_log = f"{state}/telegram.jsonl"
        self.slog = f"{state}/slog.jsonl"
        self.wisdom_log = f"{state}/wisdom.jsonl"
        self.conversations = f"{state}/conversations"
        self.interactions = f"{state}/interactions.jsonl"
        self.evolution_log = f"{state}/evolution.jsonl"
        self.behavior = f"{state}/behavior"
        self.behavior_history = f"{state}/behavior/history.jsonl"
        self.contract = f"{state}/behavior/contract.json"
        self.index = f"{state}/index.sqlite"
        self.instance = f"{state}/instance.json"
        self.page_keys = f"{state}/page.json"
        self.page_socket = f"{state}/page.sock"
        self.hosts = f"{state}/hosts"
        self.locks = f"{state}/locks"
        self.cache = f"{state}/cache"
        self.config_cache = f"{state}/cache/config.json"
        self.mirrors = f"{state}/cache/mirrors.json"
        self.quarantine = f"{state}/quarantine"
        self.conflicts = f"{state}/conflicts"
        self.archive = f"{state}/archive"
        self.crash = f"{state}/crash"
        # the folders of the instance, each of which may be a link to another disk
        own = (self.identity, self.prompts, self.knowledge_bases, self.skills, self.memory, self.evolution)
        self.folders = (*own, self.workspace, self.journal, self.insights, self.state)
        # what no backup holds: keys, and what is made again or means something on this machine alone
        index = (self.index, f"{self.index}-wal", f"{self.index}-shm", f"{self.index}-journal")
        self.unkept = frozenset((self.page_keys, self.page_socket, self.locks, self.cache, self.cron_log, *index))
        # asked for every write: see is_record
        self._records = frozenset(
            (self.actions, self.notices, self.usage, self.events, self.interactions, self.instance)
        )
        folders = (self.journal, self.runs, self.cache, self.locks, self.crash, self.jobs, *self.sample_folders())
        told = (self.journal, self.insights, self.memory, self.evolution, self.state)
        self._tells = tuple(f"{folder}/" for folder in told)
        self._recorded = (f"{state}/notify_count_", *(f"{folder}/" for folder in folders))

    def inside(self, relative: str) -> str:
        """The absolute path of `relative` (an absolute one is kept)."""
        return relative if relative.startswith("/") else f"{self.root}/{relative}"

    def relative(self, path: str) -> str:
        """`path` relative to the instance; paths outside it stay absolute."""
        return path[len(self.root) + 1 :] if path.startswith(f"{self.root}/") else path

    # The paths of what bears a name.
    layer = _name("identity", ".md")  # the default file of a layer
    journal_of = _name("journal", ".md")  # the journal of one day, YYYY-MM-DD
    pending_insight = _name("pending")  # a pending insight by its file name
    insight = _name("insights")  # what records call an insight by, whichever folder it lies in
    sent_insight = _name("sent")  # a handled insight by its file name
    run = _name("runs")  # the folder of one run's records
    cached_result = _name("cache", ".json", prefix="result-")  # the whole of a verb's last result, too long to print
    readings = _name("cache", ".bin", prefix="readings-")  # what was read of a knowledge base's files
    offered = _name("cache", ".bin", prefix="offered-")  # what a model was last shown of a knowledge base
    lock = _name("locks", ".lock")  # a kernel lock's file; never unlinked
    change = _name("changes", ".jsonl")  # the record of one fact taken back or put right
    evolution_report = _name("evolution", ".md")  # a report of suggestions by its name, YYYY-MM-DD-HH
    skill = _name("skills", "/SKILL.md")  # the SKILL.md of a skill's folder
    kb = _name("knowledge_bases")  # where `kb create` puts a knowledge base
    quarantined = _name("quarantine")  # a file set aside
    conflict = _name("conflicts")  # a proposal that lost against a person's edit
    archived = _name("archive")  # a rotated part of a log
    crash_report = _name("crash")  # the report of a bug
    template = _name("prompts")  # the instance's own version of a prompt template
    role = _name("roles", ".md")  # the instance's own text of a role
    conversation = _name("conversations", ".jsonl")  # the messages of one session
    host = _name("hosts", ".json")  # a machine that has looked for this tree
    task = _name("tasks", ".json")  # a task that was delegated
    job_folder = _name("jobs")  # a job and the results of its steps
    job = _name("jobs", "/job.json")  # the job itself

    notify_count = _name("state", ".txt", prefix="notify_count_")  # how many notices of a day were reserved
    # Of what bears two names; without the second the folder of the first.
    run_file = _pair("runs")  # one record of a run
    job_result = _pair("jobs", ".result")  # what a step of a job came to, by the hash of its input
    note = _pair("notes", ".md")  # a note by its type and id
    old_note = _pair("notes_archive", ".md")  # where a forgotten note waits to be restored
    period = _pair("memory", ".md")  # a period's file by its kind (daily, weekly, monthly) and name
    kb_file = _pair("knowledge_bases")  # a file in a knowledge base that `kb create` made

    def sample_folders(self) -> tuple[str, ...]:
        """Where the checkout's own knowledge bases keep texts dated from the day they were first needed."""
        return tuple(f"{self.knowledge_bases}/{kb}/current" for kb in ("launch", "household", "research"))

    def is_record(self, path: str) -> bool:
        """Records of what did happen, and caches: written in a dry run too, completed after a stop."""
        return path in self._records or path.startswith(self._recorded)

    def is_log(self, path: str) -> bool:
        return path.startswith(f"{self.state}/") and path.endswith(".jsonl")

    def is_worked_in(self, path: str) -> bool:
        """Whether agents may change the folders on the way to a file while we do."""
        return path.startswith(f"{self.workspace}/")

    def is_told(self, path: str) -> bool:
        """Whether a file holds what we tell or repeat, in which no secret is to stand; not so caches."""
        return path == self.today or (path.startswith(self._tells) and not path.startswith(f"{self.cache}/"))

    def may_be_link(self, path: str) -> bool:
        """The operator's own linked dotfiles are read and written through; nothing else may be a link."""
        own = (f"{self.identity}/", f"{self.prompts}/")
        return path in (self.config, self.env, self.registry) or path.startswith(own)


def instance_at(folder: str) -> str | None:
    """The nearest folder that holds an adjutant.yaml, `folder` itself or one above it; None when there is none."""
    while not os.path.lexists(Tree(folder).config):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder
