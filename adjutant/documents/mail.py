"""DOCUMENTS. Mail (.eml): the head's fields and the words of the text part, with the lines they stand in."""

import email
import html
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import HeaderParser
from email.utils import getaddresses, parsedate_to_datetime
from itertools import islice
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from adjutant.documents.blocks import Field
from adjutant.language.pack import listed

HEAD = ("From", "To", "Cc", "Date", "Subject")
MAX_PARTS = 100  # the parser looks at every open part's end in every line
HEAD_CHARS, MAX_HEAD, NAME_CHARS = 1000, 12, 40
_ADDRESS = re.compile(r"\s*[<(][^<>()]*[>)]")
_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)  # of these alone, so that every letter keeps its place
_TAG, _BREAK = re.compile(r"<(/?)([a-z][a-z0-9]*)"), re.compile(r"[\n\v]")
_BLOCK = re.compile(r"address|blockquote|br|dd|div|dl|dt|h[1-6r]|li|ol|p|pre|table|tr|ul")
_INLINE = re.compile(r"a|b|code|em|font|i|small|span|strong|sub|sup|u")


class Mail(NamedTuple):
    """`body` are the text's lines, each with the line of the file it stands in, or near which."""

    head: tuple[Field, ...]
    body: list[tuple[int, str]]
    attachments: tuple[str, ...]


def read(text: str) -> Mail | None:
    """A mail; None of what has no head of one, or more parts than are looked at."""
    if text.lower().count("\ncontent-type: multipart/") > MAX_PARTS:
        return None
    try:
        message = email.message_from_string(text)
        head = tuple(_head(message, text))
        return Mail(head, *_parts(message, text)) if len(head) > 1 else None
    except (MessageError, LookupError, ValueError, RecursionError):
        return None


def _head(message: Message, text: str) -> Iterator[Field]:
    lines = text.partition("\n\n")[0].lower().split("\n")
    for name in HEAD:
        value = message.get(name)
        if value is not None:
            line = next((at for at, each in enumerate(lines, 1) if each.startswith(f"{name.lower()}:")), 1)
            yield Field(name, _decode(name, str(value)[:HEAD_CHARS]), line)


def _parts(message: Message, text: str) -> tuple[list[tuple[int, str]], tuple[str, ...]]:
    """(lines of the text parts, of the HTML ones where there are no others; names of what is attached)."""
    parts = [part for part in message.walk() if not part.is_multipart()]
    texts = [part for part in parts if not part.get_filename()]
    plain = [part for part in texts if part.get_content_type() == "text/plain"]
    body: list[tuple[int, str]] = []
    at = line = 0
    for part in plain or [part for part in texts if part.get_content_type() == "text/html"]:
        raw = str(part.get_payload())
        begin = max(at, text.find(raw, at))
        line += text.count("\n", at, begin)
        body += _lines(part, raw, line + 1)
        at = begin
    return body, tuple(_whole(str(part.get_filename()))[:HEAD_CHARS] for part in parts if part.get_filename())


def _whole(text: str) -> str:
    """What was decoded, `?` in place of half a character, which UTF-7 and others let through and no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _decode(name: str, value: str) -> str:
    """A header's words; a date as `2026-11-20 10:30`, in the time of its sender."""
    try:
        if name == "Date":
            return f"{parsedate_to_datetime(value):%Y-%m-%d %H:%M}"
        return " ".join(_whole(str(make_header(decode_header(value)))).split())
    except (LookupError, ValueError, TypeError, MessageError):
        return value


def _lines(part: Message, raw: str, begin: int) -> Iterator[tuple[int, str]]:
    """(line of the file, text); those of a part that is encoded stand near it, never beyond the part's end."""
    last = begin + raw.count("\n")
    if str(part.get("Content-Transfer-Encoding", "")).lower().strip() in ("base64", "quoted-printable"):
        data = part.get_payload(decode=True)
        if isinstance(data, bytes):
            raw = _whole(data.decode(part.get_content_charset() or "utf-8", "replace")).replace("\r\n", "\n")
    if part.get_content_type() == "text/html":
        raw = without_tags(raw)
    for at, line in enumerate(raw.split("\n")):
        yield from ((min(begin + at, last), part) for part in line.split("\v"))


def read_typed_head(lines: Sequence[str], first: int, least: int = 2) -> list[Field]:
    """The head of a mail that somebody pasted into a page, of so many names; `first`: number of lines[0]."""
    found: list[Field] = []
    for line, text in enumerate(lines, first):
        name, colon, value = text.partition(":")
        said = name.strip().lower()
        if not colon or not any(said in listed("pages", f"mail.{key}") for key in ("from", "to", "date", "subject")):
            break
        found.append(Field(name.strip(), " ".join(value.split())[:HEAD_CHARS], line))
    return found if len({field.name.lower() for field in found}) >= least else []


def is_sender(line: str) -> bool:
    """Whether a line of a page says who wrote the letter below it."""
    name, colon, value = line.partition(":")
    return bool(colon and value.strip()) and name.strip().lower() in listed("pages", "mail.from")


def name_of(head: Sequence[Field]) -> str:
    """The name that a head gives its sender, without an address or a house; "" where it has only an address."""
    names = (field.value for field in head if field.name.lower() in listed("pages", "mail.from"))
    name = _ADDRESS.sub("", next(names, "")).partition(",")[0].strip(" \"'")
    return name if len(name) <= NAME_CHARS and "@" not in name else ""


