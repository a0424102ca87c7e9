# rule: R33 applies
# rule: R34 applies
# rule: R35 applies
# rule: R35 refuses
# rule: R37 applies
"""R33 to R37 in events: how a burn ends and who owes for it, which a record does not say."""

from __future__ import annotations

import gouji_rules as gr

RULES = gr.preset("qingdao")
END_OF_A_BURN = (gr.BurnEnded, gr.BurnSucceeded, gr.Busted)


def burns_in(hands: str, story: str, lead: int = 0) -> list[gr.Event]:
    """Play a story (`seat answer; seat answer …`), declining for the silent, and return how burns ended in it."""
    deal = gr.Deal.from_hands(RULES, hands.split(), lead)
    events: list[gr.Event] = []
    for line in story.split(";"):
        seat, words = int(line.split()[0]), " ".join(line.split()[1:])
        action = gr.parse_action(words)
        while not deal.can(seat, action):
            silent = next(s for s in range(6) if deal.can(s, gr.NO) or deal.can(s, gr.DECLINE))
            events += deal.apply(silent, gr.NO if deal.can(silent, gr.NO) else gr.DECLINE)
        events += deal.apply(seat, action)
    return [event for event in events if isinstance(event, END_OF_A_BURN)]


def test_the_owner_of_the_burned_play_owes() -> None:
    """The burner empties its hand: the burn has succeeded against the owner of the play it burned (R35)."""
    found = burns_in("KK345 345 345 345 AA555 345", "0 play KK; 4 burn AA; 1 pass; 4 play 555")
    assert found == [gr.BurnSucceeded(burner=4, burned=0)]


def test_it_owes_whatever_becomes_of_the_last_play() -> None:
    """The burner's last play is beaten at once: nothing is added or taken back (R35)."""
    found = burns_in("KK345 345 345 345 AA555 666777", "0 play KK; 4 burn AA; 1 pass; 4 play 555; 5 play 666")
    assert found == [gr.BurnSucceeded(burner=4, burned=0)]


def test_an_ally_burned_owes_as_well() -> None:
    """Seat 2 burns its ally seat 0, which owes like an enemy (R35)."""
    found = burns_in("KK345 345 AA4 345 345 345", "0 play KK; 2 burn AA; 5 pass; 2 play 4")
    assert found == [gr.BurnSucceeded(burner=2, burned=0)]


def test_a_burn_that_empties_the_hand_succeeds_at_once() -> None:
    """The burn itself is the last play (R35)."""
    found = burns_in("KK345 345 345 345 AA 345", "0 play KK; 4 burn AA; 1 pass")
    assert found == [gr.BurnSucceeded(burner=4, burned=0)]


def test_in_a_counter_burn_the_overtaken_burner_owes() -> None:
    """Seat 5 counter-burns seat 4 and succeeds: seat 4 owes, not seat 0 whose play was burned first (R35, R33)."""
    story = "0 play KK; 4 burn AA; 5 decline; 1 decline; 2 decline; 5 burn 22; 2 pass; 5 play 6"
    assert burns_in("KK345 345 345 345 AA44 226", story) == [
        gr.BurnEnded(burner=4, reason=gr.BurnEnd.COUNTER_BURNED),
        gr.BurnSucceeded(burner=5, burned=4),
    ]


def test_a_burner_that_had_just_finished_owes_too() -> None:
    """Seat 4 has succeeded with its last cards; seat 2 burns that play and succeeds: seat 4 owes seat 2 (R35)."""
    story = "0 play KK; 4 burn AA; 1 decline; 2 decline; 5 decline; 2 burn 22; 5 pass; 1 pass; 2 play 6"
    assert burns_in("KK345 345 226 345 AA 345", story) == [
        gr.BurnSucceeded(burner=4, burned=0),
        gr.BurnSucceeded(burner=2, burned=4),
    ]


def test_defused_by_the_opposite() -> None:
    """The burner's opposite beats its play: the burn is over, nobody owes (R33, R35)."""
    found = burns_in("KK345 22345 345 345 AA44 345", "0 play KK; 4 burn AA; 1 play 22")
    assert found == [gr.BurnEnded(burner=4, reason=gr.BurnEnd.DEFUSED)]


def test_a_burning_lead_defused() -> None:
    """The same where the beaten play is one of the burner's leads (R33, R34)."""
    found = burns_in("KK345 b5345 345 345 AA44s 345", "0 play KK; 4 burn AA; 1 pass; 4 play s4; 1 play b5")
    assert found == [gr.BurnEnded(burner=4, reason=gr.BurnEnd.DEFUSED)]


def test_answered_by_a_headless_seat() -> None:
    """A headless seat beats the burner's play: that ends the burn too (R33)."""
    story = "0 play b; 1 play KK; 5 burn AA; 2 pass; 3 play 22"
    assert burns_in("b KK34 345 22A3 345 AA4", story) == [gr.BurnEnded(burner=5, reason=gr.BurnEnd.ANSWERED)]


def test_busted_without_a_lead() -> None:
    """No lead with a joker is left: the burn has failed, the burner has the last place, nobody owes (R34, R35)."""
    story = "0 play KK; 4 burn AA; 1 pass; 4 play ss44; 1 pass"
    assert burns_in("KK345 345 345 345 AA44556ss 345", story) == [gr.Busted(seat=4, place=6)]


def test_ended_by_the_melee() -> None:
    """The melee begins: the burn is over without success or bust (R37)."""
    story = "0 play b; 1 play KK; 5 burn AA; 2 pass; 3 pass; 4 pass"
    assert burns_in("b KK 346 345 Q3 AAs46", story) == [gr.BurnEnded(burner=5, reason=gr.BurnEnd.MELEE)]


def test_answers_that_are_no_burn_leave_nothing() -> None:
    """The opposite's and a headless seat's answers to gouji plays are no burns, even when they finish (R25, R35)."""
    assert burns_in("KK345 345 345 AA 345 345", "0 play KK; 3 play AA") == []
    assert burns_in("b KK34 345 AA 345 345", "0 play b; 1 play KK; 3 play AA") == []
