"""Cards, plays and actions: notation in, packed ints inside, notation out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gouji_rules as gr
from gouji_rules.cards import SUIT_NAMES, pack_counts
from gouji_rules.plays import big_of, counts_of_play, low_of, naturals_of, small_of, twos_of

QINGDAO = gr.preset("qingdao")
PLAYS = st.builds(
    lambda rank, naturals, twos, small, big: [naturals if r == rank else 0 for r in range(12)] + [twos, small, big],
    st.integers(0, 11),
    st.integers(0, 24),
    st.integers(0, 24),
    st.integers(0, 6),
    st.integers(0, 6),
).filter(any)


def test_cards_are_numbered_as_on_the_wire() -> None:
    """suit * 13 + rank + 1, jokers last; rank and suit come back from the number."""
    assert [int(card) for card in gr.Card] == list(range(1, 55))
    assert (gr.rank_of(gr.Card.CLUB_3), gr.suit_of(gr.Card.CLUB_3)) == (0, 0)
    assert (gr.rank_of(gr.Card.SPADE_2), gr.suit_of(gr.Card.SPADE_2)) == (12, 3)
    assert (gr.rank_of(gr.Card.HEART_10), gr.suit_of(gr.Card.HEART_10)) == (7, 2)
    assert (gr.rank_of(gr.Card.SMALL_JOKER), gr.suit_of(gr.Card.BIG_JOKER)) == (13, -1)
    for wrong in (0, 55, -1):
        with pytest.raises(ValueError, match="is no card"):
            gr.rank_of(wrong)


def test_the_pack_of_four_decks() -> None:
    """R1: sixteen of each rank 3 to 2, four of each joker, 36 cards a seat."""
    cards = gr.pack(QINGDAO)
    assert gr.counts_of(cards) == pack_counts(QINGDAO) == [16] * 13 + [4, 4]
    assert gr.cards_per_seat(QINGDAO) == 36
    assert len(cards) == 216


@given(PLAYS)
def test_packing_keeps_every_part(counts: list[int]) -> None:
    """A play's counts come back from its packed form, and so does its text; six packs fit."""
    play = gr.make_play(counts)
    assert counts_of_play(play) == counts
    assert gr.size(play) == sum(counts)
    assert gr.parse_play(gr.format_play(play)) == play
    assert naturals_of(play) + twos_of(play) + small_of(play) + big_of(play) == gr.size(play)
    assert gr.play_of(gr.play_action(play)) == gr.play_of(gr.burn_action(play)) == play


def test_the_low_rank_is_the_weakest_card() -> None:
    """The packed rank is the body's, a two's for twos alone, the weaker joker's for jokers alone (R10, R12)."""
    lows = {"ss999": 6, "2TT": 7, "b22": 12, "sb": 13, "bb": 14, "s": 13}
    assert {text: low_of(gr.parse_play(text)) for text in lows} == lows


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("10 10 10", "TTT"),
        ("大花小鬼99", "sb99"),
        ("大小两钱混", "222sb"),
        ("老K老KK", "KKK"),
        ("帽尖A", "AAA"),
        ("大王小剑大头小牛大虎", "ssbbb"),
        ("tjqka", "TJQKA"),
        ("SB", "sb"),
        (" 3\t4 ", "34"),
    ],
)
def test_names_of_cards(text: str, plain: str) -> None:
    """The names of docs/rules.md section 1 are read, ten as 10 too, letters in either case, spaces between."""
    assert gr.parse_ranks(text) == gr.parse_ranks(plain)


@pytest.mark.parametrize(
    ("text", "piece", "position"), [("33x", "x", 2), ("1", "1", 0), ("老9", "老", 0), ("花", "花", 0)]
)
def test_a_bad_piece_is_named(text: str, piece: str, position: int) -> None:
    """What is no card is named with its place, in both languages."""
    with pytest.raises(gr.NotationError) as caught:
        gr.parse_ranks(text)
    assert (caught.value.piece, caught.value.position) == (piece, position)
    assert piece in caught.value.text_en
    assert piece in caught.value.text_zh


@pytest.mark.parametrize("text", ["34", "33s4", ""])
def test_cards_that_are_no_play(text: str) -> None:
    """Two ranks of 3..A, or nothing, are no play (R10)."""
    with pytest.raises(gr.PlayError) as caught:
        gr.parse_play(text)
    assert caught.value.rule == "R10"


@pytest.mark.parametrize(
    "text",
    ["play bs5552", "burn ss77", "pass", "yield", "wind", "decline", "no", "revolt", "head keep", "head drop"]
    + ["call open", "call blind", "give b", "give 3", "refuse", "accept", "waive", "swap"]
    + [f"show {suit}" for suit in SUIT_NAMES],
)
def test_actions_are_written_as_they_are_read(text: str) -> None:
    """Every verb of the record format is read and written back."""
    assert gr.format_action(gr.parse_action(text)) == text
    assert gr.format_action(gr.parse_action(f"  {text.replace(' ', '   ')} ")) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fold", "“fold” is no verb"),
        ("play", "needs cards"),
        ("show blue", "needs a suit"),
        ("head", "“keep” or “drop”"),
        ("kill", "“kill” needs cards, such as “kill 5555”"),
        ("call", "“open” or “blind”"),
        ("give", "needs cards"),
        ("", "is no verb"),
        ("play 3z", "“z”"),
    ],
)
def test_actions_that_cannot_be_read(text: str, said: str) -> None:
    """What is no action is refused with a text that says why; verbs of other rules are told apart."""
    with pytest.raises(gr.NotationError, match=said):
        gr.parse_action(text)


def test_only_play_and_burn_have_a_play() -> None:
    """Of other verbs the play is none, and only a show has a suit."""
    assert gr.play_of(gr.PASS) == 0
    assert gr.suit_shown(gr.PASS) == -1
    assert gr.suit_shown(gr.show_action(2)) == 2
    assert gr.play_of(gr.show_action(2)) == 0
    with pytest.raises(ValueError, match="no suit"):
        gr.show_action(4)
