"""R40, R41, R43, R44, R53 and R45, R46, R48: opening, and holding the 3s."""

from __future__ import annotations

import pytest

import gouji_rules as gr
from tests.rules.story import of_kind, told

QINGDAO = gr.preset("qingdao")
OPENING = QINGDAO.replace(opening=True, tribute=())
THREES = gr.preset("lianzhong").replace(tribute=("stifle",), opening=False)
STIFLED_LAST = gr.preset("competition").replace(opening=False, open_leads_four=False, removed="")


@pytest.mark.parametrize(
    ("excludes", "lead", "opens"),
    [
        ("big_joker", "KK", True),
        ("big_joker", "s", True),
        ("big_joker", "b", False),
        ("big_joker", "55", False),
        ("jokers", "s5", False),
        ("jokers", "2", True),
        ("jokers_and_singles", "2", False),
        ("jokers_and_singles", "22", True),
        ("jokers_and_twos", "22", False),
        ("jokers_and_twos", "K2", True),
        ("jokers_and_twos", "s2", False),
    ],
)
def test_what_opens(excludes: str, lead: str, opens: bool) -> None:
    """A live gouji play that gives its owner the lead opens it, unless `open_excludes` it (R40)."""
    rules = OPENING.replace(open_excludes=excludes)
    passes = {"b": [], "55": [f"{seat} pass" for seat in range(1, 6)]}.get(lead, ["3 pass"])
    deal, events = told(rules, f"{lead}345 345 345 345 345 345", f"0 play {lead}", *passes, "= 0 leads")
    assert deal.public.opened == (1 if opens else 0)
    assert of_kind(events, gr.Opened) == ([gr.Opened(0)] if opens else [])


def test_what_does_not_give_the_lead_does_not_open() -> None:
    """A beaten gouji play, and a last play, open nobody (R40)."""
    deal, _ = told(OPENING, "KK345 345 345 AA345 345 345", "0 play KK", "3 play AA", "0 pass", "= 3 leads")
    assert deal.public.opened == 1 << 3
    deal, _ = told(OPENING, "KK 345 345 345 345 345", "0 play KK", "3 pass", "= 1 leads")
    assert deal.public.opened == 0


@pytest.mark.parametrize(("deadline", "opened"), [("strict", 0b000100), ("melee", 0b001100)])
def test_strict_ends_for_the_opposite_with_first_place(deadline: str, opened: int) -> None:
    """`strict`: once the first is out its opposite opens no more, the others do until the second is (R41)."""
    deal, _ = told(
        OPENING.replace(open_deadline=deadline),
        "5 3345 KK3457 AAA345 345 345",
        "0 play 5",
        *[f"{seat} pass" for seat in (1, 2, 3, 4, 5)],
        "= 1 leads",
        "1 play 3",
        "2 play 7",
        *[f"{seat} pass" for seat in (3, 4, 5, 1)],
        "= 2 leads",
        "2 play KK",
        "3 pass",
        "5 pass",
        "= 2 leads",
        "2 play 5",
        "3 play A",
        *[f"{seat} pass" for seat in (4, 5, 1, 2)],
        "= 3 leads",
        "3 play AA",
        *[f"{seat} pass" for seat in (4, 5, 1, 2)],
        "= 3 leads",
    )
    assert deal.public.opened == opened


def test_a_revolution_opens_the_opposite() -> None:
    """`at_once`: the opposite has opened, the revolutionary has not (R44); in S0's hold-three it has too (R53)."""
    deal, events = told(OPENING, "KK345 345 345 - 345 345", "3 revolt", "0 head drop", "= 0 leads")
    assert deal.public.opened == 1
    assert of_kind(events, gr.Opened) == [gr.Opened(0)]
    hokkaido = gr.preset("hokkaido").replace(opening=True, hold_three=True)
    deal, _ = told(hokkaido, "KK345 345 345 - 345 345", "3 revolt", "0 head keep", "= 0 leads")
    assert deal.public.opened == 1 << 3


def test_three_live_dead_goujis_open_the_opposite_of_a_revolutionary() -> None:
    """`three`: with the third live dead gouji before the second finisher, not with two (R44)."""
    rules = gr.preset("hokkaido").replace(opening=True)
    story = ["3 revolt", "0 head keep", "0 play KK", "= 0 leads", "0 play AA", "= 0 leads"]
    deal, _ = told(rules, "KKAAQQQ345 345 345 - 345 345", *story)
    assert deal.public.opened == 0
    assert deal.public.live_dead == 2
    deal, _ = told(rules, "KKAAQQQ345 345 345 - 345 345", *story, "0 play QQQ", "= 0 leads")
    assert deal.public.opened == 1


@pytest.mark.parametrize(("second", "opened"), [("6", 0), ("66", 1 << 3)])
def test_the_third_live_dead_gouji_comes_before_second_place(second: str, opened: int) -> None:
    """`three`: in the trick in which the second has got out it is too late, though the melee has not begun (R44)."""
    deal, _ = told(
        OPENING.replace(revolution_opens="three"),
        f"- 777 777 4AAAA2K 5 {second}",
        "0 revolt",
        "3 head keep",
        "3 play AA",
        "= 3 leads",
        "3 play AA",
        "= 3 leads",
        "3 play 4",
        "4 play 5",
        "5 play 6",
        "1 pass",
        "2 pass",
        "3 play 2",
        "= 3 leads",
        lead=3,
    )
    assert deal.public.opened == opened