def without_tags(text: str) -> str:
    """HTML as text: tags, scripts and styles taken out, line for line. `\\v` stands where a paragraph begins or ends,
    `>` before the lines of a quotation."""
    kept, at, lower, depth = list[str](), 0, text.translate(_SMALL), 0
    while (begin := text.find("<", at)) >= 0:
        kept.append(_quote(text[at:begin], depth))
        tag = _TAG.match(lower, begin)
        name, ends = (tag[2], bool(tag[1])) if tag else ("", False)
        end = lower.find(f"</{name}", begin) if name in ("script", "style") and not ends else begin
        end = text.find(">", end) if end >= 0 else end
        if end < 0:
            return html.unescape("".join(kept))
        if name == "blockquote":
            depth = max(0, depth - 1 if ends else depth + 1)
        broken = "\n" * text.count("\n", begin, end + 1) + "\v" * bool(_BLOCK.fullmatch(name))
        kept.append(_quote(broken or " " * (not _INLINE.fullmatch(name)), depth))
        at = end + 1
    return html.unescape("".join([*kept, _quote(text[at:], depth)]))


def _quote(text: str, depth: int) -> str:
    return _BREAK.sub("\\g<0>> ", text) if depth else text


# -- letters of a mailbox ------------------------------------------------------------------------------------
MANY, HEADER_CHARS, MAX_REFERENCES = 10, 65_536, 30  # recipients of what is written to nobody in person
MOST_LETTERS, MOST_CHARS = 5000, 1 << 20  # of an mbox, the last; of one letter
MOST_LINES, LINE_CHARS = 200, 1000  # of what its sender wrote
_REPLY = re.compile(r"\s*(?:\w{2,4}(?:\[\d+\])?:\s*)+")  # Re: AW: SV: Fwd:
_ID = re.compile(r"<[^<>\s]{1,300}>")
_ROBOT = re.compile(r"(?:no|do-?not)[-_.]?reply|mailer-daemon|postmaster|bounce", re.IGNORECASE)
_RULE = re.compile(r"\s*(?:-{2,}\s*\S.*\S\s*-{2,}|_{8,}|-{8,}|-- )\s*$")  # above what is forwarded, below what is said


class Letter(NamedTuple):
    """A mail, its addresses in small letters. `subject`: without the marks of a `reply`; `robot`: a list or a program
    wrote it; `received`: it came from outside; `said`: its own lines, without what it quotes."""

    id: str
    references: tuple[str, ...]
    name: str
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    subject: str
    reply: bool
    moment: datetime
    robot: bool
    received: bool
    said: list[tuple[int, str]]


def letters(text: str, path: str) -> Iterator[Letter]:
    """The mails of a file: of a Maildir or an .eml, which holds one, or an mbox. What is none is passed over."""
    lines = text.split("\n")
    starts = [at + 1 for at, line in enumerate(lines) if line.startswith("From ") and not (at and lines[at - 1])]
    starts = starts[-MOST_LETTERS:] or [0] * is_single(path)
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        found = _letter("\n".join(lines[begin:end])[:MOST_CHARS], begin)
        if found is not None:
            yield found


def is_single(path: str) -> bool:
    """Whether a file holds one mail: by its folder in a Maildir or its name."""
    return path.lower().endswith(".eml") or path.split("/")[-2:-1] in (["cur"], ["new"])


def may_be_mail(path: str) -> bool:
    """Whether a file may hold mail: an mbox has any name, or none of a kind."""
    folder, _, name = path.rpartition("/")
    return is_single(path) or name.lower().endswith(".mbox") or ("." not in name and not folder.endswith("tmp"))


def _letter(text: str, above: int) -> Letter | None:
    found = read(text)
    if found is None:
        return None
    heads = HeaderParser().parsestr(text.partition("\n\n")[0][:HEADER_CHARS])

    def every(name: str) -> str:
        return str(heads.get(name) or "")

    (sender, *_), to, cc = (getaddresses([every(name)[:HEAD_CHARS]]) or [("", "")] for name in ("From", "To", "Cc"))
    try:
        moment = parsedate_to_datetime(every("Date"))
    except (ValueError, TypeError, IndexError):
        return None
    to_list = any(heads.get(name) for name in ("List-Unsubscribe", "List-Id", "Feedback-ID"))
    to_list = to_list or every("Precedence").lower() in ("bulk", "list", "junk")
    robot = every("Auto-Submitted").lower() not in ("", "no") or _ROBOT.search(sender[1]) is not None
    crowd = len(every("To")) > HEAD_CHARS or len(to) > MANY
    ids = dict.fromkeys(_ID.findall(f"{every('References')[-4 * HEAD_CHARS :]} {every('In-Reply-To')}"))
    subject = _decode("Subject", every("Subject")[:HEAD_CHARS])
    reply = _REPLY.match(subject)
    return Letter(
        next(iter(_ID.findall(every("Message-ID"))), ""),
        tuple(ids)[-MAX_REFERENCES:],
        _decode("From", sender[0]),
        sender[1].lower(),
        tuple(each.lower() for _, each in to),
        tuple(each.lower() for _, each in cc),
        subject[reply.end() if reply else 0 :].strip(),
        reply is not None,
        moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC),
        to_list or robot or crowd,
        "Received" in heads,
        [(above + line, words[:LINE_CHARS]) for line, words in islice(_own(found.body), MOST_LINES)],
    )


def _own(body: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The lines that the sender wrote: nothing quoted or forwarded, no line that leads to that, no signature."""
    said = [line for _, line in body]
    for at, (line, words) in enumerate(body):
        if _RULE.match(words[: HEAD_CHARS // 10]) or read_typed_head(said[at : at + MAX_HEAD], 1):
            return
        follows = next((each for each in said[at + 1 : at + 3] if each.strip()), "")
        if not words.startswith(">") and not (words.rstrip().endswith(":") and follows.startswith(">")):
            yield line, words
