"""FILES. The one table of settings: validation, the file `init` writes and docs/config.md are all made from it."""

from __future__ import annotations

from adjutant.ports import WORKLOADS
from adjutant.secret_names import HOMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BACKENDS = ("offline", "openai", "anthropic", "opencode", "claude")
AGENTS = {"opencode": "openai", "claude": "anthropic"}  # a program, and the API that its model speaks
# the secret that holds the key, and what a null llm.base_url stands for
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
BASES = {"openai": f"{HOMES['OPENAI_API_KEY']}/v1", "anthropic": HOMES["ANTHROPIC_API_KEY"]}
# Servers of models on one's own machine, and the ports they come with.
LOCAL = (("ollama", 11434), ("llama.cpp", 8080), ("lm-studio", 1234), ("vllm", 8000))
CHANNELS = ("outbox", "telegram", "command", "apprise")
SEVERITIES = ("low", "medium", "high", "critical")
DELIVER = ("changed", "always", "never")
TIERS = ("granite", "bedrock", "sandstone", "topsoil")
MODEL_TIERS = ("cheap", "medium", "expensive")
FOLDER_TRUST = ("operator", "untrusted")  # whose word a folder's files are
SEARCH_BACKENDS = ("sqlite", "typesense")
COLLECTIONS = ("agent_memory", "agent_skills", "vault_index", "slog", "journal", "conversations", "kb")
JUDGEMENTS = (
    "pulse",
    "brief",
    "triage",
    "escalation",
    "synthesis",
    "answer",
    "classify",
    "turn",
    "compaction",
    "wisdom",
    "behavior-review",
    "evolve",
    "summarise",
    "content-review",
)


class Setting:
    """One key: dotted name, kind, default, help, and what limits the value.

    kinds: str int float bool time zone url urls redis path folders words names program cron prices; `optional` admits
    null; `choices` or `low` and `high` limit it.
    """

    __slots__ = ("choices", "default", "help", "high", "kind", "low", "name", "optional")

    def __init__(
        self,
        name: str,
        kind: str,
        default: Any,
        help: str,
        *,
        choices: tuple[str, ...] = (),
        low: float | None = None,
        high: float | None = None,
        optional: bool = False,
    ) -> None:
        self.name, self.kind, self.default, self.help = name, kind, default, help
        self.choices, self.low, self.high, self.optional = choices, low, high, optional


def _layer(name: str, tier: str, limit: int) -> tuple[Setting, ...]:
    return (
        Setting(f"layers.{name}.path", "path", f"identity/{name}.md", "the file of this layer"),
        Setting(f"layers.{name}.tier", "str", tier, "how often it is expected to change", choices=TIERS),
        Setting(f"layers.{name}.max_chars", "int", limit, "a longer file is refused, never cut", low=1),
    )


