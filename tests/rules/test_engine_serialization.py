"""A deal as bytes: read back whole, and anything else refused."""

from __future__ import annotations

import json
from random import Random

import pytest

import gouji_rules as gr

QINGDAO = gr.preset("qingdao")


def running_deal() -> gr.Deal:
    """A deal with a window open, one answer in it."""
    deal = gr.Deal.from_hands(
        QINGDAO.replace(deals=3), ["KK345", "AA345", "AA4", "345", "AA4", "345"], 0, ["5>0 loser 2"]
    )
    for seat in range(6):
        deal.apply(seat, gr.NO)
    deal.apply(0, gr.parse_action("play KK"), [gr.Card.CLUB_KING, gr.Card.CLUB_KING])
    deal.apply(4, gr.parse_action("burn AA"), sorted(deal.cards(4))[-2:])
    return deal


def test_a_running_deal_comes_back_whole() -> None:
    """An open window with a hidden answer and its chosen cards survives, and goes on alike."""
    deal = running_deal()
    again = gr.Deal.from_bytes(deal.to_bytes())
    assert again.digest() == deal.digest()
    assert again.pending(4)
    assert not again.pending(2)
    assert again.rules == deal.rules
    assert again.obligations == deal.obligations == (gr.Obligation(5, 0, "loser", 2),)
    for seat in (1, 2, 5):
        assert again.apply(seat, gr.DECLINE) == deal.apply(seat, gr.DECLINE)
    assert again.digest() == deal.digest()


def test_the_digest_sees_every_part() -> None:
    """Another answer, another card chosen, another seed, another rule: another digest."""
    deal = running_deal()
    digests = {deal.digest()}
    other = running_deal()
    other.apply(2, gr.DECLINE)
    digests.add(other.digest())
    other = running_deal()
    other.apply(2, gr.parse_action("burn AA"))
    digests.add(other.digest())
    for rules in (QINGDAO, QINGDAO.replace(deals=2)):
        for number in (1, 2):
            digests.add(gr.Deal.start(rules, bytes(32), number=number).digest())
    digests.add(gr.Deal.start(QINGDAO, bytes(31) + b"\x01").digest())
    digests.add(gr.Deal.start(QINGDAO, bytes(32), obligations=["4>1 burn 1"]).digest())
    assert len(digests) == 9


def test_chosen_cards_count() -> None:
    """Two kings of clubs and two of spades are the same play and different deals."""
    spades, clubs = (
        gr.Deal.start(QINGDAO, Random(7).randbytes(32)),
        gr.Deal.start(QINGDAO, Random(7).randbytes(32)),
    )
    for deal in (spades, clubs):
        for seat in range(6):
            deal.apply(seat, gr.NO)
    seat = spades.public.turn
    by_rank: dict[int, list[gr.Card]] = {}
    for card in spades.cards(seat):
        by_rank.setdefault(gr.rank_of(card), []).append(card)
    cards = next(cards for rank, cards in by_rank.items() if rank < 12 and cards[0] != cards[-1])
    action = gr.play_action(gr.play_of_cards(cards[:1]))
    clubs.apply(seat, action, [cards[0]])
    spades.apply(seat, action, [cards[-1]])
    assert clubs.hand(seat) == spades.hand(seat)
    assert clubs.digest() != spades.digest()
    assert clubs.public.plays[0].cards == (cards[0],)


def test_cards_not_held_are_refused() -> None:
    """Real cards that are not in the hand, or are not the play named, are refused and change nothing (R16)."""
    deal = gr.Deal.from_hands(QINGDAO, ["KK345", *["345"] * 5], 0)
    for seat in range(6):
        deal.apply(seat, gr.NO)
    before = deal.digest()
    action = gr.parse_action("play K")
    for cards in ([gr.Card.SPADE_KING], [gr.Card.CLUB_3], [gr.Card.CLUB_KING] * 2, []):
        with pytest.raises(gr.CardsNotHeld):
            deal.apply(0, action, cards)
        assert deal.digest() == before


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"null", b"\xff", b'{"format":"gouji-deal/2"}', b'{"format":"gouji-deal/1"}']
)
def test_other_bytes_are_refused(data: bytes) -> None:
    """What is no saved deal is a ValueError, never anything else."""
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the words
        gr.Deal.from_bytes(data)


def test_a_damaged_deal_is_refused() -> None:
    """A part missing or of another shape is a ValueError."""
    whole = json.loads(running_deal().to_bytes())
    for key in whole:
        damaged = {other: value for other, value in whole.items() if other != key}
        with pytest.raises(ValueError):  # noqa: PT011 - whatever the words
            gr.Deal.from_bytes(json.dumps(damaged).encode())
