"""Whole deals under random answers: what must hold at every step of every deal of qingdao (R8, R16, R29)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import gouji_rules as gr

QINGDAO = gr.preset("qingdao")
PACK = sorted(gr.pack(QINGDAO))
ANYTHING = [gr.PASS, gr.YIELD, gr.WIND, gr.DECLINE, gr.NO, gr.REVOLT, gr.KEEP_HEAD, gr.DROP_HEAD, gr.show_action(0)]
TEXTS = ["3", "55", "8", "2", "s", "b", "KK", "AA2", "s4", "bs", "99922", "TTTTT", "sb9"]
PLAYS = [gr.parse_play(text) for text in TEXTS]


def short_hands(rng: Random, most: int) -> list[list[int]]:
    """Six hands of up to `most` cards, rich in what makes gouji plays, twos and jokers."""
    stock = [rank for rank, held in enumerate([2, 2, 2, 1, 2, 1, 2, 6, 5, 5, 5, 5, 9, 4, 4]) for _ in range(held)]
    rng.shuffle(stock)
    hands = []
    for _ in range(6):
        cards = [stock.pop() for _ in range(rng.randint(1, most))]
        hands.append([cards.count(rank) for rank in range(15)])
    return hands


def cards_everywhere(deal: gr.Deal) -> list[int]:
    """All real cards of a deal: in hands (face down ones too) and played."""
    cards = [int(card) for seat in range(6) for card in deal.cards(seat)]
    return sorted(cards + [int(card) for played in deal.public.plays for card in played.cards])


class WholeDeals(RuleBasedStateMachine):
    """A deal answered at random, with illegal answers, copies and round trips in between."""

    def __init__(self) -> None:
        super().__init__()
        self.deal: gr.Deal
        self.twin: gr.Deal
        self.dealt: list[int] = []
        self.steps = 0

    @initialize(seed=st.integers(0, 2**32), most=st.sampled_from([3, 6, 10]), ask=st.booleans(), whole=st.booleans())
    def begin(self, seed: int, most: int, ask: bool, whole: bool) -> None:
        """Start from a shuffled pack or from short hands."""
        rng = Random(seed)
        rules = QINGDAO.replace(show="ask" if ask else "auto")
        if whole and most == 10:
            self.deal = gr.Deal.start(rules, rng.randbytes(32))
        else:
            self.deal = gr.Deal.from_hands(rules, short_hands(rng, most), rng.randrange(6))
        self.twin = gr.Deal.from_bytes(self.deal.to_bytes())
        self.dealt = cards_everywhere(self.deal)

    @precondition(lambda self: not self.deal.over)
    @rule(choice=st.integers(0, 2**30), play_on=st.booleans())
    def answer(self, choice: int, play_on: bool) -> None:
        """One of the seats asked gives one of its legal answers; the twin does the same and tells the same."""
        deal = self.deal
        asked = [seat for seat in range(6) if deal.is_asked(seat)]
        seat = asked[choice % len(asked)]
        legal = deal.legal_actions(seat)
        action = legal[-1 - choice // 7 % len(legal)] if play_on else legal[choice // 7 % len(legal)]
        kind, others_missing = deal.public.kind, len(asked) > 1
        events = deal.apply(seat, action)
        assert self.twin.apply(seat, action) == events
        if others_missing:
            assert events == [], "an answer that leaves a common question open tells something (R32)"
            assert deal.public.kind == kind
            assert deal.pending(seat)
        else:
            assert events
        self.steps += 1

    @precondition(lambda self: not self.deal.over)
    @rule(seat=st.integers(0, 5), plain=st.sampled_from(ANYTHING), play=st.sampled_from(PLAYS), burn=st.booleans())
    def answer_anything(self, seat: int, plain: gr.Action, play: gr.Play, burn: bool) -> None:
        """`can`, the lazy list and `apply` agree about any answer of any seat; a refused one changes nothing (R16)."""
        deal = self.deal
        for action in (plain, gr.burn_action(play) if burn else gr.play_action(play)):
            legal = deal.legal_actions(seat)
            allowed = deal.can(seat, action)
            assert (action in legal) is allowed
            assert (action in list(legal)) is allowed
            if not allowed:
                before = deal.digest()
                with pytest.raises(gr.RuleViolation) as caught:
                    deal.apply(seat, action)
                assert deal.digest() == before
                assert caught.value.rule.startswith("R")
                assert caught.value.text_en
                assert caught.value.text_zh

    @rule()
    def copy(self) -> None:
        """Copying, serialising and replaying the answers give the same deal, and a copy lives apart."""
        deal = self.deal
        copied = deal.copy()
        restored = gr.Deal.from_bytes(deal.to_bytes())
        assert copied.digest() == restored.digest() == deal.digest() == self.twin.digest()
        assert copied.public == restored.public == deal.public
        assert restored.to_bytes() == deal.to_bytes()
        if not deal.over:
            before = deal.digest()
            seat = next(seat for seat in range(6) if copied.is_asked(seat))
            copied.apply(seat, copied.legal_actions(seat)[0])
            assert deal.digest() == before != copied.digest()

    @invariant()
    def cards_are_conserved(self) -> None:
        """Hands and plays together are the cards dealt; counts and real cards agree (R29)."""
        deal = self.deal
        assert cards_everywhere(deal) == self.dealt
        for seat in range(6):
            assert gr.counts_of(deal.cards(seat)) == list(deal.hand(seat))
        if deal.seed is not None:
            assert self.dealt == PACK

    @invariant()
    def someone_is_asked(self) -> None:
        """While a deal runs somebody is asked who has an answer, and only active seats are asked (R29)."""
        deal = self.deal
        question = deal.question
        if question is None:
            assert deal.over
            return
        asked = [seat for seat in range(6) if deal.is_asked(seat)]
        assert asked
        for seat in asked:
            assert len(deal.legal_actions(seat)) >= 1
            assert deal.can(seat, deal.default_action(seat))
            assert deal.public.active >> seat & 1
            assert question.verbs & deal.open_verbs(seat) == deal.open_verbs(seat) != 0
        bound = 20 + 8 * sum(1 for _ in self.dealt) * 8
        assert self.steps <= bound, "a deal must end (R29)"

    @invariant()
    def places_are_a_permutation(self) -> None:
        """A deal that is over has six places, all different, or is void; its record checks (R50, R60)."""
        deal = self.deal
        if not deal.over:
            with pytest.raises(gr.DealRunning):
                _ = deal.result
            return
        result = deal.result
        assert result.void or sorted(result.places) == list(range(6))
        assert sum(result.sums) == (0 if not result.void else sum(result.sums))
        revealed = deal.reveal()
        assert sorted(int(card) for hand in revealed.hands for card in hand) == self.dealt
        assert gr.check_record(revealed.record) == []

    def teardown(self) -> None:
        """Whatever happened, by default answers the deal comes to an end (R29)."""
        deal = getattr(self, "deal", None)
        if deal is None:
            return
        for _ in range(5000):
            if deal.over:
                break
            seat = next(seat for seat in range(6) if deal.is_asked(seat))
            deal.apply(seat, deal.default_action(seat))
        assert deal.over


TestWholeDeals = WholeDeals.TestCase
TestWholeDeals.settings = settings(max_examples=40, stateful_step_count=60, deadline=None)


@pytest.mark.parametrize("seed", range(12))
def test_a_whole_deal_at_random(seed: int) -> None:
    """From the shuffled pack to the last place: every card is played or left, the record replays to the same deal."""
    rng = Random(seed)
    deal = gr.Deal.start(QINGDAO, rng.randbytes(32))
    answers = 0
    while not deal.over:
        seat = rng.choice([seat for seat in range(6) if deal.is_asked(seat)])
        legal = deal.legal_actions(seat)
        deal.apply(seat, legal[rng.randrange(len(legal))])
        answers += 1
        assert answers < 5000
    assert cards_everywhere(deal) == PACK
    record = gr.read_record(deal.reveal().record)
    differences, again = gr.replay(record)
    assert differences == []
    assert again.digest() == deal.digest()
    assert again.result == deal.result
    told = [step for trick in gr.show_record(deal.reveal().record) for step in trick.steps]
    assert sum(1 for step in told if step.play and step.what != "show") == len(deal.public.plays)