TABLE: tuple[Setting, ...] = (
    Setting("instance.name", "str", "adjutant", "what this instance is called"),
    Setting("instance.timezone", "zone", None, "such as Europe/Oslo; null is the machine's own", optional=True),
    Setting(
        "instance.date_order",
        "str",
        None,
        "dmy or mdy: how 3/4 is read; null goes by the column, else by the language",
        choices=("dmy", "mdy"),
        optional=True,
    ),
    Setting(
        "instance.primary",
        "str",
        None,
        "of several machines with this tree the one that tells: its host name; null is this one",
        optional=True,
    ),
    Setting("conductor.name", "str", "Adjutant", "what the agent calls itself"),
    Setting("conductor.role", "str", "chief of staff", "what it is to you"),
    Setting("conductor.model", "str", None, "a model's name or a tier; null is the medium one", optional=True),
    Setting("conductor.may_delegate", "bool", False, "tasks that it files are worked without your `job accept`"),
    *_layer("soul", "granite", 6000),
    *_layer("wisdom", "sandstone", 8000),
    *_layer("identity", "sandstone", 4000),
    *_layer("user", "bedrock", 4000),
    *_layer("tools", "topsoil", 4000),
    *_layer("heart", "topsoil", 4000),
    Setting("prompt.max_tokens", "int", 24000, "estimated tokens of a turn's prompt", low=1000, high=2000000),
    Setting("prompt.weather_tokens", "int", 1500, "tokens of it for what is found for a message", low=0, high=200000),
    Setting(
        "llm.backend",
        "str",
        "offline",
        "openai is any compatible server; opencode and claude are programs",
        choices=BACKENDS,
    ),
    Setting("llm.base_url", "url", None, "such as http://127.0.0.1:11434/v1; null is the backend's own", optional=True),
    Setting("llm.program", "program", None, "path of opencode or claude; null looks for it", optional=True),
    Setting("llm.models.cheap", "str", None, "model for briefs, triage, escalation, the daily review", optional=True),
    Setting("llm.models.medium", "str", None, "model for reflect; null is the cheap one", optional=True),
    Setting("llm.models.expensive", "str", None, "for what you assign to it; null is the medium one", optional=True),
    Setting("llm.timeout_seconds", "float", 60.0, "one request may take this long", low=0.1, high=3600),
    Setting("llm.max_retries", "int", 2, "after 429, 5xx or a timeout", low=0, high=10),
    Setting("llm.caps.tokens_per_run", "int", None, "a run stops asking at this many tokens", low=0, optional=True),
    Setting(
        "llm.caps.tokens_per_day", "int", None, "asking stops for the day at this many tokens", low=0, optional=True
    ),
    Setting("llm.prices", "prices", {}, "per million tokens, by the beginning of a model's name: docs/models.md"),
    Setting("heartbeat.escalate_at", "str", "high", "issues at or above become insights", choices=SEVERITIES),
    Setting("heartbeat.horizon_days", "int", 14, "later deadlines are ignored", low=1, high=365),
    Setting("heartbeat.cooldown_days", "int", 3, "silent days before what fell due is told again", low=0, high=365),
    Setting("heartbeat.parallel", "int", 8, "knowledge bases read at once; 1 starts no thread", low=1, high=64),
    Setting("heartbeat.kb_timeout_seconds", "float", 80.0, "a knowledge base may take this long", low=0.1, high=3600),
    Setting("heartbeat.max_insights", "int", 5, "insights of one pulse at most, worst first", low=1, high=50),
    Setting("heartbeat.journal_days", "int", 3, "how far back a review reads the journal", low=1, high=60),
    Setting("mail.waiting_days", "int", 3, "a question by mail may stay unanswered so long", low=0, high=60),
    Setting("limits.files_per_kb", "int", 2000, "text files read of one knowledge base", low=1),
    Setting("limits.bytes_per_file", "int", 1048576, "a larger file is skipped and named", low=1),
    Setting("limits.bytes_per_kb", "int", 33554432, "bytes read of one knowledge base, the newest files first", low=1),
    Setting("limits.bytes_per_run", "int", 134217728, "bytes read of all knowledge bases in one run", low=1),
    Setting(
        "limits.look_chars",
        "int",
        30000,
        "characters of a knowledge base that a model sees at first",
        low=500,
        high=500000,
    ),
    Setting("limits.look_again_chars", "int", 8000, "characters it sees later: what changed", low=500, high=500000),
    Setting(
        "limits.one_call_chars",
        "int",
        40000,
        "a smaller pulse is one question; 0 always asks once per knowledge base",
        low=0,
        high=2000000,
    ),
    Setting("limits.model_calls_per_run", "int", 60, "then the rest is answered by rules", low=0),
    Setting("limits.run_seconds", "float", 900.0, "then the rest is answered by rules", low=1),
    Setting("notifications.channel", "str", "outbox", "where notices go", choices=CHANNELS),
    Setting("notifications.fallback", "names", [], "the next channel when that is down, or several", choices=CHANNELS),
    Setting("notifications.command", "str", None, "for channel command: program and arguments", optional=True),
    Setting("notifications.max_per_day", "int", 3, "notices in a day", low=0, high=100),
    Setting("notifications.max_matters", "int", 5, "lines in one notice", low=1, high=20),
    Setting("notifications.quiet_hours.enabled", "bool", False, "hold notices back at night"),
    Setting("notifications.quiet_hours.start", "time", "22:00", "from"),
    Setting("notifications.quiet_hours.end", "time", "07:00", "until; may be the next day"),
    Setting(
        "review.deliver",
        "str",
        "changed",
        "when the digest is sent; changed: if something is new or near",
        choices=DELIVER,
    ),
    Setting("messaging.telegram.api_base", "url", HOMES["TELEGRAM_BOT_TOKEN"], "or your own Bot API server"),
    Setting("messaging.telegram.rate_limit_per_minute", "int", 10, "messages that `listen` answers", low=1, high=600),
    Setting("turn.max_steps", "int", 6, "rounds of tool calls in one turn", low=0, high=50),
    Setting("turn.history_messages", "int", 20, "earlier messages in a prompt at most", low=0, high=1000),
    Setting("behavior.max_directives", "int", 24, "directives at most; a new one is then refused", low=1, high=1000),
    Setting("behavior.stale_after_days", "int", 90, "`behavior list` marks older ones as stale", low=1, high=3650),
    Setting("behavior.candidate_ttl_days", "int", 7, "a proposal expires after so many days", low=1, high=365),
    Setting("behavior.min_confidence", "float", 0.6, "the daily review proposes nothing less certain", low=0, high=1),
    Setting("behavior.digest", "bool", False, "the digest names the newest proposals, not only their number"),
    Setting("memory.periods.min_dailies", "int", 3, "days that a week needs", low=1, high=7),
    Setting("memory.periods.min_weeklies", "int", 2, "weeks that a month needs", low=1, high=5),
    Setting(
        "memory.periods.target_ratio",
        "float",
        0.3,
        "length of a day against its sources; decisions are never cut",
        low=0.05,
        high=1,
    ),
    Setting(
        "memory.wisdom.max_entries", "int", 20, "standing rules; over it, old ones go to the archive", low=1, high=200
    ),
    Setting("memory.wisdom.categories", "words", [], "headings of wisdom.md, such as [Work, Home]; [] is none"),
    Setting("memory.wisdom.stale_after_days", "int", 90, "rules unconfirmed for so long go first", low=1, high=3650),
    Setting("memory.wisdom.auto", "bool", True, "distill writes wisdom.md; false leaves a proposal in state/conflicts"),
    Setting("retrieval.backend", "str", "sqlite", "the index; typesense falls back to sqlite", choices=SEARCH_BACKENDS),
    Setting(
        "retrieval.vault",
        "folders",
        [],
        "folders of markdown that are searched: [/home/me/notes], [{path: notes, trust: operator, exclude: [old/]}]",
        choices=FOLDER_TRUST,
    ),
    Setting("retrieval.semantic", "bool", False, "search by meaning too: docs/search.md"),
    Setting("retrieval.limit", "int", 8, "hits of one search", low=1, high=100),
    Setting(
        "retrieval.weather",
        "words",
        ["agent_skills", "agent_memory", "vault_index", "kb", "slog"],
        "where a turn looks for what a message is about",
        choices=COLLECTIONS,
    ),
    Setting(
        "typesense.nodes", "urls", None, 'such as ["http://127.0.0.1:8108"]; several are one cluster', optional=True
    ),
    Setting("typesense.timeout_seconds", "float", 2.0, "then sqlite answers", low=0.1, high=60),
    Setting("redis.url", "redis", None, "such as redis://127.0.0.1:6379/0; REDIS_URL overrides it", optional=True),
    Setting("redis.timeout_seconds", "float", 1.0, "then a push is given up", low=0.1, high=60),
    Setting("evolution.enabled", "bool", True, "whether `evolve` does anything"),
    Setting("evolution.auto_apply", "bool", False, "only false: a person accepts each suggestion"),
    Setting("evolution.min_interactions", "int", 10, "turns and tasks that a look needs", low=1, high=100000),
    Setting("evolution.window_hours", "int", 8, "hours that a look covers at least", low=1, high=8760),
    Setting(
        "telemetry.otlp_endpoint",
        "url",
        None,
        "an OpenTelemetry collector, such as http://127.0.0.1:4318",
        optional=True,
    ),
    Setting("jobs.tries", "int", 3, "runs that try a step before its job waits for you", low=1, high=20),
    Setting("jobs.engine", "str", "here", "who works steps: this process, or workers of RQ", choices=("here", "rq")),
    Setting("jobs.redis_url", "redis", None, "where the workers' queue is; null is redis.url", optional=True),
    Setting("jobs.fallback", "str", "wait", "without Redis or a worker: wait, or work here", choices=("wait", "here")),
    Setting("jobs.step_seconds", "int", 900, "a worker may take so long for a step", low=10, high=86400),
    Setting("jobs.kb", "str", "library", "the knowledge base that `ingest` writes to; made on first use"),
    Setting("jobs.max_mb", "int", 32, "a larger document or page is not read", low=1, high=512),
    Setting("jobs.fetch_seconds", "float", 60.0, "a page must have come by then", low=1, high=3600),
    Setting("jobs.fetch_loopback", "bool", False, "`ingest` may fetch from servers of this machine"),
    Setting("jobs.piece_seconds", "int", 300, "sound is sent in pieces of so many seconds", low=10, high=3600),
    Setting("jobs.language", "str", None, "what is spoken, such as en; null lets the server find out", optional=True),
    Setting("jobs.transcription_url", "url", None, "null is llm.base_url of an openai backend", optional=True),
    Setting("jobs.transcription_model", "str", "whisper-1", "the model that writes down speech"),
    Setting("jobs.transcription_seconds", "float", 300.0, "one piece may take this long", low=1, high=3600),
    Setting("runs.keep_days", "int", 14, "days that records of runs are kept", low=1, high=3650),
    Setting("schedule.pulse", "cron", "0 9,17 * * 1-5", "cron time; null: never", optional=True),
    Setting("schedule.review", "cron", "0 20 * * 1-5", "cron time; null: never", optional=True),
    Setting("schedule.evolve", "cron", "0 7,13,21 * * *", "cron time; null: never", optional=True),
    Setting("schedule.behavior-review", "cron", "30 21 * * *", "cron time; null: never", optional=True),
    Setting("schedule.compact", "cron", "15 3 * * *", "cron time; null: never", optional=True),
    Setting("schedule.distill", "cron", "30 3 1 * *", "cron time; null: never", optional=True),
    Setting("schedule.index", "cron", "*/15 * * * *", "cron time; null: never", optional=True),
    Setting("schedule.jobs", "cron", "*/15 * * * *", "cron time; null: never", optional=True),
    Setting("debug.dry_run", "bool", False, "decide everything, do nothing"),
)

