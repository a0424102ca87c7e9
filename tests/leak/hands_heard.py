"""What must not be told of a running deal, in the forms that it could be told in."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from gouji.cards.v1 import cards_pb2
from gouji_rules.cards import counts_of, format_cards

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_CARDS = 8
"""A hand of fewer cards may look like something else by chance."""


def forms_of_secret(secret: bytes) -> list[bytes]:
    """A secret raw, and as people and programs write bytes."""
    texts = (
        secret.hex(),
        secret.hex().upper(),
        base64.b64encode(secret).decode().rstrip("="),
        repr(list(secret))[1:-1],
    )
    return [secret, base64.urlsafe_b64encode(secret).rstrip(b"="), *(text.encode() for text in texts)]


def forms_of_hand(hand: Iterable[int]) -> list[bytes]:
    """A hand as a message packs it, as the engine counts it, and as records, JSON and Python write it."""
    cards = sorted(hand)
    counts = counts_of(cards)
    written = format_cards(cards)
    names = ", ".join(cards_pb2.Card.Name(card) for card in cards)  # type: ignore[arg-type]
    texts = (repr(cards)[1:-1], ",".join(map(str, cards)), repr(counts)[1:-1], written, written[::-1], names)
    return [bytes(cards), bytes(reversed(cards)), bytes(counts), *(text.encode() for text in texts)]
