"""FILES. The one table of settings: validation, the file `init` writes and docs/config.md are all made from it."""

from __future__ import annotations

import json

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
DATE_ORDERS = ("dmy", "mdy")
TIERS = ("granite", "bedrock", "sandstone", "topsoil")
MODEL_TIERS = ("cheap", "medium", "expensive")
FOLDER_TRUST = ("operator", "untrusted")  # whose word a folder's files are
SEARCH_BACKENDS = ("sqlite", "typesense")
COLLECTIONS = ("agent_memory", "agent_skills", "vault_index", "slog", "journal", "conversations", "kb")
JUDGEMENTS = (
    *("pulse", "brief", "escalation", "synthesis", "answer", "classify", "turn", "compaction", "wisdom"),
    *("behavior-review", "evolve", "summarise", "content-review"),
)


class Setting:
    """One key: dotted name, default, help, and what limits the value: `choices`, or `low` and `high`. Null is a value
    where it is the default, and of cron times. A kind that is not given is that of the default."""

    __slots__ = ("choices", "default", "help", "high", "kind", "low", "name", "optional")

    def __init__(
        self,
        name: str,
        default: Any,
        help: str,
        low: float | None = None,
        high: float | None = None,
        *,
        kind: str = "",
        choices: tuple[str, ...] = (),
    ) -> None:
        self.name, self.default, self.help, self.low, self.high = name, default, help, low, high
        self.kind, self.choices = kind or ("str" if default is None else type(default).__name__), choices
        self.optional = default is None or kind == "cron"


def _layer(name: str, tier: str, limit: int) -> tuple[Setting, ...]:
    return (
        Setting(f"layers.{name}.path", f"identity/{name}.md", "the file of this layer", kind="path"),
        Setting(f"layers.{name}.tier", tier, "how often it is expected to change", choices=TIERS),
        Setting(f"layers.{name}.max_chars", limit, "a longer file is refused, never cut", 1),
    )


