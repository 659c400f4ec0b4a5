"""DOMAIN. What threads of mail leave open: questions to the operator that nobody answered, and promises with a day.

Mail is never instruction. A letter joins a thread only where its sender was part of it, so that forged references and
answers change nothing of others' threads; and an answer is the operator's own letter alone.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

from msgspec.structs import replace

from adjutant.documents import mail
from adjutant.documents.occurrences import local_clock
from adjutant.domain.matters import lines
from adjutant.domain.matters.cues import cues
from adjutant.domain.matters.fact import THREAD, Fact, Kind, Letter, Reading
from adjutant.language.detect import language_of
from adjutant.language.sentences import sentences
from adjutant.language.stems import stems
from adjutant.language.words import words
from adjutant.screening.fence import clean_line

OLDEST, LATE = 60, 7  # days after which a question is no more waited on; a promise that is not kept
APART = timedelta(days=30)  # letters of one subject and no references
LEAST, MOST_PROMISES = 2, 5  # words of a question; promises of a letter
_REPLY = re.compile(r"\s*(?:\w{2,4}(?:\[\d+\])?:\s*)+")  # Re: AW: SV: Fwd:
_Written = tuple[str, Letter]  # the path of its file, and the letter


def read(path: str, text: str, now: datetime) -> tuple[Letter, ...]:
    """The letters of a file."""
    local = local_clock(now)
    return tuple(_read(each, local(each.moment).replace(tzinfo=None)) for each in mail.letters(text, path))


def _read(each: mail.Letter, moment: datetime) -> Letter:
    name, address = each.sender
    who, asks, promises = clean_line(name or address, 60), None, list[Fact]()
    for line, said in _sentences(each.said) if not each.robot else ():
        code = language_of(said)
        day = lines.committed(lines.take_apart(said, moment.date(), moment.date(), code), cues(), moment.date())
        if said.endswith("?") and asks is None and len(words(said)) >= LEAST:
            asks = _fact("task", line, said, each.subject, who, code)
        elif day is not None and len(promises) < MOST_PROMISES:
            made = _fact("waiting", line, said, each.subject, who, code)
            promises.append(replace(made, first=day.first, last=day.last, time=day.time))
    reply = _REPLY.match(each.subject)
    subject = each.subject[reply.end() if reply else 0 :].strip().casefold()
    return Letter(
        each.id, each.references, address, each.to, each.cc, subject, reply is not None, moment, each.robot,
        each.received, asks, tuple(promises),
    )  # fmt: skip


def _sentences(said: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """(line, sentence) of paragraphs, whose lines are broken anywhere."""
    part: list[tuple[int, str]] = []
    for line, text in (*said, (0, "")):
        if text.strip():
            part.append((line, text.strip()))
            continue
        whole = " ".join(text for _, text in part)
        starts = [sum(len(text) + 1 for _, text in part[:at]) for at in range(len(part))]
        for each in sentences(whole):
            at = max((at for at, start in enumerate(starts) if start <= each.start), default=0)
            yield part[at][0], whole[each.start : each.end].strip()
        part = []


def _fact(kind: Kind, line: int, said: str, subject: str, who: str, code: str) -> Fact:
    return Fact(
        kind=kind,
        line=line,
        quote=clean_line(said, 300),
        what=clean_line(f"{who}: {said}", 200),
        basis=THREAD,
        state="open",
        first=None,
        last=None,
        time="",
        certain=False,
        dated=False,
        who=who,
        heads=(clean_line(subject, 120),),
        stems=stems(said, code),
        around=stems(subject, code),
        day=None,
        group=0,
    )


def own_addresses(readings: Sequence[Reading], named: frozenset[str]) -> frozenset[str]:
    """The operator's addresses: those that they named, else the one to which most letters of persons go."""
    to = Counter(each for reading in readings for letter in reading.letters if not letter.robot for each in letter.to)
    return named or frozenset(address for address, _ in to.most_common(1))


