"""Which real cards to put down for a play."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_rules import Card, CardsNotHeld, format_play, play_of, rank_of
from gouji_rules.plays import counts_of_play

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from gouji_rules import Action


def choose_cards(cards: Sequence[Card], action: Action, rng: Random) -> tuple[Card, ...]:
    """Return the real cards of a PLAY or BURN, ascending, drawn at random from the hand `cards`; of others none.

    Every choice is equally likely: suits do not matter any more (R2), and a habit in choosing them would tell which
    suits are still held. Raises CardsNotHeld (R16) if the hand does not hold them.
    """
    play = play_of(action)
    if not play:
        return ()
    chosen: list[Card] = []
    for rank, wanted in enumerate(counts_of_play(play)):
        if not wanted:
            continue
        held = [card for card in cards if rank_of(card) == rank]
        if len(held) < wanted:
            said = format_play(play)
            raise CardsNotHeld("R16", "CARDS_NOT_HELD", f"the hand does not hold {said}", f"手中没有 {said}")
        chosen += rng.sample(held, wanted)
    return tuple(sorted(chosen))
