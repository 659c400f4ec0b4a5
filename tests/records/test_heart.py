"""heart.md: the items under its headings, and nothing of what stands in comments."""

from __future__ import annotations

from adjutant.records.heart import Heart, parse


def test_an_item_above_the_shipped_comment_does_not_swallow_its_example() -> None:
    text = "## Priorities\n\n- Ship the boat\n  <!-- one a line, such as:\n  - Finish the tax return\n  -->\n"
    text += "- Call Ann\n"
    assert parse(text) == Heart(["Ship the boat", "Call Ann"])


def test_wrapped_items_go_on_and_emphasis_boxes_and_links_are_taken_off() -> None:
    text = "# Heart\r\n\r\nPriorities\r\n----------\r\n\r\n"
    text += "1. [ ] **Ship** the\r\n   [[boat|old boat]]\r\n- `tax` [form](x)\r\n"
    assert parse(text) == Heart(["Ship the old boat", "tax form"])


def test_code_quotations_and_other_sections_hold_no_items() -> None:
    text = "## Concerns\n```\n- no\n```\n> - no\n\n- yes\n\n## Else\n- no\n\n## Quiet\n### Deep\n- garden\n"
    assert parse(text) == Heart([], ["yes"], ["garden"])