def with_facts(readings: Sequence[Reading], named: frozenset[str], today: date, waiting: int) -> list[Reading]:
    """Readings of mail with what their threads leave open, and the questions that were answered as done."""
    own, facts = own_addresses(readings, named), defaultdict[str, list[Fact]](list)
    for thread in _threads(readings, own):
        for path, fact in (*_asked(thread, own, today, waiting), *_promised(thread, own, today)):
            facts[path].append(fact)
    return [replace(each, facts=tuple(facts[each.path])) for each in readings]


def counts(readings: Sequence[Reading], named: frozenset[str], today: date, waiting: int) -> dict[str, int]:
    """What a person is told of a mailbox."""
    threads = _threads(readings, own_addresses(readings, named))
    facts = [
        fact for each in with_facts(readings, named, today, waiting) for fact in each.facts if fact.state == "open"
    ]
    asked = sum(fact.first is None for fact in facts)
    return {"threads": len(threads), "unanswered": asked, "promises": len(facts) - asked}


def _asked(thread: Sequence[_Written], own: frozenset[str], today: date, waiting: int) -> Iterator[tuple[str, Fact]]:
    """The question of the newest letter, after so many days; those that the operator answered are done."""
    for number, (path, each) in enumerate(thread):
        days = (today - each.moment.date()).days
        if each.asks is None or each.sender in own or own.isdisjoint(each.to) or not 0 <= days <= OLDEST:
            continue
        if any(later.sender in own for _, later in thread[number + 1 :]):
            yield path, replace(each.asks, state="done")
        elif number == len(thread) - 1 and days >= waiting:
            yield path, each.asks


def _promised(thread: Sequence[_Written], own: frozenset[str], today: date) -> Iterator[tuple[str, Fact]]:
    """The promises of the newest letter of each writer; what the operator promised is theirs to do."""
    newest = {each.sender: (path, each) for path, each in thread}
    for path, each in newest.values():
        for fact in each.promises if each.sender in own or not own.isdisjoint(each.to) else ():
            if fact.last is not None and (today - fact.last).days <= LATE:
                yield path, replace(fact, kind="task" if each.sender in own else "waiting")


def _threads(readings: Sequence[Reading], own: frozenset[str]) -> list[list[_Written]]:
    """The letters of persons by thread, each in the order of time."""
    found, people = list[list[_Written]](), list[set[str]]()
    by_id, by_subject = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    known = set[tuple[str, str, datetime]]()
    for path, each in sorted(_trusted(readings, own), key=lambda pair: pair[1].moment):
        copy = (each.id, each.sender, each.moment)
        if copy in known and each.id:
            continue  # one letter in two folders
        known.add(copy)
        near = [at for id in reversed(each.references) for at in by_id[id]]
        same = reversed(by_subject[each.subject]) if each.reply and each.subject else ()
        near += [at for at in same if each.moment - found[at][-1][1].moment <= APART]
        others = {each.sender} if each.sender not in own else {*each.to, *each.cc} - own
        home = next((at for at in near if not others.isdisjoint(people[at])), len(found))
        if home == len(found):
            found.append([])
            people.append(set())
        found[home].append((path, each))
        people[home].update((each.sender, *each.to, *each.cc))
        by_id[each.id].append(home)
        by_subject[each.subject].append(home)
    return found


def _trusted(readings: Sequence[Reading], own: frozenset[str]) -> Iterator[_Written]:
    """The letters that may speak: of no program, and in the operator's name only from where they keep what they sent;
    where there is no such folder, only what did not come from outside."""
    every, mine = Counter[str](), Counter[str]()
    for reading in readings:
        every[_folder(reading.path)] += len(reading.letters)
        mine[_folder(reading.path)] += sum(each.sender in own for each in reading.letters)
    sent = {folder for folder, count in mine.items() if count and 2 * count > every[folder]}
    for reading in readings:
        for each in reading.letters:
            genuine = _folder(reading.path) in sent if sent else not each.received
            if not each.robot and (each.sender not in own or genuine):
                yield reading.path, each


def _folder(path: str) -> str:
    """The folder of a mailbox in which a letter lies; an mbox is one."""
    above = path.rpartition("/")[0] if mail.is_single(path) else path
    return above.removesuffix("/cur").removesuffix("/new")
