"""Apprise as a channel, against servers on loopback that take notices as ntfy does, and mail."""

from __future__ import annotations

import logging
import os
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjutant.channels import posting
from adjutant.channels.apprise import AppriseChannel
from adjutant.channels.tappable import harmless
from adjutant.ports import Notifier, Refused, Told, Uncertain
from tests.botapi import HOSTILE, tapped
from tests.places import Ntfy, Smtp
from tests.ports.test_notifier import TEXT, NotifierTests, free_port

CANARY = "canary-Pa55word"
ENVIRONMENT = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "ADJUTANT_NOTIFY_URLS": CANARY}


def channel(*urls: str, seconds: float = 10.0, said: list[str] | None = None) -> AppriseChannel:
    return AppriseChannel(urls, ENVIRONMENT, "/", (said if said is not None else []).append, keys, seconds)


def keys(told: Told) -> tuple[str, list[str]]:
    return "http://127.0.0.1:8384", ["one", "two", "three"]


@pytest.fixture
def ntfy() -> Iterator[Ntfy]:
    with Ntfy() as server:
        yield server


@pytest.fixture
def smtp() -> Iterator[Smtp]:
    with Smtp() as server:
        yield server


class TestNtfy(NotifierTests):
    CHANNEL = "apprise"

    @pytest.fixture(autouse=True)
    def server(self, ntfy: Ntfy) -> None:
        self.ntfy = ntfy

    def working(self, tmp_path: Path) -> Notifier:
        return channel(self.ntfy.url())

    def unreachable(self, tmp_path: Path) -> Notifier:
        return channel(f"ntfy://127.0.0.1:{free_port()}/notices")

    def failing(self, tmp_path: Path) -> Notifier:
        self.ntfy.mode = "500"
        return channel(self.ntfy.url())

    def delivered(self, tmp_path: Path) -> list[str]:
        return [notice["message"] for notice in self.ntfy.notices]


class TestMail(NotifierTests):
    CHANNEL = "apprise"

    @pytest.fixture(autouse=True)
    def server(self, smtp: Smtp) -> None:
        self.smtp = smtp

    def working(self, tmp_path: Path) -> Notifier:
        return channel(self.smtp.url())

    def unreachable(self, tmp_path: Path) -> Notifier:
        return channel(f"mailto://127.0.0.1:{free_port()}/?from=adjutant@example.com&to=ina@example.com")

    def failing(self, tmp_path: Path) -> Notifier:
        self.smtp.mode = "hang"
        return channel(self.smtp.url(), seconds=1.5)

    def delivered(self, tmp_path: Path) -> list[str]:
        return self.smtp.texts

    @pytest.mark.parametrize("mode", ["550", "554"])
    def test_what_the_mail_server_refuses_is_refused(self, mode: str) -> None:
        self.smtp.mode = mode
        with pytest.raises(Refused):
            channel(self.smtp.url()).send(TEXT, "key-1")


@pytest.mark.sweep
@pytest.mark.parametrize("mode", ["401", "429"])
def test_a_4xx_is_a_refusal(ntfy: Ntfy, mode: str) -> None:
    ntfy.mode = mode
    with pytest.raises(Refused, match=f"ntfy://127.0.0.1 .HTTP {mode}"):
        channel(ntfy.url()).send(TEXT, "key-1")


@pytest.mark.sweep
@pytest.mark.parametrize("mode", ["500", "302", "hang"])
def test_everything_else_is_uncertain_and_bounded(ntfy: Ntfy, mode: str) -> None:
    ntfy.mode, began = mode, time.monotonic()
    with pytest.raises(Uncertain):
        channel(ntfy.url(), seconds=2.0).send(TEXT, "key-1")
    assert ntfy.asked == 1
    assert time.monotonic() - began < 5


def test_one_place_that_takes_it_is_enough(ntfy: Ntfy) -> None:
    said: list[str] = []
    dead = f"ntfy://ina:{CANARY}@127.0.0.1:{free_port()}/notices"
    channel(dead, ntfy.url(), said=said).send(TEXT, "key-1")
    assert len(ntfy.notices) == 1
    assert "not delivered to ntfy://127.0.0.1 (it cannot be reached)" in said[0]
    assert CANARY not in said[0]