# Per-judgement overrides are a free map of known fields: judgements.<name>.<field>.
JUDGEMENT_FIELDS: tuple[Setting, ...] = (
    Setting("model", "str", None, "a model's name or a tier", optional=True),
    Setting("temperature", "float", None, "0 to 2", low=0, high=2, optional=True),
    Setting("max_tokens", "int", None, "the longest reply", low=16, high=200000, optional=True),
)
# Who else answers: specialists.<name>.<field>. `workspace` is workspace/<name> when it is not given.
CONDUCTORS = ("conductor", "writer", "researcher", "specialist")
SPECIALIST_FIELDS: tuple[Setting, ...] = (
    Setting("workloads", "words", [], "the workloads it owns, such as [build]", choices=WORKLOADS),
    Setting("backend", "str", None, "its route to a model; null is llm.backend", choices=BACKENDS, optional=True),
    Setting("model", "str", None, "a model's name or a tier; null is the conductor's", optional=True),
    Setting("workspace", "path", "", "the folder it works in, within workspace/"),
)
# Judgements that no verb needs: rules answer until a model is wanted.
OPTIONAL_JUDGEMENTS: dict[str, tuple[Setting, ...]] = {
    "classify": (Setting("enabled", "bool", False, "ask a model what texts are filed under, not the rules alone"),)
}
SECTIONS_HELP = {
    "instance": "this instance",
    "conductor": "the agent",
    "layers": "files the prompt is made of",
    "llm": "the model; offline works without any",
    "judgements": "per judgement: model or tier, temperature, max_tokens",
    "heartbeat": "pulse, escalation, review",
    "mail": "what is read of mail: docs/mail.md",
    "limits": "what a run may use",
    "prompt": "what a turn may send",
    "turn": "a message and its answer",
    "specialists": "who owns which workloads: docs/prompt.md",
    "notifications": "the only way out: docs/channels.md",
    "review": "the daily digest",
    "messaging": "",
    "jobs": "work in steps: docs/jobs.md",
    "runs": "records",
    "behavior": "the directives you give: KEEP, MORE, LESS, STOP, START",
    "memory": "days, weeks and months; the standing rules of wisdom.md",
    "retrieval": "what `search` looks into",
    "typesense": "a search server; null nodes: never contacted. The key stands in TYPESENSE_API_KEY",
    "redis": "a copy of the behaviour contract for other programs; null url: never contacted",
    "evolution": "suggestions from what was asked and how it went: docs/evolution.md",
    "telemetry": "spans of each run, beside state/events.jsonl; null: nobody is contacted (extra `otel`)",
    "schedule": "when what runs, once `adjutant schedule install` has told cron",
    "debug": "",
}


