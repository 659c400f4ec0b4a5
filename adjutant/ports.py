"""GROUND. The Protocols behind which everything outside stands, and their small value types."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Folder(NamedTuple):
    """A folder of the operator's that an agent may look into while it answers; with `writes` it may change it too.
    `names`: the files it is told of, relative to the folder, those that matter most first. With `runs` it may run
    commands, where its route can wall them in (see Worker). `inode`: (device, inode) that the path must lead to."""

    path: str
    writes: bool = False
    names: Sequence[str] = ()
    runs: bool = False
    inode: tuple[int, int] | None = None


class Prompt(NamedTuple):
    """One question to a model: a system text, a user text, the JSON Schema the reply must fit, and its limits.
    `max_tokens` of the reply; `timeout`: seconds for the answer, however often transport tries. For agents: `reads` is
    the one folder they may look into, and `limit` what all their questions to their model may cost in tokens."""

    name: str
    system: str
    text: str
    schema: dict[str, Any] | None
    model: str
    temperature: float
    max_tokens: int
    timeout: float
    reads: Folder | None = None
    limit: int | None = None


class Reply(NamedTuple):
    """A model's answer: its text and the tokens it cost (as the server counted them, else estimated). `model`: the one
    that answered, as the server calls it, "" where it does not say."""

    text: str
    tokens_in: int
    tokens_out: int
    model: str = ""


class ModelFailed(Exception):
    """There is no answer. `cause` is one of `timeout unreachable http malformed cap limit`; no secret in it.
    `tokens_in` and `tokens_out`: what was spent all the same, by an agent that asked its model and came to no answer.
    `for_good`: the way to the model is closed for the rest of the run; not so where an agent broke on this question."""

    def __init__(
        self, cause: str, detail: str, tokens_in: int = 0, tokens_out: int = 0, *, for_good: bool = True
    ) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause, self.detail, self.tokens_in, self.tokens_out = cause, detail, tokens_in, tokens_out
        self.for_good = for_good


class ReplyRefused(Exception):
    """A result that may not be used; `reason` is what the model is told before its one repair."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Model(Protocol):
    """A route to a language model. Retries of transport are its own affair; it never outlives `prompt.timeout`."""

    @property
    def backend(self) -> str: ...  # its name in the configuration and in records
    def complete(self, prompt: Prompt) -> Reply: ...  # asks once; raises ModelFailed


class Transcriber(Protocol):
    """A route to a server that writes down what is spoken."""

    def transcribe(self, audio: bytes, name: str, model: str, language: str, key: str) -> str:
        """The words of one piece of audio; `name` ends as its format does. `language`: ISO 639-1, "" for any. A server
        that knows `key` takes the same request twice for one. Raises ModelFailed."""


class Place(NamedTuple):
    """Where models may be: what it is called, the API it speaks (openai or anthropic), its address, and the key that
    is sent there ("" for none)."""

    name: str
    api: str
    base_url: str
    key: str = ""


class Offer(NamedTuple):
    """What a place has: its models, or why none can be named; whether a server of its kind is `there` at all."""

    place: Place
    models: tuple[str, ...]
    why: str
    there: bool


class Tool(NamedTuple):
    """What a model may call in a dialogue: `schema` is the JSON Schema (an object) of its arguments. `name`: letters,
    digits, `_` and `-`, at most 64."""

    name: str
    description: str
    schema: dict[str, Any]


class ToolCall(NamedTuple):
    """One call as a model made it. `arguments` None: it wrote no JSON object, or was cut off while it wrote. `id` is
    unique in its dialogue and `name` may be sent back, whatever the model made of them; `raw` is what it wrote. `kept`:
    what the server wants to see again beside the call; opaque to everybody else."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    raw: str
    kept: dict[str, Any] | None = None


class Message(NamedTuple):
    """One message of a dialogue: text, an assistant's `calls`, or (role tool) the result of the call `call_id`. A
    result stands after the assistant's message whose call it answers, before the next of the assistant's; one that
    answers no call is not sent. Messages of one role may follow each other."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


class Dialogue(NamedTuple):
    """A talk with a model that may call tools: a system text, the messages so far, the tools, and the limits.
    `max_tokens` of the reply; `timeout`: seconds for this reply, however often transport tries. With `closing` the
    tools stay known and none is to be called: an answer in words is wanted now. `told` is given the text so far, again
    and again while it comes; "" when it begins, anew too."""

    name: str
    system: str
    messages: Sequence[Message]
    tools: Sequence[Tool]
    model: str
    temperature: float
    max_tokens: int
    timeout: float
    closing: bool = False
    told: Callable[[str], None] | None = None


