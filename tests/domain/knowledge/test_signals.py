"""The offline analyst, asked what a sensible chief of staff would raise - and what not."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjutant.domain.knowledge import lexicon, passages, signals
from adjutant.domain.knowledge.passages import KbFile
from adjutant.domain.knowledge.signals import Extraction, RaisedIssue
from adjutant.records.heart import Heart

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
HEART = Heart(
    priorities=["Harbour concert on 5 December: stage, tickets, musicians", "Van insured and roadworthy"],
    concerns=["Hall heating", "Grant money"],
    quiet=["Website colours"],
)
LEX = lexicon.load()


def extracted(files: dict[str, str], heart: Heart = HEART) -> Extraction:
    found = [KbFile(path, text, 0, "0") for path, text in sorted(files.items())]
    return signals.extract(found, heart, NOW, LEX, kb="kb")


def raised(files: dict[str, str], heart: Heart = HEART) -> list[RaisedIssue]:
    return signals.issues({"kb": extracted(files, heart).signals}, heart, NOW)


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] Concert permit, due 2026-11-18",
        "- [ ] Concert tickets to the printer by tomorrow, 21 November",
        "The stage builder has cancelled.",
        "Our stage is double-booked for that evening.",
        "Only two of the nine musicians have confirmed.",
        "Nobody has booked the stage yet.",
        "- stage crew: Ada, ?, ?",
        "The musicians' hotel has not answered since 12 November.",
        "The ticket shop went bust.",
    ],
)
def test_trouble_on_a_priority_is_raised(line: str) -> None:
    found = raised({"concert.md": f"# Concert\n\n{line}\n"})
    assert [issue.evidence[0].line for issue in found] == [3]


@pytest.mark.parametrize(
    "line",
    [
        "- [x] Stage permit, was overdue, paid",
        "No longer blocked: the stage is booked.",
        "The musicians have no complaints.",
        "If the stage collapses: call the harbour office.",
        '"The stage is broken and the tickets are lost", says the clown in act two.',
        "Last year the stage was late and the tickets were lost.",
        "The missing stage cable was found.",
        "In 2023 the ticket printer failed.",
        "The stage is in the yard.",
        "Fee for the stage: ______ Reason for late payment: ______",
        "- [ ] New stage carpet, some day",
        "- [ ] Tickets for the summer concert, 1 June 2027",
    ],
)
def test_what_is_done_denied_supposed_quoted_past_or_far_off_is_not_raised(line: str) -> None:
    assert raised({"concert.md": f"# Concert\n\n{line}\n"}) == []


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("Styret har ikke fått svar fra scenefirmaet, purret to ganger", "nb"),
        ("Scenefirmaet trakk seg i går", "nb"),
        ("Der Bühnenbauer hat gestern abgesagt", "de"),
        ("Der Vertrag für die Bühne ist noch nicht unterschrieben", "de"),
    ],
)
def test_norwegian_and_german_trouble_is_read_as_well(line: str, language: str) -> None:
    rest = {"nb": "Vi er på kaia og det er bra for alle.", "de": "Wir sind am Hafen und das ist für alle gut."}
    heart = {
        "nb": Heart(priorities=["Konserten på kaia: scene og billetter, det er viktig for oss"]),
        "de": Heart(priorities=["Das Konzert am Hafen: die Bühne und die Karten für alle"]),
    }
    found = raised({"notat.md": f"# Konsert Konzert\n\n{line}.\n\n{rest[language]}\n"}, heart[language])
    assert [issue.evidence[0].line for issue in found] == [3]


def test_a_quiet_zone_mutes_urgent_words() -> None:
    assert raised({"site.md": "- [ ] Website colours are broken, URGENT, due 2026-11-21\n"}) == []


def antifouling(count: int) -> str:
    return "".join(f"- Antifouling of boat {number} is late\n" for number in range(count))


QUIET = Heart(quiet=["antifouling"])


@pytest.mark.parametrize("items", [antifouling(1), antifouling(2), antifouling(3) + "- The gate is blue\n- Ask Ada\n"])
def test_a_quiet_neighbour_does_not_silence_what_is_overdue(items: str) -> None:
    found = raised({"list.md": f"- Crane inspection is overdue since 12 November\n{items}"}, QUIET)
    assert [each.evidence[0].line for each in found] == [1]


def test_a_file_of_which_most_items_are_quiet_is_quiet_as_a_whole() -> None:
    other = "- The brushes are overdue since 12 November\n"
    assert raised({"list.md": other + antifouling(3)}, QUIET) == []
    assert raised({"list.md": other}, QUIET)


def test_what_touches_nothing_in_the_heart_is_not_raised() -> None:
    assert raised({"hobby.md": "# Evenings\n\n- [ ] Chess club fee overdue since 1 November\n"}) == []


def test_without_any_priority_everything_is_relevant() -> None:
    assert raised({"hobby.md": "# Evenings\n\n- [ ] Chess club fee, due 2026-11-10\n"}, Heart())


def test_the_odd_row_of_an_even_column_is_raised() -> None:
    table = (
        "# Van\n\n| check | deviation |\n|---|---|\n| brakes | 0 |\n| lights | 0 |\n| tyres | 0 |\n| steering | 14 |\n"
    )
    found = raised({"van.md": table})
    assert [(issue.evidence[0].line, issue.severity) for issue in found] == [(8, "high")]


def test_a_measure_over_the_limit_beside_it_is_raised() -> None:
    found = raised({"heating.json": '{\n "hall": "heating",\n "limit_kwh": 400,\n "used_kwh": 431\n}\n'})
    assert found[0].evidence[0].line == 4


def test_a_newer_entry_of_a_log_takes_back_an_older_one() -> None:
    log = "# Hall heating\n\n- 2026-11-12 heating failed, hall cold\n- 2026-11-16 heating repaired, hall warm\n"
    assert raised({"heating.md": log}) == []
    assert raised({"heating.md": "\n".join(reversed(log.replace("16", "10").split("\n")))})


def test_lines_of_one_matter_are_one_issue_with_the_decisive_line_first() -> None:
    text = "---\ntitle: Grant money\ndue: 2026-11-19\nstatus: draft\n---\n"
    text += "# Grant\n\n- [ ] Chair must sign, she has not answered\n"
    found = raised({"grant.md": text})
    assert len(found) == 1
    assert {e.line for e in found[0].evidence} >= {3, 8}
    assert found[0].severity == "critical"


def test_severity_follows_the_rule() -> None:
    def severity(line: str) -> str:
        return raised({"concert.md": f"# Concert\n\n{line}\n"})[0].severity

    assert severity("- [ ] Concert posters, due 2026-11-26") == "medium"
    assert severity("- [ ] Concert posters, due 2026-11-22") == "high"
    assert severity("- [ ] Concert permit, due 2026-11-18, blocked by the harbour office") == "critical"


def test_every_quote_stands_literally_in_its_line() -> None:
    files = {
        "a.md": "# Concert\n\n   * **Stage** is `blocked`, due 2026-11-19   \r\n",
        "b.csv": "what,paid\nstage,no\nvan,yes\n",
    }
    for signal in extracted(files).signals:
        for piece in signal.evidence:
            assert piece.quote and piece.quote in files[piece.path].split("\n")[piece.line - 1]


def test_a_brief_counts_tasks_and_days_and_names_the_most_telling_line() -> None:
    text = "- [ ] Concert permit, due 2026-11-18\n- [ ] Sweep\n- [x] Posters\n- [ ] Concert tickets, due 2026-11-25\n"
    brief = signals.summary(extracted({"list.md": text}))
    assert brief.startswith("3 open tasks, 1 overdue, 1 deadline within 14 days")
    assert "list.md:1" in brief


def test_code_blocks_manuals_and_changelogs_raise_nothing() -> None:
    files = {
        "README.md": "# Stage\n\nIf the stage fails it restarts.\n\n```\nraise Error('stage blocked, overdue')\n```\n",
        "CHANGELOG.md": "# Changelog\n\n- Fixed: stage crash when tickets are missing\n",
    }
    assert raised(files, Heart()) == []


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\nd: [*c", '{"a": ', "- [ ] x\u2028y blocked\rz"]
)
def test_broken_or_hostile_structure_is_read_as_plain_lines(text: str) -> None:
    for name in ("a.json", "a.yaml", "a.csv", "a.md"):
        assert extracted({name: text}).dropped == 0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=400), st.sampled_from(["a.md", "a.json", "a.yaml", "a.csv", "a.txt"]))
def test_no_text_makes_it_fail(text: str, name: str) -> None:
    for signal in extracted({name: text}).signals:
        assert signal.quote in text.split("\n")[signal.line - 1]


def test_one_long_line_costs_little() -> None:
    started = time.process_time()
    extracted({"a.md": "stage blocked " * 70_000})
    assert time.process_time() - started < 2


def test_scan_reads_text_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    (tmp_path / "b.bin").write_bytes(b"x\0y")
    (tmp_path / "c.md").write_bytes(b"\0")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config.md").write_text("hidden")
    (tmp_path / "kb.yaml").write_text("name: x")
    (tmp_path / "link.md").symlink_to(tmp_path / "a.md")
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / "long.txt").write_text("line\n" * 100)
    found = passages.scan(tmp_path, max_files=10, max_bytes=52)
    assert {f.path: f.text for f in found.files} == {"a.md": "one\ntwo\n", "long.txt": "line\n" * 10}
    assert {s.path for s in found.skipped} == {"b.bin", "c.md", "link.md", "out", "long.txt"}


def test_scan_names_what_exceeds_the_cap_and_the_fingerprint_follows_content(tmp_path: Path) -> None:
    for n in range(5):
        (tmp_path / f"{n}.md").write_text(str(n))
    before = passages.scan(tmp_path, max_files=3, max_bytes=100)
    assert len(before.files) == 3 and "2 more files" in before.skipped[-1].reason
    (tmp_path / "0.md").write_text("changed")
    after = passages.scan(tmp_path, max_files=3, max_bytes=100)
    assert passages.fingerprint(before) != passages.fingerprint(after)


def test_scan_of_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        passages.scan(tmp_path / "none", max_files=1, max_bytes=1)