def fields_of(judgement: str) -> tuple[Setting, ...]:
    """What config may say of a judgement."""
    return (*JUDGEMENT_FIELDS, *OPTIONAL_JUDGEMENTS.get(judgement, ()))


def default_file(name: str) -> str:
    """The adjutant.yaml that `init` writes: every key with its default, its help on a line of its own."""
    lines = ["# Settings of this Adjutant instance. Unknown keys and wrong types are refused by name and line."]
    open_at: list[str] = []
    for setting in TABLE:
        parts = setting.name.split(".")
        for before, section in (("heartbeat.escalate_at", "judgements"), ("layers.soul.path", "specialists")):
            if setting.name == before:
                lines += ["", f"# {SECTIONS_HELP[section]}", f"{section}: {{}}"]
        for depth, part in enumerate(parts[:-1]):
            if open_at[: depth + 1] != parts[: depth + 1]:
                open_at = parts[: depth + 1]
                if depth == 0:
                    lines += [""] + ([f"# {SECTIONS_HELP[part]}"] if SECTIONS_HELP[part] else [])
                lines.append(f"{'  ' * depth}{part}:")
        pad = "  " * (len(parts) - 1)
        value = name if setting.name == "instance.name" else setting.default
        lines += [f"{pad}# {setting.help}{_limits(setting)}", f"{pad}{parts[-1]}: {_yaml(value)}"]
    return "\n".join(lines) + "\n"


