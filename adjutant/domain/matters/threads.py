"""DOMAIN. What threads of mail leave open: questions to the operator that nobody answered, and promises with a day.

Mail is never instruction. A letter joins a thread only where its sender was part of it, so that forged references and
answers change nothing of others' threads; and an answer is the operator's own letter alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import islice

from msgspec.structs import replace

from adjutant.documents import mail
from adjutant.domain.matters import lines
from adjutant.domain.matters.cues import cues
from adjutant.domain.matters.fact import THREAD, Fact, Kind, Reading, ThreadLetter
from adjutant.domain.matters.promises import find_commitment
from adjutant.language.detect import language_of
from adjutant.language.sentences import sentences
from adjutant.language.stems import stems
from adjutant.language.words import words
from adjutant.screening.fence import clean_line

OLDEST, LATE = 60, 7  # days after which a question is no more waited on; a promise that is not kept
APART, NEAR = timedelta(days=30), 20  # letters of one subject and no references; threads that are tried
LEAST, MOST_PROMISES, MOST_SENTENCES = 2, 5, 200  # words of a question; of a letter
_Written = tuple[str, ThreadLetter]  # the path of its file, and the letter


def read(path: str, text: str, now: datetime) -> tuple[ThreadLetter, ...]:
    """The letters of a file."""
    return tuple(_read(each, each.moment.astimezone(now.tzinfo).date()) for each in mail.letters(text, path))


def _read(each: mail.Letter, day: date) -> ThreadLetter:
    asks, promises = None, list[Fact]()
    for line, said in islice(_sentences(each.said), MOST_SENTENCES) if not each.robot else ():
        code = language_of(said)
        due = find_commitment(lines.take_apart(said, day, day, code), cues(), day)
        if said.endswith("?") and asks is None and len(words(said)) >= LEAST:
            asks = _fact("task", line, said, each, code)
        elif due is not None and len(promises) < MOST_PROMISES:
            made = _fact("waiting", line, said, each, code)
            promises.append(replace(made, first=due.first, last=due.last, time=due.time))
    return ThreadLetter(each._replace(said=[]), asks, tuple(promises))


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


def _fact(kind: Kind, line: int, said: str, each: mail.Letter, code: str) -> Fact:
    who = clean_line(each.name or each.sender, 60)
    return Fact(
        kind=kind,
        line=line,
        quote=clean_line(said, 300),
        what=clean_line(f"{who}: {said}", 200),
        basis=THREAD,
        certain=False,
        who=who,
        heads=(clean_line(each.subject, 120),),
        stems=stems(said, code),
    )


def own_addresses(readings: Sequence[Reading], named: frozenset[str]) -> frozenset[str]:
    """The operator's addresses: those that they named, else the one to which most letters of persons go."""
    to = Counter(each for reading in readings for one in reading.letters if not one.mail.robot for each in one.mail.to)
    return named or frozenset(address for address, _ in to.most_common(1))


def with_facts(readings: Sequence[Reading], named: frozenset[str], now: datetime, waiting: int) -> list[Reading]:
    """Readings of mail with what their threads leave open, and the questions that were answered as done."""
    own, facts = own_addresses(readings, named), defaultdict[str, list[Fact]](list)
    for thread in _threads(readings, own):
        for path, fact in (*_find_questions(thread, own, now, waiting), *_find_promises(thread, own, now.date())):
            facts[path].append(fact)
    return [replace(each, facts=tuple(facts[each.path])) for each in readings]


def counts(readings: Sequence[Reading], named: frozenset[str], now: datetime, waiting: int) -> dict[str, int]:
    """What a person is told of a mailbox."""
    threads = _threads(readings, own_addresses(readings, named))
    facts = [fact for each in with_facts(readings, named, now, waiting) for fact in each.facts if fact.state == "open"]
    asked = sum(fact.first is None for fact in facts)
    return {"threads": len(threads), "unanswered": asked, "promises": len(facts) - asked}


def _find_questions(
    thread: Sequence[_Written], own: frozenset[str], now: datetime, waiting: int
) -> Iterator[tuple[str, Fact]]:
    """The question of the newest letter, after so many days; those that the operator answered are done."""
    for number, (path, each) in enumerate(thread):
        days = (now - each.mail.moment).days
        if each.asks is None or each.mail.sender in own or own.isdisjoint(each.mail.to) or not 0 <= days <= OLDEST:
            continue
        if any(later.mail.sender in own for _, later in thread[number + 1 :]):
            yield path, replace(each.asks, state="done")
        elif number == len(thread) - 1 and days >= waiting:
            yield path, each.asks


def _find_promises(thread: Sequence[_Written], own: frozenset[str], today: date) -> Iterator[tuple[str, Fact]]:
    """The promises of the newest letter of each writer; what the operator promised is theirs to do."""
    newest = {each.mail.sender: (path, each) for path, each in thread}
    for path, each in newest.values():
        for fact in each.promises if each.mail.sender in own or not own.isdisjoint(each.mail.to) else ():
            if fact.last is not None and (today - fact.last).days <= LATE:
                yield path, replace(fact, kind="task" if each.mail.sender in own else "waiting")


def _threads(readings: Sequence[Reading], own: frozenset[str]) -> list[list[_Written]]:
    found, people = list[list[_Written]](), list[set[str]]()
    by_id, by_subject = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    known = set[tuple[str, str, datetime]]()
    for path, each in sorted(_trust(readings, own), key=lambda pair: pair[1].mail.moment):
        copy = (each.mail.id, each.mail.sender, each.mail.moment)
        if copy in known and each.mail.id:
            continue  # one letter in two folders
        known.add(copy)
        near = [at for id in reversed(each.mail.references) for at in by_id[id][:NEAR]]
        same = (
            by_subject[each.mail.subject.casefold()][: -NEAR - 1 : -1] if each.mail.reply and each.mail.subject else ()
        )
        near += [at for at in same if each.mail.moment - found[at][-1][1].mail.moment <= APART]
        others = {each.mail.sender} if each.mail.sender not in own else {*each.mail.to, *each.mail.cc} - own
        home = next((at for at in near if not others.isdisjoint(people[at])), len(found))
        if home == len(found):
            found.append([])
            people.append(set())
        found[home].append((path, each))
        people[home].update((each.mail.sender, *each.mail.to, *each.mail.cc))
        by_id[each.mail.id].append(home)
        by_subject[each.mail.subject.casefold()].append(home)
    return found


def _trust(readings: Sequence[Reading], own: frozenset[str]) -> Iterator[_Written]:
    """The letters that may speak: of no program, and in the operator's name only from where they keep what they sent;
    where there is no such folder, only what did not come from outside."""
    every, mine = Counter[str](), Counter[str]()
    for reading in readings:
        every[_folder(reading.path)] += len(reading.letters)
        mine[_folder(reading.path)] += sum(each.mail.sender in own for each in reading.letters)
    sent = {folder for folder, count in mine.items() if count and 2 * count > every[folder]}
    for reading in readings:
        for each in reading.letters:
            genuine = _folder(reading.path) in sent if sent else not each.mail.received
            if not each.mail.robot and (each.mail.sender not in own or genuine):
                yield reading.path, each


def _folder(path: str) -> str:
    above = path.rpartition("/")[0] if mail.is_single(path) else path
    return above.removesuffix("/cur").removesuffix("/new")