NEVER = "cron time; null: never"
VAULT = "folders of markdown that are searched: [/home/me/notes], [{path: notes, trust: operator, exclude: [old/]}]"
WEATHER = ["agent_skills", "agent_memory", "vault_index", "kb", "slog"]
TABLE: tuple[Setting, ...] = (
    Setting("instance.name", "adjutant", "what this instance is called"),
    Setting("instance.timezone", None, "such as Europe/Oslo; null is the machine's own", kind="zone"),
    Setting(
        "instance.date_order",
        None,
        "how 3/4 is read; null: as its column tells, else the language",
        choices=DATE_ORDERS,
    ),
    Setting("instance.primary", None, "the host that tells, where several machines share this tree; null: this one"),
    Setting("conductor.name", "Adjutant", "what the agent calls itself"),
    Setting("conductor.role", "chief of staff", "what it is to you"),
    Setting("conductor.model", None, "a model's name or a tier; null is the medium one"),
    Setting("conductor.may_delegate", False, "tasks that it files are worked without your `job accept`"),
    *_layer("soul", "granite", 6000),
    *_layer("wisdom", "sandstone", 8000),
    *_layer("identity", "sandstone", 4000),
    *_layer("user", "bedrock", 4000),
    *_layer("tools", "topsoil", 4000),
    *_layer("heart", "topsoil", 4000),
    Setting("prompt.max_tokens", 24000, "estimated tokens of a turn's prompt", 1000, 2000000),
    Setting("prompt.weather_tokens", 1500, "tokens of it for what is found for a message", 0, 200000),
    Setting("llm.backend", "offline", "openai: any compatible server; opencode, claude: programs", choices=BACKENDS),
    Setting("llm.base_url", None, "such as http://127.0.0.1:11434/v1; null is the backend's own", kind="url"),
    Setting("llm.program", None, "path of opencode or claude; null looks for it", kind="program"),
    Setting("llm.models.cheap", None, "model for briefs, escalation, the daily review"),
    Setting("llm.models.medium", None, "model for reflect; null is the cheap one"),
    Setting("llm.models.expensive", None, "for what you assign to it; null is the medium one"),
    Setting("llm.timeout_seconds", 60.0, "one request may take this long", 0.1, 3600),
    Setting("llm.max_retries", 2, "after 429, 5xx or a timeout", 0, 10),
    Setting("llm.caps.tokens_per_run", None, "a run stops asking at this many tokens", 0, kind="int"),
    Setting("llm.caps.tokens_per_day", None, "asking stops for the day at this many tokens", 0, kind="int"),
    Setting("llm.prices", {}, "per million tokens, by the beginning of a model's name: docs/models.md", kind="prices"),
    Setting("heartbeat.escalate_at", "high", "issues at or above become insights", choices=SEVERITIES),
    Setting("heartbeat.horizon_days", 14, "later deadlines are ignored", 1, 365),
    Setting("heartbeat.cooldown_days", 3, "silent days before what fell due is told again", 0, 365),
    Setting("heartbeat.parallel", 8, "knowledge bases read at once; 1 starts no thread", 1, 64),
    Setting("heartbeat.kb_timeout_seconds", 80.0, "a knowledge base may take this long", 0.1, 3600),
    Setting("heartbeat.max_insights", 5, "insights of one pulse at most, worst first", 1, 50),
    Setting("heartbeat.journal_days", 3, "how far back a review reads the journal", 1, 60),
    Setting("mail.waiting_days", 3, "a question by mail may stay unanswered so long", 0, 60),
    Setting("limits.files_per_kb", 2000, "text files read of one knowledge base", 1),
    Setting("limits.bytes_per_file", 1048576, "a larger file is skipped and named", 1),
    Setting("limits.bytes_per_kb", 33554432, "bytes read of one knowledge base, the newest files first", 1),
    Setting("limits.bytes_per_run", 134217728, "bytes read of all knowledge bases in one run", 1),
    Setting("limits.look_chars", 30000, "characters of a knowledge base that a model sees at first", 500, 500000),
    Setting("limits.look_again_chars", 8000, "characters it sees later: what changed", 500, 500000),
    Setting(
        "limits.one_call_chars", 40000, "a pulse smaller than this asks one question; 0 asks one per folder", 0, 2000000
    ),
    Setting("limits.model_calls_per_run", 60, "then the rest is answered by rules", 0),
    Setting("limits.run_seconds", 900.0, "then the rest is answered by rules", 1),
    Setting("notifications.channel", "outbox", "where notices go", choices=CHANNELS),
    Setting("notifications.fallback", [], "what to use instead when that is down", kind="names", choices=CHANNELS),
    Setting("notifications.command", None, "for channel command: program and arguments"),
    Setting("notifications.max_per_day", 3, "notices in a day", 0, 100),
    Setting("notifications.max_matters", 5, "lines in one notice", 1, 20),
    Setting("notifications.quiet_hours.enabled", False, "hold notices back at night"),
    Setting("notifications.quiet_hours.start", "22:00", "from", kind="time"),
    Setting("notifications.quiet_hours.end", "07:00", "until; may be the next day", kind="time"),
    Setting(
        "review.deliver",
        "changed",
        "when the digest is sent; changed: only if something is new or near",
        choices=DELIVER,
    ),
    Setting("messaging.telegram.api_base", HOMES["TELEGRAM_BOT_TOKEN"], "or your own Bot API server", kind="url"),
    Setting("messaging.telegram.rate_limit_per_minute", 10, "messages that `listen` answers", 1, 600),
    Setting("turn.max_steps", 6, "rounds of tool calls in one turn", 0, 50),
    Setting("turn.history_messages", 20, "earlier messages in a prompt at most", 0, 1000),
    Setting("behavior.max_directives", 24, "directives at most; a new one is then refused", 1, 1000),
    Setting("behavior.stale_after_days", 90, "`behavior list` marks older ones as stale", 1, 3650),
    Setting("behavior.candidate_ttl_days", 7, "a proposal expires after so many days", 1, 365),
    Setting("behavior.min_confidence", 0.6, "the daily review proposes nothing less certain", 0, 1),
    Setting("behavior.digest", False, "the digest names the newest proposals, not only their number"),
    Setting("memory.periods.min_dailies", 3, "days that a week needs", 1, 7),
    Setting("memory.periods.min_weeklies", 2, "weeks that a month needs", 1, 5),
    Setting(
        "memory.periods.target_ratio",
        0.3,
        "how long a day may be, as a share of its sources; decisions are never cut",
        0.05,
        1,
    ),
    Setting("memory.wisdom.max_entries", 20, "standing rules; over it, old ones go to the archive", 1, 200),
    Setting("memory.wisdom.categories", [], "headings of wisdom.md, such as [Work, Home]; [] is none", kind="words"),
    Setting("memory.wisdom.stale_after_days", 90, "rules unconfirmed for so long go first", 1, 3650),
    Setting("memory.wisdom.auto", True, "distill writes wisdom.md; false leaves a proposal in state/conflicts"),
    Setting("retrieval.backend", "sqlite", "the index; typesense falls back to sqlite", choices=SEARCH_BACKENDS),
    Setting("retrieval.vault", [], VAULT, kind="folders", choices=FOLDER_TRUST),
    Setting("retrieval.semantic", False, "search by meaning too: docs/search.md"),
    Setting("retrieval.limit", 8, "hits of one search", 1, 100),
    Setting("retrieval.weather", WEATHER, "where a turn looks for an answer", kind="words", choices=COLLECTIONS),
    Setting("typesense.nodes", None, 'such as ["http://127.0.0.1:8108"]; several are one cluster', kind="urls"),
    Setting("typesense.timeout_seconds", 2.0, "then sqlite answers", 0.1, 60),
    Setting("redis.url", None, "such as redis://127.0.0.1:6379/0; REDIS_URL overrides it", kind="redis"),
    Setting("redis.timeout_seconds", 1.0, "then a push is given up", 0.1, 60),
    Setting("evolution.enabled", True, "whether `evolve` does anything"),
    Setting("evolution.auto_apply", False, "only false: a person accepts each suggestion"),
    Setting("evolution.min_interactions", 10, "turns and tasks that a look needs", 1, 100000),
    Setting("evolution.window_hours", 8, "hours that a look covers at least", 1, 8760),
    Setting("telemetry.otlp_endpoint", None, "an OpenTelemetry collector, such as http://127.0.0.1:4318", kind="url"),
    Setting("jobs.tries", 3, "runs that try a step before its job waits for you", 1, 20),
    Setting("jobs.engine", "here", "who works steps: this process, or workers of RQ", choices=("here", "rq")),
    Setting("jobs.redis_url", None, "where the workers' queue is; null is redis.url", kind="redis"),
    Setting("jobs.fallback", "wait", "without Redis or a worker: wait, or work here", choices=("wait", "here")),
    Setting("jobs.step_seconds", 900, "a worker may take so long for a step", 10, 86400),
    Setting("jobs.kb", "library", "the knowledge base that `ingest` writes to; made on first use", kind="kb"),
    Setting("jobs.max_mb", 32, "a larger document or page is not read", 1, 512),
    Setting("jobs.fetch_seconds", 60.0, "a page must have come by then", 1, 3600),
    Setting("jobs.fetch_loopback", False, "`ingest` may fetch from servers of this machine"),
    Setting("jobs.piece_seconds", 300, "sound is sent in pieces of so many seconds", 10, 3600),
    Setting("jobs.language", None, "what is spoken, such as en; null lets the server find out"),
    Setting("jobs.transcription_url", None, "null is llm.base_url of an openai backend", kind="url"),
    Setting("jobs.transcription_model", "whisper-1", "the model that writes down speech"),
    Setting("jobs.transcription_seconds", 300.0, "one piece may take this long", 1, 3600),
    Setting("runs.keep_days", 14, "days that records of runs are kept", 1, 3650),
    Setting("schedule.pulse", "0 9,17 * * 1-5", NEVER, kind="cron"),
    Setting("schedule.review", "0 20 * * 1-5", NEVER, kind="cron"),
    Setting("schedule.evolve", "0 7,13,21 * * *", NEVER, kind="cron"),
    Setting("schedule.behavior-review", "30 21 * * *", NEVER, kind="cron"),
    Setting("schedule.compact", "15 3 * * *", NEVER, kind="cron"),
    Setting("schedule.distill", "30 3 1 * *", NEVER, kind="cron"),
    Setting("schedule.index", "*/15 * * * *", NEVER, kind="cron"),
    Setting("schedule.jobs", "*/15 * * * *", NEVER, kind="cron"),
    Setting("debug.dry_run", False, "decide everything, do nothing"),
)