def _limits(setting: Setting) -> str:
    return f" ({' | '.join(setting.choices)})" if setting.choices and setting.kind not in ("words", "folders") else ""


def _yaml(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_yaml(key)}: {_yaml(inner)}' for key, inner in value.items())}}}"
    if isinstance(value, str):
        plain = value.replace("-", "").replace("_", "").replace("/", "").replace(".", "")
        words = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
        if plain.isalpha() and plain.isascii() and value.lower() not in words:
            return value
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def table_markdown() -> str:
    """The table of docs/config.md; fields that every layer or judgement has stand in it once, as NAME's."""
    rows = ["key | default | meaning", "---|---|---"]
    rows += [_row(s.name, s) for s in TABLE if not s.name.startswith("layers.")]
    rows += [_row(name, s, "one for each") for name, s in _layer_fields().items()]
    rows += [_row(f"specialists.NAME.{s.name}", s) for s in SPECIALIST_FIELDS]
    rows += [_row(f"judgements.NAME.{s.name}", s) for s in JUDGEMENT_FIELDS]
    for judgement, fields in OPTIONAL_JUDGEMENTS.items():
        rows += [_row(f"judgements.{judgement}.{s.name}", s) for s in fields]
    return "\n".join(rows) + "\n"


def _row(name: str, setting: Setting, default: str = "") -> str:
    default = default or f"`{_yaml(setting.default)}`"
    return f"`{name}` | {default} | {setting.help}{_limits(setting).replace(' | ', ', ')}"


def _layer_fields() -> dict[str, Setting]:
    """One setting for each field that the layers share."""
    fields = {s.name.split(".")[-1]: s for s in TABLE if s.name.startswith("layers.")}
    return {f"layers.NAME.{field}": setting for field, setting in fields.items()}