def test_the_lead_after_opening_holds_a_four() -> None:
    """`open_leads_four`: the next lead holds a natural 4 where the hand does; afterwards 4s are free (R43)."""
    rules = OPENING.replace(open_leads_four=True)
    deal, events = told(
        rules,
        "KK44567 345 345 345 345 345",
        "0 play KK",
        "3 pass",
        "0 play 5 ! R43",
        "0 play 4",
        "1 pass",
        "2 pass",
        "3 pass",
        "4 pass",
        "5 pass",
        "0 play 5",
    )
    assert deal.public.opened == 1
    assert not of_kind(events, gr.CardBought)


def test_a_seat_without_a_four_buys_one_when_it_opens() -> None:
    """It pays a 2 to the first with two 4s; where nobody has two the duty lapses (R43, R49)."""
    rules = OPENING.replace(open_leads_four=True)
    deal, events = told(rules, "KK5672 345 3445 345 345 345", "0 play KK", "3 pass", "0 play 5 ! R43", "0 play 4")
    (bought,) = of_kind(events, gr.CardBought)
    assert isinstance(bought, gr.CardBought)
    assert (bought.buyer, bought.seller, gr.rank_of(bought.card)) == (0, 2, 1)
    assert bought.paid is not None
    assert deal.hand(2)[12] == 1
    _, events = told(rules, "KK5672 345 345 345 345 345", "0 play KK", "3 pass", "0 play 5")
    assert not of_kind(events, gr.CardBought)


def test_threes_stay_for_the_last_play() -> None:
    """3s are led all at once, alone and last; a hand without 3s is not bound (R45)."""
    told(
        THREES,
        "3345 3345 3345 3345 3345 3345",
        "0 ? play",
        "0 play 3 ! R45",
        "0 play 33 ! R45",
        "0 play 4",
    )
    deal, _ = told(
        THREES, "3334 3345 3345 3345 3345 3345", "0 play 4", *[f"{s} pass" for s in range(1, 6)], "0 play 33 !"
    )
    legal = list(deal.legal_actions(0))
    assert [gr.format_action(action) for action in legal] == ["play 333"]
    deal.apply(0, legal[0])
    assert deal.public.place[0] == 1
    told(THREES, "3332s4 3345 3345 3345 3345 3345", "0 play 33322 !", "0 play s333 ! R45", "0 play s2")


def test_stifling_is_hidden_until_its_owner_is_out() -> None:
    """`tribute`: nothing tells it when it happens; it is told with the place, later getting out or not (R46)."""
    deal, events = told(
        THREES,
        "334 3345 3355 3345 3345 3345",
        "0 play 4",
        "1 play 5",
        "2 pass",
        "3 pass",
        "4 pass",
        "5 pass",
        "0 pass",
        "= 1 leads",
    )
    assert not of_kind(events, gr.Stifled)
    assert deal.public.stifled == ()
    assert deal.position.stifles == ((0, 1),)
    again = gr.Deal.from_bytes(deal.to_bytes())
    assert again.digest() == deal.digest()
    assert again.position.stifles == ((0, 1),)
    while not deal.over:
        seat = next(seat for seat in range(6) if deal.is_asked(seat))
        events += deal.apply(seat, deal.default_action(seat))
    assert of_kind(events, gr.Stifled)[0] in [gr.Stifled(0, 1, busted=False), *of_kind(events, gr.Stifled)]
    assert (0, 1) in deal.result.stifled
    assert any(o.kind == "stifle" and (o.payer, o.receiver) == (0, 1) for o in deal.result.obligations)


def test_stifled_last_place_busts_at_once() -> None:
    """`last_place`: busted before the covering play counts; the trick goes on; -2 (R46, R64)."""
    deal, events = told(
        STIFLED_LAST,
        "334 3345 3355 3345 3345 3345",
        "0 play 4",
        "1 play 5",
        "2 pass",
        "3 pass",
        "4 pass",
        "5 pass",
        "= 1 leads",
    )
    names = [type(event).__name__ for event in events]
    assert names.index("Stifled") < names.index("Busted") < names.index("Played", names.index("Played") + 1)
    assert deal.public.place[0] == 6
    assert deal.public.stifled == ((0, 1),)
    assert deal.public.headless == 1 << 3


def test_the_stifling_opposite_is_headless_for_that_very_play() -> None:
    """Its gouji answer is a headless seat's: no window opens and everyone may answer in turn (R46, R25)."""
    _, events = told(
        STIFLED_LAST,
        "33KK 3345 3355 33AA45 bb334 3345",
        "0 play KK",
        "3 play AA",
        "4 ? play,pass",
        "5 ? -",
        "4 pass",
        "5 pass",
        "1 pass",
        "2 pass",
        "= 3 leads",
    )
    (_, answer) = of_kind(events, gr.Played)
    assert isinstance(answer, gr.Played)
    assert answer.headless


def test_a_stifling_last_play_counts_both_bust_first() -> None:
    """The covering play empties its hand: the bust, then the finisher, then R8 from the finisher on (R46, R8)."""
    deal, events = told(STIFLED_LAST, "334 5 3355 3345 3345 3345", "0 play 4", "1 play 5", "2 ? pass,wind")
    assert [type(event).__name__ for event in events if not isinstance(event, gr.RevolutionSettled)] == [
        "Played",
        "Stifled",
        "Busted",
        "Played",
        "Finished",
    ]
    assert deal.public.place[:2] == (6, 1)


def test_a_seat_with_only_threes_is_asked_like_any_other() -> None:
    """It can pass, decline or lead, nothing else (R48)."""
    deal, _ = told(
        THREES, "3344 3345 3355 3345 3345 3345", "0 play 44", *[f"{s} pass" for s in range(1, 6)], "= 0 leads"
    )
    assert len(deal.legal_actions(0)) == 1
    told(
        THREES, "334 3345 3345 3345 3345 3345", "0 play 4", "1 play 5", *[f"{s} pass" for s in (2, 3, 4, 5)], "0 ? pass"
    )
