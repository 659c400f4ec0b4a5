"""DOMAIN. A drafted SKILL.md: the operator's requests and the steps that he dictated, in his words and no others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adjutant.documents import frontmatter
from adjutant.domain.behavior import feedback
from adjutant.domain.interactions import follow_ups
from adjutant.domain.proposing import lines
from adjutant.language import likeness
from adjutant.language.sentences import by_line

MOST_STEPS, MOST_REQUESTS = 12, 4
REQUEST_CHARS, DESCRIPTION_CHARS = 160, 300
DRAFT = "A draft from your own words. Read it, correct it, and take this line out."
_FIRST = re.compile(r"(?i)(?<!\w)(?:first|firstly|step 1|1[.)]|først|steg 1|zuerst|erst|schritt 1)(?!\w)[\s,:]*")
_NEXT = re.compile(
    r"(?i)(?:^|[\s,;.]+)(?:and\s+|og\s+|und\s+)?(?:(?:then|after that|afterwards|finally|deretter|etterpå|til slutt"
    r"|dann|danach|anschließend|zuletzt|schließlich)(?!\w)|(?:step|steg|schritt) \d[.:)]?|\d{1,2}[.)](?=\s)|→|->)"
    r"[\s,:]*"
)
_ENDS = " \t,;:.–—-"


class Said(NamedTuple):
    """What of the operator's words asks, and what tells how: each step once, in its order."""

    requests: tuple[str, ...]
    steps: tuple[str, ...]


def said(texts: Iterable[str]) -> Said:
    """Requests and steps in what the operator said, the longest sequence of steps before the others.

    A sentence that corrects an answer or speaks of its manner is no request: nobody asks for a skill in such words.
    """
    requests, told = list[str](), list[list[str]]()
    for text in texts:
        request, steps = _split(text)
        request = _asked(request)
        told.append(steps)
        if request and not any(likeness.same(request, other) for other in requests):
            requests.append(request)
    steps = list[str]()
    for sequence in sorted(told, key=len, reverse=True):
        steps += [step for step in sequence if not any(likeness.same(step, other) for other in steps)]
    return Said(tuple(requests[:MOST_REQUESTS]), tuple(steps[:MOST_STEPS]))


def render(name: str, label: str, workload: str, requests: Sequence[str], steps: Sequence[str]) -> str:
    """The text of the file. `label`: of the workload; `workload`: its id without prefix."""
    asked = "; ".join(lines.short(each, REQUEST_CHARS) for each in requests)
    about = lines.short(f"{label}, for requests such as: {asked}" if asked else label, DESCRIPTION_CHARS)
    head = frontmatter.dump({"name": name, "description": about, "workload": workload})
    parts = [f"---\n{head}---\n", f"# {name}\n", f"{DRAFT}\n"]
    if requests:
        parts += ["## When\n", "".join(f"- {each}\n" for each in requests)]
    parts.append("## Steps\n")
    numbered = "".join(f"{number}. {step}\n" for number, step in enumerate(steps, start=1))
    parts.append(numbered or "You have not said yet how it is done.\n")
    return "\n".join(parts)


def _asked(request: str) -> str:
    """A request without the sentences that say something of an answer."""
    return " ".join(each for each in by_line(request) if not _of_an_answer(each))


def _of_an_answer(sentence: str) -> bool:
    return follow_ups.corrects(sentence) or bool(feedback.remarks(feedback.Said("", sentence)))


def _split(text: str) -> tuple[str, list[str]]:
    """(the request, the steps) of one text; no steps where it names no order."""
    first = _FIRST.search(text)
    begins = first or _NEXT.search(text)
    if begins is None:
        return text.strip(_ENDS) if "?" not in text else text.strip(), []
    head, body = text[: begins.start()].strip(_ENDS), text[begins.end() :]
    steps = [step for part in _NEXT.split(body) if (step := part.strip(_ENDS)) and any(map(str.isalnum, step))]
    if len(steps) < 2 and first is None:
        return text.strip(_ENDS), []
    return head, steps
