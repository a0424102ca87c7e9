"""Chinese texts that list words use Chinese signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr

if TYPE_CHECKING:
    from collections.abc import Callable


def answer_with_a_wrong_verb() -> object:
    """Answer the first question of a deal with a verb that it is never asked by."""
    deal = gr.Deal.start(gr.preset("qingdao"), bytes(32))
    assert deal.question is not None
    seat = next(seat for seat in deal.question.seat_list if deal.is_asked(seat))
    return deal.apply(seat, gr.parse_action("accept"))


@pytest.mark.parametrize(
    "refused",
    [
        lambda: gr.parse_action("show stars"),
        lambda: gr.parse_action("nonsense"),
        lambda: gr.preset("qingdao").replace(show="loudly"),
        lambda: gr.preset("qingdao").replace(decks=5),
        lambda: gr.preset("nowhere"),
        answer_with_a_wrong_verb,
    ],
)
def test_lists_in_chinese_texts_have_chinese_signs(refused: Callable[[], object]) -> None:
    """What may be said instead is listed with 、 in Chinese and with a comma in English."""
    with pytest.raises((gr.NotationError, gr.RuleSetError, gr.RuleViolation)) as raised:
        refused()
    error = raised.value
    assert isinstance(error, gr.NotationError | gr.RuleSetError | gr.RuleViolation)
    assert "、" in error.text_zh
    assert ", " not in error.text_zh
    assert ", " in error.text_en
