"""This instance's block in a crontab: what it says, and that every byte around it stays."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adjutant.domain.schedule.crontab import (
    COMMAND_BYTES,
    encode,
    find_block,
    make_block,
    quote,
    replace_block,
    same_offsets,
    span,
)
from adjutant.errors import CronRefused

ROOT = "/srv/mine"
BEGIN, END = b"# BEGIN adjutant /srv/mine\n", b"# END adjutant /srv/mine\n"
ROWS = [("pulse", "0 9,17 * * 1-5"), ("review", "@daily")]


def block(root: str = ROOT, *, rows: list[tuple[str, str]] = ROWS, zone: str | None = None) -> list[str]:
    return make_block(root, f"{root}/state/cron.log", ["/opt/adjutant/bin/adjutant"], rows, zone)


MINE = encode(block())
LATER = encode(block(rows=ROWS[:1]))
LOOKALIKES = (
    b"# BEGIN adjutant",
    b"# BEGIN adjutant /srv/mine2",
    b"# END adjutant /srv/mine/",
    b"#BEGIN adjutant /srv/mine",
    b" # BEGIN adjutant /srv/mine",
    b"# BEGIN adjutant /srv/mine ",
    b"# END adjutant /srv/mine\r",
    b"# begin adjutant",
    b"# END adjutant /srv/other",
    b'MAILTO=""',
    b"PATH=/bin\r",
    b"",
    b"\r",
    b"@reboot /x",
    b"# caf\xe9",
    b"\xff\xfe",
    b"0 9 * * * x % BEGIN adjutant /srv/mine",
)
FOREIGN = st.lists(
    st.one_of(st.sampled_from(LOOKALIKES), st.binary(max_size=12).filter(lambda line: b"\n" not in line)),
    max_size=8,
).map(b"\n".join)
Change = Callable[[bytes, str, bytes], bytes]


def survives(change: Change, before: bytes, after: bytes) -> bool:
    """Whether the lines around the block come through a first install, a second, another one, and a removal."""
    table = before + after
    first = change(table, ROOT, MINE)
    inside = before + MINE + after
    return (
        first.replace(MINE, b"", 1) == table
        and change(first, ROOT, MINE) == first
        and change(first, ROOT, b"") == table
        and change(inside, ROOT, MINE) == inside
        and change(inside, ROOT, LATER) == before + LATER + after
        and change(inside, ROOT, b"") == table
    )


@settings(max_examples=400, deadline=None)
@given(FOREIGN, FOREIGN)
@example(b"", b"")
@example(b"0 5 * * * /bin/backup\r\n\r", b"no newline at the end")
def test_foreign_bytes_survive_install_reinstall_and_remove(before: bytes, after: bytes) -> None:
    assert survives(replace_block, before + b"\n" if before else b"", after)


def by_text(table: bytes, root: str, text: bytes) -> bytes:
    lines = table.decode("utf-8", "replace").splitlines()
    kept = [line for line in lines if line not in text.decode().splitlines()]
    return text + "".join(f"{line}\n" for line in kept).encode()


def by_name(table: bytes, root: str, text: bytes) -> bytes:
    return re.sub(rb"(?s)# BEGIN adjutant.*?# END adjutant[^\n]*\n", b"", table) + text


@pytest.mark.parametrize("careless", [by_text, by_name], ids=lambda change: change.__name__)
def test_a_change_that_loses_foreign_bytes_is_seen(careless: Change) -> None:
    assert not survives(careless, b"# caf\xe9\r\n", b"# BEGIN adjutant /srv/other\n# END adjutant /srv/other\n\n")
    assert survives(replace_block, b"# caf\xe9\r\n", b"# BEGIN adjutant /srv/other\n# END adjutant /srv/other\n\n")


def test_two_instances_have_two_blocks_and_each_takes_out_its_own() -> None:
    other = encode(block("/srv/mine too"))
    both = replace_block(replace_block(b"MAILTO=me\n", ROOT, MINE), "/srv/mine too", other)
    assert find_block(both, ROOT) == MINE
    assert find_block(both, "/srv/mine too") == other
    assert replace_block(both, ROOT, b"") == other + b"MAILTO=me\n"


@pytest.mark.parametrize(
    ("table", "line"),
    [
        (b"MAILTO=me\n" + BEGIN + b"0 9 * * * x\n", 2),
        (b"\n\n" + END, 3),
        (BEGIN + BEGIN + END, 1),
        (END + BEGIN, 1),
        (MINE + b"0 5 * * * x\n" + MINE, 1),
        (BEGIN + encode(block("/srv/other")) + END, 1),
        (BEGIN + b"# END adjutant /srv/other\n" + END, 1),
        (BEGIN + END.rstrip(b"\n") + b"\r\n", 1),
    ],
)
def test_a_block_damaged_by_hand_is_refused_with_its_line(table: bytes, line: int) -> None:
    for change in (
        lambda: span(table, ROOT),
        lambda: replace_block(table, ROOT, MINE),
        lambda: replace_block(table, ROOT, b""),
    ):
        with pytest.raises(CronRefused, match=rf"^crontab:{line}: BEGIN and END .*nothing was changed") as caught:
            change()
        assert "crontab -e" in caught.value.fix
        assert caught.value.details == {"line": line}


def test_a_block_says_what_it_is_and_holds_a_row_for_each_verb() -> None:
    begin, made_by, *rows, end = block()
    assert (f"{begin}\n{end}\n") == (BEGIN + END).decode()
    assert made_by.startswith("# ")
    assert "adjutant schedule install" in made_by
    assert rows == [
        f"{time} '/opt/adjutant/bin/adjutant' --root '/srv/mine' --quiet {verb} --if-due"
        " >>'/srv/mine/state/cron.log' 2>&1"
        for verb, time in ROWS
    ]


def test_without_a_schedule_there_is_no_block() -> None:
    assert block(rows=[]) == []
    assert encode(block(rows=[])) == b""


def test_in_another_zone_than_cron_every_row_asks_every_quarter_of_an_hour_and_says_why() -> None:
    _, _, why, *rows, _ = block(zone="Asia/Tokyo")
    assert why.startswith("# ")
    assert "cron knows no zones" in why
    assert "Asia/Tokyo" in why
    assert [row.split(" '")[0] for row in rows] == ["*/15 * * * *"] * 2
    assert "--if-due" in rows[0]


def test_python_stands_in_for_a_checkout_that_is_not_there() -> None:
    row = make_block(ROOT, "/log", ["/usr/bin/python 3", "-P", "-m", "adjutant"], ROWS[:1])[2]
    assert " '/usr/bin/python 3' -P -m adjutant --root '/srv/mine' " in row


@pytest.mark.parametrize("root", ["/srv/two\nlines", "/srv/nul\0"])
def test_a_path_that_no_crontab_can_hold_is_refused(root: str) -> None:
    with pytest.raises(CronRefused, match="line break"):
        block(root)


def test_a_row_that_cron_would_cut_is_refused() -> None:
    spare = COMMAND_BYTES - len(block(rows=ROWS[:1])[2].partition(" 1-5 ")[2])
    longest = ROOT + "x" * (spare // 2)
    assert block(longest, rows=ROWS[:1])
    for root in (longest + "x", ROOT + "ø" * (spare // 4 + 1)):
        with pytest.raises(CronRefused, match="longer than the 999 bytes"):
            block(root, rows=ROWS[:1])


# -- a path, cron and the shell ------------------------------------------------------------------------------


def debian(text: str, *, folds: bool) -> str:
    r"""What cron hands to the shell: `\%` is %, a bare % ends the command; with `folds`, `\\` is one backslash."""
    made, chars = "", iter(text)
    for char in chars:
        if char == "\\":
            after = next(chars, "")
            char = after if after == "%" or (folds and after == "\\") else char + after
        elif char == "%":
            break
        made += char
    return made


def shell(*words: str) -> list[str]:
    """The words as /bin/sh reads them."""
    done = subprocess.run(["/bin/sh", "-c", "printf '%s\\0' " + " ".join(words)], capture_output=True, check=True)
    return [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]]


ODD = (
    "/a b",
    "/it's",
    '/say "x"',
    "/100%",
    "/a\\b",
    "/a\\\\b",
    "/a\\%b",
    "/a\\'b",
    "/$HOME",
    "/`id`",
    "/ø/日本",
    "/tail\\",
    "/%",
    "/\\\\\\%'\"",
    "/a;b&c|d>e",
    "/*?[a]",
    "/~",
    "/#x",
    "/a\rb",
    "/a\tb",
    "/{}",
    os.fsdecode(b"/caf\xe9"),
)


@pytest.mark.parametrize("folds", [False, True], ids=["cron keeps two backslashes", "cron folds two backslashes"])
@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.sampled_from("ab \\%'\"$`!#&;ø{}"), max_size=9), max_size=12))
@example(list(ODD))
def test_every_path_reaches_the_program_as_it_is(folds: bool, paths: list[str]) -> None:
    assert shell(*(debian(quote(path), folds=folds) for path in paths)) == (paths or [""])


def test_quoting_that_forgets_cron_is_seen() -> None:
    import shlex  # the careless way

    wrong = [path for path in ODD if shell(debian(shlex.quote(path) + " ''", folds=False))[:1] != [path]]
    assert "/100%" in wrong


# -- zones ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Europe/Oslo", "Europe/Berlin", True),
        ("Etc/UTC", "Africa/Abidjan", True),
        ("Asia/Tokyo", "Asia/Seoul", True),
        ("Europe/Oslo", "Africa/Lagos", False),
        ("Europe/London", "Etc/UTC", False),
        ("Australia/Lord_Howe", "Australia/Sydney", False),
        ("America/New_York", "America/Havana", False),
        ("America/Phoenix", "America/Denver", False),
    ],
)
def test_zones_are_told_apart_by_what_they_show_in_two_years_not_by_name(one: str, other: str, same: bool) -> None:
    for now in (datetime(2026, 1, 10, tzinfo=UTC), datetime(2026, 7, 10, 12, 30, tzinfo=UTC)):
        assert same_offsets(ZoneInfo(one), ZoneInfo(other), now) is same
