"""R7, R30, R31, R34, R35: bluffing, burning after a pass, what a burn owes, and busts in numbers."""

from __future__ import annotations

import pytest

import gouji_rules as gr
from gouji_rules import finishing
from tests.rules.story import of_kind, told

QINGDAO = gr.preset("qingdao")
BLUFF = QINGDAO.replace(burn="bluff")


def test_bluff_asks_nothing_of_the_rest() -> None:
    """`bluff`: beating is enough, `strict` refuses the same burn, `off` opens no window (R31)."""
    hands = "KK345 345 345 345 AA3456 345"
    told(QINGDAO, hands, "0 play KK", "4 burn AA ! R31")
    told(BLUFF, hands, "0 play KK", "4 burn AA", "1 pass", "5 ? play")
    told(QINGDAO.replace(burn="off"), hands, "0 play KK", "4 ? -", "3 ? pass")


def test_burn_after_pass() -> None:
    """With `burn_after_pass` a seat that passed in the trick may burn; without it only the others are asked (R30)."""
    hands = "52K34 63345 345 345 345 bs9"
    story = ("0 play 5", "1 play 6", "2 pass", "3 pass", "4 pass", "5 pass", "0 play 2")
    told(QINGDAO, hands, *story, "5 ? -")
    told(QINGDAO.replace(burn_after_pass=True), hands, *story, "5 ? burn,decline", "5 burn s", "2 pass", "= 5 leads")


def test_hold_three_counts_threes_as_one_more_play() -> None:
    """R31 under hold-three: jokers as many as ranks 4..A while 3s are held, one fewer without."""
    rules = QINGDAO.replace(hold_three=True)
    told(rules, "KK345 345 345 345 AA3s4 345", "0 play KK", "4 burn AA", "1 pass", "= 4 leads")
    told(rules, "KK345 345 345 345 AA3s45 345", "0 play KK", "4 burn AA ! R31")
    told(rules, "KK345 345 345 345 AA345 345", "0 play KK", "4 burn AA ! R31")
    told(rules, "KK345 345 345 345 AA45s 345", "0 play KK", "4 burn AA", "1 pass", "= 4 leads")
    told(rules, "KK345 345 345 345 AA32 345", "0 play KK", "4 burn AA ! R31")
    told(rules, "KK345 345 345 345 AA333 345", "0 play KK", "4 burn AA", "1 pass", "= 4 leads")


def test_a_burner_with_threes_left_leads_them_last() -> None:
    """While burning under hold-three the 3s alone need no joker and empty the hand (R34, R45)."""
    rules = QINGDAO.replace(hold_three=True)
    deal, events = told(
        rules,
        "KK345 345 345 345 AA33s4 345",
        "0 play KK",
        "4 burn AA",
        "1 pass",
        "4 play 4 ! R34",
        "4 play s33 ! R45",
        "4 play s4",
        "1 pass",
        "4 play 33",
    )
    assert of_kind(events, gr.BurnSucceeded) == [gr.BurnSucceeded(4, 0)]
    assert deal.public.place[4] == 1


def test_what_a_burn_owes_is_recorded() -> None:
    """The owner of the play burned owes its burner, an ally too; doubled only for a counter-burn (R35)."""
    rules = gr.preset("shandong").replace(calls="none")
    deal, events = told(rules, "KK45 AA4 45 45 AA 45", "0 play KK", "4 burn AA", "1 pass", "= 5 leads")
    assert deal.public.burns == ((0, 4, False),)
    assert of_kind(events, gr.BurnSucceeded) == [gr.BurnSucceeded(4, 0)]
    hands = "KK45 45 bb 45 AA4 45"
    deal, _ = told(rules, hands, "0 play KK", "2 decline", "4 burn AA", "2 burn bb", "= 3 leads")
    assert deal.public.burns == ((4, 2, True),)
    assert gr.Deal.from_bytes(deal.to_bytes()).public.burns == ((4, 2, True),)
    deal, _ = told(
        rules.replace(counter_burn_doubles=False),
        hands,
        "0 play KK",
        "2 decline",
        "4 burn AA",
        "2 burn bb",
        "= 3 leads",
    )
    assert deal.public.burns == ((4, 2, False),)


def test_a_burner_that_has_just_got_out_owes_for_its_last_play() -> None:
    """Its burn has succeeded; burned on that last play it owes as well, doubled as in a counter-burn (R35)."""
    rules = gr.preset("shandong").replace(calls="none")
    deal, _ = told(rules, "KK45 45 bb 45 AA 45", "0 play KK", "2 decline", "4 burn AA", "2 burn bb", "= 3 leads")
    assert deal.public.burns == ((0, 4, False), (4, 2, True))


def test_burn_points_in_individual_play() -> None:
    """Hokkaido: the burner +1, the burned -1, on top of the places (R35, R61)."""
    rules = gr.preset("hokkaido")
    deal, _ = told(
        rules,
        "KK3 4 4 4 AA 4",
        "0 play KK",
        "4 burn AA",
        "1 pass",
        "= 5 leads",
        "5 play 4",
        "0 pass",
        "1 pass",
        "2 pass",
        "3 pass",
        "0 play 3",
    )
    assert deal.public.burns == ((0, 4, False),)
    while not deal.over:
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        legal = deal.legal_actions(seat)
        deal.apply(seat, legal[-1])
    result = deal.result
    places = {seat: place for place, seat in enumerate(result.places)}
    worth = (2, 1, 0, 0, -1, -2)
    wanted = [worth[places[seat]] + (seat == 4) - (seat == 0) for seat in range(6)]
    assert list(result.scores) == wanted


@pytest.mark.parametrize(
    ("revolted", "finished", "busted", "places"),
    [
        (-1, [], [1, 3, 5], [1, 6, 2, 5, 3, 4]),
        (2, [], [1, 3, 5], [1, 6, 3, 5, 2, 4]),
        (2, [0], [1, 3, 5], [1, 6, 3, 5, 2, 4]),
        (2, [1], [3, 5], [2, 1, 4, 6, 3, 5]),
        (2, [0, 4], [], [1, 5, 3, 6, 2, 4]),
        (1, [0], [3, 5], [1, 4, 2, 6, 3, 5]),
    ],
)
def test_no_place_is_given_twice(revolted: int, finished: list[int], busted: list[int], places: list[int]) -> None:
    """Busts take the lowest free places but a revolutionary's: third if its allies are the first two (R34, R51, R8)."""
    story = [] if revolted < 0 else [f"{revolted} revolt", f"{(revolted + 3) % 6} head drop", "= 0 leads"]
    hands = " ".join("-" if seat == revolted else "45" for seat in range(6))
    deal, _ = told(BLUFF, hands, *story)
    pos = deal.position
    over = [finishing.finish(pos, seat) for seat in finished] + [finishing.bust(pos, seat) for seat in busted]
    assert over == [False] * (len(over) - 1) + [True]
    assert pos.public.place == tuple(places)


@pytest.mark.parametrize(("name", "burner"), [("hokkaido", 1), ("qingdao", 4)])
def test_individual_play_burns_in_turn_order(name: str, burner: int) -> None:
    """Without allies the first in turn order burns; in federation the owner's ally comes first (R7, R32)."""
    deal, events = told(
        gr.preset(name), "KK45 AAs 45 45 AAs 45", "0 play KK", "1 burn AA", "4 burn AA", f"{(burner + 3) % 6} pass"
    )
    burns = [event.seat for event in events if isinstance(event, gr.Played) and event.manner == gr.Manner.BURN]
    assert burns == [burner]
    assert deal.public.burner == burner