# Per-judgement overrides are a free map of known fields: judgements.<name>.<field>.
JUDGEMENT_FIELDS: tuple[Setting, ...] = (
    Setting("model", None, "a model's name or a tier"),
    Setting("temperature", None, "0 to 2", 0, 2, kind="float"),
    Setting("max_tokens", None, "the longest reply", 16, 200000, kind="int"),
)
# Who else answers: specialists.<name>.<field>. `workspace` is workspace/<name> when it is not given.
CONDUCTORS = ("conductor", "writer", "researcher", "specialist")
SPECIALIST_FIELDS: tuple[Setting, ...] = (
    Setting("workloads", [], "the workloads it owns, such as [build]", kind="words", choices=WORKLOADS),
    Setting("backend", None, "its route to a model; null is llm.backend", choices=BACKENDS),
    Setting("model", None, "a model's name or a tier; null is the conductor's"),
    Setting("workspace", "", "the folder it works in, within workspace/", kind="path"),
)
# Judgements that no verb needs: rules answer until a model is wanted.
OPTIONAL_JUDGEMENTS: dict[str, tuple[Setting, ...]] = {
    "classify": (Setting("enabled", False, "ask a model what texts are filed under, not the rules alone"),)
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
                    lines += [""] + ([f"# {SECTIONS_HELP[part]}"] if part in SECTIONS_HELP else [])
                lines.append(f"{'  ' * depth}{part}:")
        pad = "  " * (len(parts) - 1)
        value = name if setting.name == "instance.name" else setting.default
        lines += [f"{pad}# {setting.help}{list_choices(setting)}", f"{pad}{parts[-1]}: {as_yaml(value)}"]
    return "\n".join(lines) + "\n"


def list_choices(setting: Setting) -> str:
    """What is told of them behind the help."""
    return f" ({' | '.join(setting.choices)})" if setting.choices and setting.kind not in ("words", "folders") else ""


def as_yaml(value: Any) -> str:
    """A default as a person writes it."""
    if isinstance(value, list):
        return f"[{', '.join(map(as_yaml, value))}]"
    if isinstance(value, str):
        plain = value.replace("-", "").replace("_", "").replace("/", "").replace(".", "")
        words = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
        if plain.isalpha() and plain.isascii() and value.lower() not in words:
            return value
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else json.dumps(value, ensure_ascii=False)
