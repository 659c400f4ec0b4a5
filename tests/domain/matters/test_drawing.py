"""The picture over days: what is news, what marks and quiet zones do, what a folder that cannot be read keeps."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adjutant.domain.matters import drawing
from adjutant.domain.matters.drawing import Drawing
from adjutant.domain.matters.picture import Open, sections
from adjutant.domain.matters.signal import Evidence
from adjutant.records import matters_log
from adjutant.records.heart import Heart
from tests.noticing import TODAY
from tests.picturing import Vault, made

RENT = "- [ ] Pay the rent of the workshop by {} November"


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "mine", "home", "shop")


def tasks(vault: Vault, *lines: str, path: str = "home/tasks.md") -> None:
    vault.write(path, "\n".join(("# Tasks", "", *lines, "")))


# -- news ----------------------------------------------------------------------------------------------------


def test_what_was_never_told_is_news_and_what_was_told_is_none(vault: Vault) -> None:
    tasks(vault, RENT.format(30))
    assert list(vault.news().values()) == ["new"]
    (id,) = vault.ids().values()
    vault.tell(id)
    assert [vault.news(day) for day in range(4)] == [{}] * 4, "on day 4 it is high"


def test_a_day_that_changed_is_news_and_a_line_that_only_moved_or_was_reworded_is_none(vault: Vault) -> None:
    tasks(vault, RENT.format(30))
    vault.tell(*vault.ids().values())
    tasks(vault, "Words above it.", "", RENT.format(30))
    assert vault.news(1) == {}
    tasks(vault, RENT.format(30).replace("Pay", "Pay Ola"))
    assert vault.news(1) == {}
    tasks(vault, RENT.format(29))
    assert list(vault.news(1).values()) == ["its day changed"]
    vault.tell(*vault.ids(1).values(), day=1)
    assert vault.news(2) == {}


def test_what_grew_graver_is_news_and_what_grew_milder_is_none(vault: Vault) -> None:
    tasks(vault, RENT.format(30))  # a week ahead: medium
    vault.tell(*vault.ids().values())
    assert vault.news(3) == {}
    assert list(vault.news(4).values()) == ["it is graver"]
    vault.tell(*vault.ids(4).values(), day=4)
    assert vault.news(5) == {}
    tasks(vault, "BLOCKED: " + RENT.format(30)[6:])
    (id,) = vault.ids(5).values()
    vault.tell(id, day=5)
    tasks(vault, RENT.format(30))
    assert [(each.id, each.severity) for each in vault.look(6).matters] == [(id, "high")]
    assert vault.news(6) == {}


def test_what_grows_graver_by_time_alone_waits_for_three_days_without_a_word(vault: Vault) -> None:
    tasks(vault, "BLOCKED: " + RENT.format(28)[6:])  # day 5: grave from day 2, critical from day 3 on
    (id,) = vault.ids(2).values()
    vault.tell(id, day=2)
    assert [vault.news(day) for day in (3, 4)] == [{}] * 2
    assert list(vault.news(5).values()) == ["it is graver"]


def test_what_waits_for_the_operator_by_name_is_a_task_of_theirs(vault: Vault) -> None:
    tasks(vault, "- [ ] Mira: order the skip", "- [ ] Tom: order the sand")
    assert {each.who: each.kind for each in vault.look().matters} == {"Mira": "waiting", "Tom": "waiting"}
    vault.write("identity/user.md", "- Mira Solberg, engineer\n")
    assert {each.who: each.kind for each in vault.look().matters} == {"": "task", "Tom": "waiting"}


@pytest.mark.parametrize(("day", "last"), [(4, None), (5, 8), (6, 8)])
def test_on_a_day_without_a_pulse_only_what_the_next_one_is_too_late_for_is_spoken_of(
    vault: Vault, day: int, last: int | None
) -> None:
    app = vault.app(day)
    assert drawing.free_until(app.config, app.clock.now()) == (last and TODAY + timedelta(days=last))


@pytest.mark.parametrize(("told", "again"), [(2, 5), (3, 6), (4, 7), (5, 30)])
def test_that_its_day_came_is_news_after_three_days_without_a_word(vault: Vault, told: int, again: int) -> None:
    tasks(vault, RENT.format(28))  # day 5; grave from day 2 on
    (id,) = vault.ids(told).values()
    vault.tell(id, day=told)
    found = {day: list(news.values()) for day in range(told, 12) if (news := vault.news(day))}
    assert found == {day: ["its day has come"] for day in range(again, 12)}
    vault.tell(id, day=9)
    assert [vault.news(day) for day in range(9, 30)] == [{}] * 21, "what was told on its day or later is not retold"


def test_a_notice_that_failed_told_nothing_and_a_digest_told_nothing_either(vault: Vault) -> None:
    tasks(vault, RENT.format(24))
    (id,) = vault.ids().values()
    vault.tell(id, event="failed")
    vault.tell(id, kind="review")
    assert list(vault.news().values()) == ["new"]
    vault.tell(id, event="reserved")
    assert vault.news() == {}, "it may have left"


# -- marks ---------------------------------------------------------------------------------------------------


def test_done_and_useless_mute_at_once_and_for_good_and_useful_brings_back_the_useless(vault: Vault) -> None:
    tasks(vault, RENT.format(24), "- [ ] Call Berg at the bank by 24 November")
    rent, bank = (vault.ids()[what] for what in sorted(vault.ids(), reverse=True))
    vault.mark(rent, "done")
    vault.mark(bank, "useless")
    muted = {each.id: each.muted for each in vault.look(40).matters}
    assert muted == {rent: "marked done", bank: "marked useless"}
    assert vault.look().shown() == []
    for id in (rent, bank):
        vault.mark(id, "useful", day=1)
    assert [each.id for each in vault.look(1).shown()] == [bank]


def test_a_snooze_hides_until_its_day_and_then_brings_the_matter_up_again(vault: Vault) -> None:
    tasks(vault, RENT.format(24))
    (id,) = vault.ids().values()
    vault.tell(id)
    vault.mark(id, "snooze", until=2)
    assert [[each.muted for each in vault.look(day).matters] for day in (0, 1, 2, 3)] == [
        ["snoozed until 2026-11-25"],
        ["snoozed until 2026-11-25"],
        [""],
        [""],
    ]
    assert list(vault.news(2).values()) == ["new"]
    vault.tell(id, day=2)
    assert vault.news(2) == vault.news(4) == {}


PLACE = (
    "- [ ] Water the ferns by 25 November",
    "- [ ] Water the cactus by 25 November",
    "- [ ] Water the orchid by 25 November",
)


def severities(vault: Vault, day: int = 0) -> dict[str, str]:
    return {each.what.split()[-4]: each.severity for each in vault.look(day).matters}


def test_two_useless_marks_lower_their_like_by_a_step_and_one_does_not(vault: Vault) -> None:
    tasks(vault, *PLACE, "BLOCKED: cellar pump until the 25 November")
    tasks(vault, "- [ ] Water the lawn by 25 November", path="home/garden.md")
    tasks(vault, "- [ ] Water the palms by 25 November", path="shop/tasks.md")
    before = severities(vault)
    ids = {each.what.split()[-4]: each.id for each in vault.look().matters}
    vault.mark(ids["ferns"], "useless")
    assert severities(vault) == before
    vault.mark(ids["cactus"], "useless")
    lowered = {"ferns": "medium", "cactus": "medium", "orchid": "medium"}
    assert severities(vault) == before | lowered
    assert set(before.values()) == {"high", "critical"}
    (orchid,) = (each for each in vault.look().matters if each.id == ids["orchid"])
    assert "2 from the same place were called useless: a step lower" in orchid.rests
    vault.mark(ids["cactus"], "useful")
    assert severities(vault) == before


def test_what_is_critical_is_never_lowered(vault: Vault) -> None:
    lines = [f"BLOCKED: {what} by 24 November" for what in ("the pump", "the boiler", "the roof")]
    tasks(vault, *lines)
    ids = list(vault.ids().values())
    for id in ids[:2]:
        vault.mark(id, "useless")
    assert {each.severity for each in vault.look().matters} == {"critical"}


def test_a_quiet_zone_mutes_its_own_lines_and_the_register_keeps_it(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "mine", "home", heart=Heart([], [], ["Garden plants"]))
    tasks(vault, "- [ ] Buy garden plants by 24 November", "- [ ] Buy garden chairs by 24 November")
    muted = {each.what.split()[2]: each.muted for each in vault.look().matters}
    assert muted == {"plants": "quiet zone: Garden plants", "chairs": ""}
    assert {each.what.split()[2]: each.quiet for each in vault.known().values()} == {
        "plants": "Garden plants",
        "chairs": "",
    }


# -- the register --------------------------------------------------------------------------------------------


def test_a_second_look_at_the_same_files_has_nothing_to_write_down(vault: Vault) -> None:
    tasks(vault, RENT.format(24), "Waiting on Berg for the frames", "Dentist Olsen at the hospital Wed 25 Nov 10:30")
    assert len(vault.look().events) == 3
    assert vault.look().events == []
    path = vault.root / "state" / "matters.jsonl"
    before = path.read_bytes()
    vault.look()
    assert path.read_bytes() == before


def test_a_look_that_sees_a_change_dates_it_by_itself(vault: Vault) -> None:
    tasks(vault, RENT.format(29))
    assert [each.changed for each in vault.look().matters] == [""]
    assert [each.changed[:10] for each in vault.look(1).matters] == ["2026-11-23"]
    tasks(vault, RENT.format(30))
    assert [each.changed[:10] for each in vault.look(2).matters] == ["2026-11-25"]
    assert [each.changed[:10] for each in vault.look(3).matters] == ["2026-11-25"]


def test_what_stands_there_at_the_first_look_is_not_new_and_what_comes_later_is(vault: Vault) -> None:
    tasks(vault, RENT.format(24))
    assert [each.fresh for each in vault.look().matters] == [False]
    tasks(vault, RENT.format(24), "- [ ] Call Berg at the bank by 24 November")
    assert {each.what.split()[0]: each.fresh for each in vault.look(1).matters} == {"Pay": False, "Call": True}
    assert {each.what.split()[0]: each.fresh for each in vault.look(2).matters} == {"Pay": False, "Call": True}
    tasks(vault, RENT.format(27), path="shop/tasks.md")
    assert [each.fresh for each in vault.look(2).matters if each.kb == "shop"] == [False]


def test_a_knowledge_base_that_cannot_be_read_keeps_its_matters_and_settles_none(vault: Vault) -> None:
    tasks(vault, RENT.format(24), "Dentist Olsen at the hospital Wed 25 Nov 10:30")
    tasks(vault, "- [ ] Call Berg at the bank by 24 November", path="shop/tasks.md")
    before = {
        each.id: (each.what, each.first, each.time, each.evidence, each.is_late(TODAY)) for each in vault.look().matters
    }
    known = vault.known()
    (vault.root / "home").rename(vault.root / "away")
    picture = vault.look(1)
    assert picture.unread == ["home"]
    assert picture.closed == []
    assert vault.known() == known
    assert {each.id for each in picture.matters} == set(before)
    kept = {each.id: each for each in picture.matters if each.kb == "home"}
    assert len(kept) == 2
    for id, each in kept.items():
        assert (each.what, each.first, each.time, each.evidence[:1]) == (*before[id][:3], before[id][3][:1])
    late = {each.what.split()[0]: each.is_late(TODAY.replace(day=30)) for each in kept.values()}
    assert late == {"Pay": True, "Dentist": False}, "an appointment that is over is not late"
    (vault.root / "away").rename(vault.root / "home")
    assert {each.id for each in vault.look(1).matters} == set(before)


# -- what a model raised -------------------------------------------------------------------------------------


def raised(vault: Vault, line: int, quote: str, **more: Any) -> str:
    """The id of what a model raised on a line."""
    app = vault.app()
    about: dict[str, Any] = {"what": "The roof may not hold", "why": "rain", "severity": "critical", **more}
    drawing = Drawing(app.files, app.clock.now(), app.run)
    picture = vault.look()
    evidence = [Evidence("tasks.md", line, quote)]
    new = Open(kb="home", kind="problem", evidence=evidence, certain=False, by="openai", **about)
    events = len(picture.events)
    each = drawing.raise_matter(picture, new)
    drawing.judge(picture, each, "tell", says=about["what"], severity=about["severity"])
    matters_log.append(app.files, picture.events[events:])
    return each.id


def test_a_model_judges_a_matter_that_is_there_and_its_words_stand_while_the_line_does(vault: Vault) -> None:
    tasks(vault, RENT.format(30))
    (before,) = vault.ids().values()
    assert raised(vault, 3, RENT.format(30), what="The rent is at risk") == before
    (each,) = vault.look().matters
    assert (each.what, each.severity, each.tell) == ("The rent is at risk", "critical", True)
    assert vault.look().events == [], "an opinion is no change of the matter"
    tasks(vault, RENT.format(29))
    (each,) = vault.look(1).matters
    assert (each.id, each.what, each.tell) == (before, "Pay the rent of the workshop by 29 November", False)


def test_what_a_model_alone_saw_stands_until_its_line_is_gone(vault: Vault) -> None:
    tasks(vault, "It rained through the ceiling again.")
    id = raised(vault, 3, "It rained through the ceiling again.")
    assert [(each.id, each.what, each.certain) for each in vault.look(1).matters] == [
        (id, "The roof may not hold", False)
    ]
    tasks(vault, "The ceiling was painted.")
    assert [(each.id, each.state) for each in vault.look(2).closed] == [(id, "gone")]


# -- sections ------------------------------------------------------------------------------------------------


def test_each_matter_stands_in_one_section_by_its_day() -> None:
    where = {
        "late": made("late", -2),
        "near": made("near", 1),
        "week": made("week", 7),
        "waiting": made("waiting", None, kind="waiting"),
        "new": made("new", None, id="n2ew"),
        "rest": made("rest", 8),
    }
    found = sections(list(where.values()), TODAY, frozenset({"n2ew"}))
    assert {name: [each.what for each in getattr(found, name)] for name in where} == {name: [name] for name in where}
    assert found.older == 0


def test_what_is_late_for_more_than_a_month_is_counted_and_an_appointment_is_never_late() -> None:
    old, month, met = made("old", -31), made("month", -30), made("met", -1, kind="appointment", dated=False)
    found = sections([old, month, met], TODAY)
    assert (found.older, [each.what for each in found.late], [each.what for each in found.rest]) == (
        1,
        ["month"],
        ["met"],
    )


def test_a_range_that_has_begun_is_near_and_a_likely_line_has_a_day_while_it_is_listed() -> None:
    began = made("began", 5, first=TODAY)
    likely, over = made("likely", 0, certain=False), made("over", -1, certain=False)
    unlisted = made("unlisted", 0, certain=False, listed=False)
    found = sections([began, likely, over, unlisted], TODAY)
    assert ([each.what for each in found.near], [each.what for each in found.rest]) == (
        ["likely", "began"],
        ["over", "unlisted"],
    )