def test_two_places_get_it_each(ntfy: Ntfy, smtp: Smtp) -> None:
    channel(ntfy.url(), smtp.url()).send(TEXT, "key-1")
    assert (len(ntfy.notices), smtp.texts) == (1, [TEXT])


def test_one_place_unsure_makes_all_uncertain(ntfy: Ntfy) -> None:
    ntfy.mode = "500"
    with pytest.raises(Uncertain):
        channel(f"ntfy://127.0.0.1:{free_port()}/notices", ntfy.url()).send(TEXT, "key-1")


def test_an_address_sends_its_password_and_no_icon(ntfy: Ntfy) -> None:
    channel(ntfy.url(f"ina:{CANARY}")).send(TEXT, "key-1")
    assert ntfy.authorised[0] is not None
    assert ntfy.notices[0]["icon"] is None


@pytest.mark.parametrize("url", ["config://x", "file:///etc/passwd", "https://example.com/apprise.yml", "nonsense://x"])
def test_what_is_no_place_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="Apprise cannot use this address"):
        channel(url).send(TEXT, "key-1")


def test_an_address_that_names_a_file_is_refused(ntfy: Ntfy) -> None:
    with pytest.raises(Refused, match="it names a file"):
        channel(ntfy.url(query="?attach=file:///etc/passwd")).send(TEXT, "key-1")
    assert ntfy.asked == 0


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"tgram://123456789:{'AbCdEf' * 6}/4711", "tgram://"),
        ("ntfys://a-topic-nobody-knows", "ntfys://"),
        ("ntfys://push.example.com/topic", "ntfys://push.example.com"),
        ("matrixs://ina:secret@matrix.example.com/#home", "matrixs://matrix.example.com"),
    ],
)
@pytest.mark.filterwarnings("ignore:.imghdr:DeprecationWarning")  # of a plug-in of Apprise's
def test_a_place_is_named_by_scheme_and_host(url: str, name: str) -> None:
    from apprise import Apprise  # loads its plug-ins

    assert posting._name(url.partition(":")[0], Apprise.instantiate(url)) == name


@pytest.mark.sweep
@pytest.mark.parametrize("mode", ["401", "hang"])
def test_no_password_is_in_an_error_or_log(ntfy: Ntfy, mode: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ntfy.mode, told = mode, ""
    try:
        channel(ntfy.url(f"ina:{CANARY}"), seconds=1.0).send(TEXT, "key-1")
    except (Refused, Uncertain) as error:
        told = "".join(traceback.format_exception(error))
    assert CANARY not in told + "".join(record.getMessage() for record in caplog.records)


def test_the_child_has_no_address_in_its_words_or_variables(ntfy: Ntfy) -> None:
    ntfy.mode, seen = "hang", list[bytes]()

    def send() -> None:
        with pytest.raises(Uncertain):
            channel(ntfy.url(f"ina:{CANARY}"), seconds=2.0).send(TEXT, "key-1")

    sending = threading.Thread(target=send)
    sending.start()
    while sending.is_alive():
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes()
                if os.fsencode(posting.__file__) in words:
                    seen.append(words + (process / "environ").read_bytes())
            except OSError:
                pass  # it has ended
        time.sleep(0.05)
    assert seen
    assert not [each for each in seen if CANARY.encode() in each]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_notice_can_be_tapped(text: str) -> None:
    assert tapped({"text": harmless(f"see {text} now").replace("\u2060", "|")}) == []


def test_the_gravest_matter_has_ntfys_three_buttons(ntfy: Ntfy) -> None:
    channel(ntfy.url()).send(TEXT, "key-1", [Told("k7f2", "0" * 12), Told("b2aa", "1" * 12)])
    [notice] = ntfy.notices
    assert [each["label"] for each in notice["actions"]] == ["done k7f2", "snooze k7f2", "why k7f2"]
    assert [each["action"] for each in notice["actions"]] == ["http", "http", "view"]


def test_no_button_where_no_page_is_served(ntfy: Ntfy) -> None:
    made = AppriseChannel([ntfy.url()], ENVIRONMENT, "/", print, lambda told: ("", []))
    made.send(TEXT, "key-1", [Told("k7f2", "0" * 12)])
    assert ntfy.notices[0]["actions"] == []
