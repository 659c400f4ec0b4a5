"""From text to signals in time linear in the length of the text, whatever the text is."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from adjutant.records.heart import Heart
from tests.noticing import signals

pytestmark = pytest.mark.sweep

SMALL, TIMES, BOUND = 400, 20, 5.0  # 20 times the text may take 100 times as long: a square takes 400 times
HEART = Heart(["Bakery opening: oven, permit and bakers ready"], ["Oven supplier Halvorsen"], ["Garden"])
SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "comments begun": ("a.md", lambda n: "<!--" * n * 10),
    "levels of a list": ("a.md", lambda n: "".join(f"{' ' * (i % 300)}- [ ] a{i} by Friday\n" for i in range(n))),
    "ticked levels of a list": ("a.md", lambda n: "".join(f"{' ' * (i % 300)}- [x] a{i}\n" for i in range(n))),
    "indented YAML": ("a.yaml", lambda n: "".join(f"{' ' * (i % 90)}due{i}:\n" for i in range(n))),
    "tables of one row": ("a.md", lambda n: "| due | status |\n|---|---|\n| 2026-11-25 | odd |\n\n" * n),
    "rows of a table": ("a.md", lambda n: "| due | status |\n|---|---|\n" + "| 2026-11-25 | open |\n" * n * 4),
    "columns of dates": ("a.csv", lambda n: f"{','.join(f'due {i}' for i in range(n))}\n{'2026-11-25,' * n}\n"),
    "columns of one name": ("a.csv", lambda n: f"{'due,' * n}\n{'2026-11-25,' * n}\n"),
    "records": ("a.yaml", lambda n: "- what: a\n  due: 2026-11-25\n  status: open\n" * n),
    "dates in one line": ("a.md", lambda n: "by Friday 27 November 10:30 " * n),
    "deadline words in one line": ("a.md", lambda n: "by before until due 24/11 " * n),
    "promises in one line": ("a.md", lambda n: "I promised Bo 24 Nov " * n),
    "marks in one line": ("a.md", lambda n: "📅 2026-11-25 ✅ due:: " * n),
    "tags in one line": ("a.md", lambda n: "#waiting @blocked " * n),
    "quotation marks": ("a.md", lambda n: '"by Friday ' * n),
    "opening quotation marks": ("a.md", lambda n: "“by Friday " * n),
    "words without blanks": ("a.md", lambda n: "by" * n * 10),
    "colons": ("a.md", lambda n: "a:" * n * 10),
    "the same task": ("a.md", lambda n: "- [ ] Hand in the fire plan by Friday\n" * n),
    "tasks that share a word": ("a.md", lambda n: "".join(f"- [ ] Hand in plan{i} by Friday\n" for i in range(n))),
    "closing lines": ("a.md", lambda n: "".join(f"- [ ] plan{i % 9} of ann{i}\n- [x] plan{i % 9}\n" for i in range(n))),
    "boxes below a long heading": (
        "a.md",
        lambda n: f"# {'by the way ' * (n // 4)}\n\n" + "- [ ] Hand in the plan\n" * n,
    ),
    "headings with states": ("a.md", lambda n: "".join(f"{'#' * (1 + i % 6)} h{i} (blocked)\n" for i in range(n))),
    "events": (
        "a.ics",
        lambda n: (
            "BEGIN:VCALENDAR\n"
            + "BEGIN:VEVENT\nSUMMARY:x\nDTSTART:20261124T103000\nEND:VEVENT\n" * n
            + "END:VCALENDAR\n"
        ),
    ),
}


def seconds(path: str, text: str) -> float:
    begun = time.process_time()
    signals({path: text}, HEART)
    return time.process_time() - begun


@pytest.mark.parametrize("shape", SHAPES)
def test_twenty_times_the_text_takes_twenty_times_as_long(shape: str) -> None:
    path, made = SHAPES[shape]
    seconds(path, "")
    small = min(seconds(path, made(SMALL)) for _ in range(2))
    large = seconds(path, made(SMALL * TIMES))
    assert large <= max(small, 0.01) * TIMES * BOUND


def test_many_small_files_take_time_linear_in_their_number() -> None:
    def spent(count: int) -> float:
        files = {f"n{i}.md": f"- [ ] Hand in plan {i} of the permit by Friday\n" for i in range(count)}
        begun = time.process_time()
        signals(files, HEART)
        return time.process_time() - begun

    assert spent(2000) <= max(spent(200), 0.02) * 10 * BOUND
