# rule: R54 applies
# rule: R54 refuses
# rule: R50 applies
"""R54: the cards of revolutionaries and busted seats stay face down until the deal is over."""

from __future__ import annotations

import gouji_rules as gr

RULES = gr.preset("qingdao")
LONG = "3456789TJQKA"


def played(hands: list[str], lead: int, story: str) -> tuple[gr.Deal, list[gr.Event]]:
    """Play a story, saying no and declining for the silent."""
    deal = gr.Deal.from_hands(RULES, hands, lead)
    events: list[gr.Event] = []
    for line in story.split(";"):
        seat, words = int(line.split()[0]), " ".join(line.split()[1:])
        action = gr.parse_action(words)
        while not deal.can(seat, action):
            silent = next(s for s in range(6) if deal.can(s, gr.NO) or deal.can(s, gr.DECLINE))
            events += deal.apply(silent, gr.NO if deal.can(silent, gr.NO) else gr.DECLINE)
        events += deal.apply(seat, action)
    return deal, events


def test_a_revolutionarys_cards_are_told_to_nobody() -> None:
    """Two deals that differ in the revolutionary's cards alone look the same to all others, events included (R54)."""
    story = "1 revolt; 4 head drop; 0 play 4; 2 pass; 3 pass; 4 pass; 5 pass"
    hands = ["45", LONG, "66", "77", "88", "99"]
    one, told = played(hands, 0, story)
    hands[1] = "33344455566678"[:12]
    other, also_told = played(hands, 0, story)
    assert told == also_told
    assert one.public_view() == other.public_view()
    for seat in (0, 2, 3, 4, 5):
        assert one.view(seat).public == other.view(seat).public
        assert one.view(seat).hand == other.view(seat).hand
    assert not any(isinstance(event, gr.Played) and event.seat == 1 for event in told)
    assert one.public.standing[1] == gr.Standing.REVOLTED


def test_a_revolutionary_keeps_seeing_its_own_cards() -> None:
    """The cards lie face down on the table, not gone: their owner still has them in its view (R54, R83)."""
    deal, _ = played(["45", LONG, "66", "77", "88", "99"], 0, "1 revolt; 4 head drop; 0 play 4")
    assert gr.format_counts(deal.view(1).hand) == LONG


BUST = "0 play KK; 4 burn AA; 1 pass; 4 play ss44; 1 pass"


def test_a_busted_seats_cards_are_told_to_nobody() -> None:
    """Two deals that differ in the cards left to the busted seat alone look the same to all others (R54, R34)."""
    hands = ["KK345", "345", "345", "345", "AA44556ss", "345"]
    one, told = played(hands, 0, BUST)
    hands[4] = "AA44889ss"
    other, also_told = played(hands, 0, BUST)
    assert told == also_told
    assert gr.Busted(seat=4, place=6) in told
    assert one.public_view() == other.public_view()
    for seat in (0, 1, 2, 3, 5):
        assert one.view(seat).public == other.view(seat).public
    assert one.public.standing[4] == gr.Standing.BUSTED
    assert gr.format_counts(one.view(4).hand) == "556"


def test_they_are_opened_at_the_end() -> None:
    """When the deal is over the revolutionary's cards are told with all others (R54 until R84)."""
    story = "1 revolt; 4 head drop; 3 play b; 4 play 3; 5 play b"
    deal, _ = played(["345", LONG, "345", "b", "345", "b"], 3, story)
    assert deal.over
    assert gr.format_cards(deal.reveal().hands[1]) == LONG
