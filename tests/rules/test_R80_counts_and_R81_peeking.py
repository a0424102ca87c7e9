"""R80 to R82: counts asked for, hands felt, and who may look at whose hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

import gouji_rules as gr
from gouji_rules.peeking import may_look, may_look_at
from gouji_rules.state import with_seat

QINGDAO = replace(gr.preset("qingdao"), revolution="off")
ASKED = replace(QINGDAO, report="asked")
FEELING = replace(QINGDAO, feel_chances=3)


def deal_of(rules: gr.RuleSet, *counts: int) -> gr.Deal:
    """A deal in play with hands of these sizes."""
    hands = [("456789TJQKA3" * 4)[:count] for count in counts]
    return gr.Deal.from_hands(rules, hands, 0)


def test_all_hear_the_count() -> None:
    """R80 `asked`: any seat of any seat; ten or fewer exactly, else more than ten; nothing changes."""
    deal = deal_of(ASKED, 12, 10, 11, 1, 12, 12)
    before = deal.digest()
    assert deal.ask_count(0, 1) == gr.CountTold(0, 1, 10)
    assert deal.ask_count(4, 2) == gr.CountTold(4, 2, -1)
    assert deal.ask_count(0, 3) == gr.CountTold(0, 3, 1)
    assert deal.digest() == before
    assert deal.public.count_shown == (-1,) * 6


@pytest.mark.parametrize("report", ["shown", "none"])
def test_no_count_by_other_rules(report: str) -> None:
    """R80, R47: only under `asked` is a count told on request."""
    with pytest.raises(gr.NotTold) as refused:
        deal_of(replace(QINGDAO, report=report), 12, 12, 12, 12, 12, 12).ask_count(0, 1)
    assert refused.value.rule == "R80"


def test_whose_count_is_told() -> None:
    """R80: not one's own, not of a seat that is out, not of no seat."""
    deal = deal_of(ASKED, 12, 10, 11, 1, 12, 12)
    deal.public.active &= ~(1 << 5)
    for asker, of in ((0, 0), (0, 5), (0, 6), (-1, 2)):
        with pytest.raises(gr.NotTold):
            deal.ask_count(asker, of)


@pytest.mark.parametrize(("held", "bucket"), [(1, (1, 6)), (6, (1, 6)), (7, (7, 12)), (12, (7, 12)), (13, (13, 18))])
def test_a_hand_is_felt_in_sixes(held: int, bucket: tuple[int, int]) -> None:
    """R82: the asker learns the opposite's count in buckets of six; the event says only that it was felt."""
    deal = deal_of(FEELING, 12, 12, 12, held, 12, 12)
    assert deal.feel(0) == (gr.Felt(0, 3), bucket)


def test_three_chances_a_deal() -> None:
    """R82: three times a seat and deal; what was used is public, saved and part of the digest."""
    deal = deal_of(FEELING, 12, 12, 12, 12, 12, 12)
    digests = {deal.digest()}
    for used in (1, 2, 3):
        deal.feel(4)
        assert deal.public.felt == (0, 0, 0, 0, used, 0)
        digests.add(deal.digest())
    assert len(digests) == 4
    with pytest.raises(gr.NotTold) as refused:
        deal.feel(4)
    assert (refused.value.rule, refused.value.code) == ("R82", "NO_CHANCES_LEFT")
    assert gr.Deal.from_bytes(deal.to_bytes()).public.felt == deal.public.felt
    deal.feel(1)
    with pytest.raises(gr.NotTold, match="no feeling"):
        deal_of(QINGDAO, 12, 12, 12, 12, 12, 12).feel(0)


def test_who_may_look() -> None:
    """R81 `full`: allies of a holder with ten or fewer; an ally that has finished at any count; never enemies."""
    public = gr.PublicState(QINGDAO)
    assert may_look(public, 0, 10) == 0b010100
    assert may_look(public, 0, 11) == 0
    public.standing = with_seat(public.standing, 2, gr.Standing.FINISHED)
    assert may_look(public, 0, 36) == 0b000100
    assert may_look_at(public, 2, 0, 36)
    assert not may_look_at(public, 4, 0, 36)
    assert not may_look_at(public, 3, 0, 5)
    public.active &= ~1
    assert may_look(public, 0, 5) == 0


def test_who_may_look_by_other_rules() -> None:
    """R81, R7: `ten` knows only the ten, `none` and individual play nobody."""
    for rules, few, many in (
        (replace(QINGDAO, peek="ten"), 0b010100, 0),
        (replace(QINGDAO, peek="none"), 0, 0),
        (replace(QINGDAO, teams="individual"), 0, 0),
    ):
        public = gr.PublicState(rules)
        public.standing = with_seat(public.standing, 2, gr.Standing.FINISHED)
        assert (may_look(public, 0, 10), may_look(public, 0, 36)) == (few, many)
