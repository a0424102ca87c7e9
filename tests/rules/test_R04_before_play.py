"""R4: whatever is asked before play, in the columns of all presets: legal answers succeed, and cards are conserved."""

# rule: R4 applies

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

import gouji_rules as gr
from gouji_rules.presets import COLUMNS
from gouji_rules.rule_set import RuleSet

EVERYTHING = {
    "calls": "both",
    "opening": True,
    "tribute": ("stifle", "burn", "point", "loser"),
    "swap_places": True,
    "waiver_shows": True,
    "tribute_refusable": True,
    "point_returned": True,
    "show": "ask",
    "hold_three": True,
    "stifle": "tribute",
    "report": "none",
    "buy_from": "S1",
    "buy_with": "S1",
    "buy_none": "auto",
}
OWED = (
    gr.Obligation(2, 3, "stifle", 1),
    gr.Obligation(1, 5, "burn", 2),
    gr.Obligation(0, 3, "point", 4),
    gr.Obligation(3, 0, "point", 1),
    gr.Obligation(4, 0, "loser", 2),
    gr.Obligation(2, 1, "loser", 1),
)


def rules_of(column: str, *, everything: bool) -> RuleSet:
    """What a preset's column says about the time before play, with or without all options on."""
    names = (
        *("teams", "record", "sweep_doubles", "peek", "revolution", "revolution_by", "hold_three", "stifle", "report"),
        *("buy_from", "buy_with", "buy_none", "opening", "calls", "tribute", "return_", "tribute_refusable"),
        *("swap_places", "waiver_shows", "point_returned"),
    )
    said = {name: value for name, value in COLUMNS[column].items() if name in names}
    return replace(gr.preset("qingdao"), **{**said, **(EVERYTHING if everything else {})})


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("column", list(COLUMNS))
def test_every_question_before_play(column: str, *, everything: bool) -> None:
    """Random answers up to the first lead: `can`, the list, the view and `apply` agree; a copy and a saved deal too."""
    rules = rules_of(column, everything=everything)
    kinds = set()
    for number in range(6):
        rng = Random(number)
        deal = gr.Deal.start(rules, rng.randbytes(32), obligations=OWED)
        answers = 0
        while deal.public.phase not in (gr.Phase.PLAY, gr.Phase.OVER):
            kinds.add(deal.public.kind)
            seat = rng.choice([seat for seat in range(6) if deal.is_asked(seat)])
            legal = deal.legal_actions(seat)
            assert list(deal.view(seat).legal_actions()) == list(legal)
            assert deal.default_action(seat) == deal.view(seat).default_action()
            assert deal.default_action(seat) in legal
            for other in range(6):
                if not deal.is_asked(other):
                    assert list(deal.legal_actions(other)) == []
            action = legal[rng.randrange(len(legal))]
            assert deal.can(seat, action)
            assert deal.open_verbs(seat) >> gr.verb_of(action) & 1
            saved, copied = gr.Deal.from_bytes(deal.to_bytes()), deal.copy()
            events = deal.apply(seat, action)
            for again in (saved, copied):
                assert again.apply(seat, action) == events
                assert again.digest() == deal.digest()
            answers += 1
            assert answers < 300
        everything_held = sorted(card for seat in range(6) for card in deal.cards(seat))
        assert everything_held == sorted(gr.pack(rules))
        record = gr.record_of_deal(deal)
        differences, again = gr.replay(record)
        assert differences == []
        assert again.digest() == deal.digest()
    if everything:
        wanted = {gr.Kind.CALL, gr.Kind.SHOW, gr.Kind.ACCEPT, gr.Kind.RETURN, gr.Kind.REVOLT}
        assert kinds >= wanted | ({gr.Kind.SWAP, gr.Kind.WAIVE} if rules.teams == "federation" else set())


def test_a_seat_without_a_price_is_not_told_apart_before_revolution() -> None:
    """R49: who has to revolt is known to nobody else before all have answered about revolution."""
    rules = replace(rules_of("lianzhong", everything=False), buy_none="auto", tribute=())
    views = []
    for hand in ("456", "356"):
        deal = gr.Deal.from_hands(rules, [hand, "345", "345", "345", "345", "345"], 0, as_dealt=True)
        assert deal.public.kind == gr.Kind.REVOLT
        views.append((deal.public_view(), deal.view(1)))
    assert views[0] == views[1]