class Said(NamedTuple):
    """A model's turn in a dialogue: its text ("" for none, and for a refusal), the calls it made in their order, cost.
    `offered` is False when the server knows no tools for this model: the dialogue went there without them. `cut`: it
    ended because it was as long as it may be. `model` as in Reply."""

    text: str
    calls: tuple[ToolCall, ...]
    tokens_in: int
    tokens_out: int
    offered: bool = True
    cut: bool = False
    model: str = ""


@runtime_checkable
class Converser(Model, Protocol):
    """A route whose model may call tools; `isinstance` tells it from one that can only be asked once (an agent)."""

    def converse(self, dialogue: Dialogue) -> Said: ...  # the assistant's next turn; raises ModelFailed


@runtime_checkable
class Worker(Model, Protocol):
    """A route whose model works in a folder by itself: an agent's program. `no_commands`: why it may run none there,
    whatever the folder allows; "" where it may."""

    @property
    def no_commands(self) -> str: ...


class Refused(Exception):
    """The channel definitely did not take the message (refused or unresolved connection, HTTP 4xx): safe to retry."""


class Uncertain(Exception):
    """The channel may or may not have delivered (5xx, timeout, cut, crash): never sent again by itself."""


BUTTONS = ("done", "snooze", "why")  # of each matter


class Told(NamedTuple):
    """A matter that a notice names: its id, and the seal of what was told of it (domain/telling/message)."""

    id: str
    seal: str


class Notifier(Protocol):
    """A channel to the operator. `send` returns when a message of at most 3,900 characters is delivered, with buttons
    for each of these matters where the channel has any; it raises Refused or Uncertain otherwise."""

    channel: str

    def send(self, text: str, key: str, buttons: Sequence[Told] = ()) -> None: ...


# what work is about: the top concepts of every taxonomy
WORKLOADS = ("platform", "integration", "tooling", "pipeline", "build", "knowledge", "comms", "observe", "meta")
TRUST = ("operator", "agent", "untrusted")  # whose word a text is, the most trusted first


class BotFailed(Exception):
    """The Bot API did not do as asked; no secret in it. `cause` is one of `unreachable` (nothing was sent), `uncertain`
    (nobody knows what came of it: 5xx, timeout, a connection that broke), `flood` (`wait` seconds are asked for),
    `conflict` (another program reads the same bot's messages, or a webhook does), `token` (it is not accepted),
    `refused` (any other 4xx)."""

    def __init__(self, cause: str, detail: str, wait: float = 0.0) -> None:
        super().__init__(f"{cause}: {detail}")
        self.cause, self.detail, self.wait = cause, detail, wait


class Bot(Protocol):
    """A Telegram bot, and the one chat it answers in. Everything raises BotFailed.

    `updates`: what has come since, after at most `wait` seconds; an `offset` confirms all before it, 0 confirms
    nothing, -1 gives the newest alone. `say`: at most 4,096 UTF-16 units, `text`, in which nothing can be tapped, and
    our `own` words behind it, in which commands can. `answer`: what whoever pressed a button sees at once, at most 200
    characters; an `alert` has to be closed. `begin`: as `say`; the number of the message, which may be edited. `edit`
    puts this in place of what a message of ours says, `buttons` by their data below it; doing it twice does no harm.
    """

    def updates(self, offset: int, wait: float) -> list[dict[str, Any]]: ...
    def say(self, text: str, own: str = "") -> None: ...
    def answer(self, press: str, text: str, alert: bool) -> None: ...
    def begin(self, text: str) -> int: ...
    def edit(self, message: int, text: str, own: str = "", buttons: Sequence[str] = ()) -> None: ...


class ContractCache(Protocol):
    """A copy of the behaviour contract for readers without files. Every method raises MirrorUnavailable when away. What
    another instance of the same name put there is never touched: `push`, `forget` and `read` raise MirrorDiffers.

    `push` puts the contract's JSON there and tells its hash to those who listen; True when it was written. One step: a
    copy of the same or a higher version stands, however late this push is, unless `force`. `forget` takes it away where
    there is none any more. `take_over`: what another instance put there is this one's; True when there was such.
    """

    @property
    def name(self) -> str: ...
    def push(self, version: int, hash: str, payload: str, force: bool = False) -> bool: ...
    def forget(self) -> None: ...
    def read(self) -> str | None: ...
    def take_over(self) -> bool: ...
