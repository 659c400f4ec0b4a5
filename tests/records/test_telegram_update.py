"""Which update is a message of the operator's."""

from __future__ import annotations

from typing import Any

import pytest

from adjutant.domain.behavior import grammar
from adjutant.domain.listening import commands
from adjutant.records import telegram_log
from adjutant.records.telegram_log import Other, Update

OPERATOR = "4711"


def raw(**changes: Any) -> dict[str, Any]:
    message = {
        "message_id": 1,
        "date": 1000,
        "text": "hello",
        "chat": {"id": 4711, "type": "private"},
        "from": {"id": 4711, "is_bot": False},
    }
    return {"update_id": 7, "message": {**message, **changes}}


def test_a_message_of_the_operators_is_read() -> None:
    assert telegram_log.read_update(raw(), OPERATOR) == Update(7, 1000, "hello")


@pytest.mark.parametrize(
    "changes",
    [
        {"chat": {"id": 5, "type": "private"}, "from": {"id": 5}},
        {"chat": {"id": 5, "type": "private"}},
        {"from": {"id": 5, "is_bot": False}},
        {"from": {"id": 4711, "is_bot": True}},
        {"chat": {"id": 4711, "type": "group"}},
        {"chat": {"id": 4711}},
        {"chat": None},
        {"from": None},
        {"chat": [4711]},
        {"from": {"id": True}},
    ],
)
def test_everybody_else_is_a_stranger_and_their_text_is_left_out(changes: dict[str, Any]) -> None:
    found = telegram_log.read_update(raw(**changes), OPERATOR)
    assert isinstance(found, Other)
    assert found.reason == "stranger"
    assert "hello" not in repr(found)


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"update_id": 7, "edited_message": raw()["message"]}, "not a message: edited_message"),
        ({"update_id": 7, "poll_answer": {"data": "x"}}, "not a message: poll_answer"),
        ({"update_id": 7, "message": "text"}, "not a message: message"),
        ({"update_id": 7}, "empty"),
    ],
)
def test_what_is_no_message_is_not_answered(update: dict[str, Any], reason: str) -> None:
    assert telegram_log.read_update(update, OPERATOR) == Other(7, reason)


@pytest.mark.parametrize("id", [None, "7", -1, True, 1 << 60, 7.5])
def test_an_update_without_a_usable_number_is_nothing(id: Any) -> None:
    assert telegram_log.read_update({**raw(), "update_id": id}, OPERATOR) is None


def test_a_picture_has_no_text() -> None:
    found = telegram_log.read_update(raw(text=None, photo=[{}], caption="KEEP: this"), OPERATOR)
    assert found == Update(7, 1000, None)


@pytest.mark.parametrize("mark", ["forward_origin", "forward_date", "forward_from", "forward_sender_name", "via_bot"])
@pytest.mark.parametrize("text", ["/kill", "KEEP: what a stranger wants", "hello"])
def test_forwarded_words_are_no_command_and_no_directive(mark: str, text: str) -> None:
    found = telegram_log.read_update(raw(text=text, **{mark: {"id": 9}}), OPERATOR)
    assert isinstance(found, Update)
    assert not found.own
    name, rest = commands.parse(found)
    assert name == ""
    assert rest.endswith(text)
    assert grammar.parse(rest.encode()).directives == ()


@pytest.mark.parametrize("kind", ["blockquote", "expandable_blockquote", "pre", "code"])
def test_quoted_directives_set_nothing(kind: str) -> None:
    text = "🙂 Nora wrote:\nSTOP: the reports\nMORE: tables"
    entity = {"type": kind, "offset": text.encode("utf-16-le").index("S".encode("utf-16-le")) // 2, "length": 17}
    found = telegram_log.read_update(raw(text=text, entities=[entity]), OPERATOR)
    assert isinstance(found, Update)
    assert found.text is not None
    assert [each.text for each in grammar.parse(found.text.encode()).directives] == ["tables"]


@pytest.mark.parametrize("kind", ["blockquote", "expandable_blockquote", "pre", "code"])
def test_a_quoted_command_is_no_command(kind: str) -> None:
    found = telegram_log.read_update(raw(text="/kill", entities=[{"type": kind, "offset": 0, "length": 5}]), OPERATOR)
    assert isinstance(found, Update)
    assert commands.parse(found)[0] == ""


@pytest.mark.parametrize("part", ["quote", "reply_to_message", "external_reply"])
def test_what_a_reply_quotes_is_not_said(part: str) -> None:
    quoted = {"text": "STOP: the reports", "caption": "STOP: the reports", "from": {"id": 4711}}
    assert telegram_log.read_update(raw(**{part: quoted}), OPERATOR) == Update(7, 1000, "hello")


def test_every_quotation_of_a_message_counts() -> None:
    text = "𝔖𝔖\nSTOP: reports\nSTOP: charts\nMORE: tables"
    spots = [(text.index(word) + 2, len(word)) for word in ("reports", "charts")]  # units
    entities = [{"type": "code", "offset": at, "length": length} for at, length in spots]
    found = telegram_log.read_update(raw(text=text, entities=entities), OPERATOR)
    assert isinstance(found, Update)
    assert found.text is not None
    assert [each.text for each in grammar.parse(found.text.encode()).directives] == ["tables"]


@pytest.mark.parametrize("entities", [None, "no", [7], [{"type": "pre"}], [{"type": "bold", "offset": 0, "length": 5}]])
def test_odd_entities_change_no_text(entities: object) -> None:
    assert telegram_log.read_update(raw(entities=entities), OPERATOR) == Update(7, 1000, "hello")
