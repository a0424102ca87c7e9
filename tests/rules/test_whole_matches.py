"""Whole matches of every preset and of presets with any options: what must hold after every step (R8, R16, R29)."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import gouji_rules as gr
from gouji_rules.actions import VERB_SHIFT
from gouji_rules.cards import pack_counts
from gouji_rules.match import draw_lot
from tests.rules.every_rule_set import RULE_SETS
from tests.rules.match_book import Book, book_of, owed_in
from tests.rules.random_rule_sets import made_legal, options

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = ["3", "33", "4", "55", "2", "s", "b", "bb", "ss", "KK", "AA2", "s4", "bs", "99922", "TTTTT", "bb9", "bbs77"]
PLAYS = [int(gr.parse_play(text)) for text in TEXTS]
MATCHES = max(2, settings().max_examples // 50)
"""Matches from the shuffled pack, by each rule set."""
KINDS = ("stifle", "burn", "point", "loser")
RICH = [3, 3, 1, 1, 1, 1, 1, 4, 4, 4, 4, 4, 8, 4, 4]


def answers_at_most(deal: gr.Deal) -> int:
    """A bound of the answers of a deal (R29).

    Before play each seat is asked once about a swap, both calls, the show, and revolution, one about its head. Each
    debt is asked about at most three times (two about waiving, one about taking it), each card that comes back at most
    twice a rank. In play every play takes a card out of a hand and none comes back (a 4 that is bought is a card of
    another hand), so there are no more plays than cards; between two plays each of five seats answers at most one
    window and one question, and one seat that yielded a second one.
    """
    before = 2 + 4 * 6 + 1
    tribute = sum(3 + 2 * 15 * debt.count for debt in deal.obligations)
    return before + tribute + sum(map(len, deal.dealt)) * (1 + 5 + 5 + 1)


def short_hands(rules: gr.RuleSet, rng: Random, most: int) -> list[list[int]]:
    """Six hands of one to `most` cards of the pack, rich in what makes gouji plays, twos and jokers.

    Where there is no revolution the first card is one that is not paid as tribute: nobody plays without cards.
    """
    held = pack_counts(rules)
    stock = [rank for rank, many in enumerate(RICH) for _ in range(min(many, held[rank]))]
    rng.shuffle(stock)
    first = 12 if rules.revolution == "off" else 15
    hands = [[stock.pop(next(at for at, rank in enumerate(stock) if rank < first))] for _ in range(6)]
    for hand in hands:
        hand += [stock.pop() for _ in range(rng.randint(0, most - 1)) if stock]
    return [[hand.count(rank) for rank in range(15)] for hand in hands]


class WholeMatches(RuleBasedStateMachine):
    """A match answered at random, with illegal answers, copies, saved deals and questions out of turn in between."""

    def __init__(self) -> None:
        super().__init__()
        self.match: gr.Match
        self.deal: gr.Deal | None = None
        self.book: Book
        self.begin: Callable[[], gr.Deal]
        self.steps: list[tuple[str, int, gr.Action]] = []
        self.told: list[list[gr.Event]] = []
        self.dealt: list[int] = []
        self.scores: list[int] = []
        self.most = 0

    # ── the match ──

    @initialize(name=st.sampled_from(list(RULE_SETS)), wanted=options(), deals=st.integers(1, 3))
    def begin_match(self, name: str, wanted: dict[str, Any], deals: int) -> None:
        """Begin, by a preset, or a mixture of options, with some options besides."""
        self._begin(made_legal(RULE_SETS[name], wanted), deals)

    def _begin(self, rules: gr.RuleSet, deals: int) -> None:
        self.match = gr.Match(rules, deals)
        self.scores = [0] * (6 if rules.teams == "individual" else 2)

    @precondition(lambda self: self.deal is None and not self.match.over)
    @rule(seed=st.integers(0, 2**32), most=st.sampled_from([2, 4, 7, 10, 10, 0]), ahead=st.integers(0, 90))
    def deal_cards(self, seed: int, most: int, ahead: int = 0) -> None:
        """Start the next deal, short hands or (`most` 0) the whole pack, and play a while; what is owed is carried
        over."""
        match, rules, rng = self.match, self.match.rules, Random(seed)
        if most:
            hands, lead = short_hands(rules, rng, most), rng.randrange(6)
            owed, number = match.obligations, match.deal_number
            self.begin = lambda: gr.Deal.from_hands(rules, hands, lead, owed, number=number, as_dealt=True)
        else:
            drawn = rng.randbytes(32)
            self.begin = lambda: match.start_deal(drawn)
        self.deal = deal = self.begin()
        self.book = book_of(deal)
        self.steps, self.told = [], []
        self.dealt = sorted(int(card) for held in deal.dealt for card in held)
        self.most = answers_at_most(deal)
        assert deal.obligations == match.obligations
        in_order = sorted(match.obligations, key=lambda debt: KINDS.index(debt.kind))
        assert list(deal.public.obligations) == in_order, "R70: stifle, burn, point, loser"
        self._settle()
        if ahead:
            self._play(rng, ahead, eager=bool(seed & 1))

    @precondition(lambda self: self.match.over)
    @rule(deals=st.integers(1, 3))
    def another_match(self, deals: int) -> None:
        """The same rules once more."""
        self._begin(self.match.rules, deals)

    @precondition(lambda self: self.deal is not None)
    @rule(seat=st.integers(0, 5), agrees=st.sampled_from([True, True, True, False]))
    def vote(self, seat: int, agrees: bool) -> None:
        """A seat is for ending the match, or against it (R17)."""
        match = self.match
        agreed, before = match.agreed, match.scores
        if not agrees:
            match.object_to_dissolving(seat)
            assert match.agreed == 0
            return
        told = match.agree_to_dissolve(seat)
        assert match.agreed == agreed | 1 << seat
        assert match.over is match.dissolved is (told is not None) is (match.agreed == 63)
        assert match.scores == before, "the running deal is not scored"
        if match.over:
            assert match.obligations == ()
            self.deal = None

    # ── answers ──

    def _do(self, what: str, seat: int, action: gr.Action) -> None:
        """An answer, or a hand felt, of the running deal."""
        deal = self.deal
        assert deal is not None
        if what == "feel":
            events: list[gr.Event] = [deal.feel(seat)[0]]
        else:
            hidden = deal.public.kind != gr.Kind.CALL and sum(map(deal.is_asked, range(6))) > 1
            events = deal.apply(seat, action)
            assert not (hidden and events), "an answer that leaves a common question open tells something (R32)"
        self.steps.append((what, seat, action))
        self.told.append(events)
        self.book.take(events)
        self._settle()

    @precondition(lambda self: self.deal is not None)
    @rule(which=st.integers(0, 5), choice=st.integers(0, 2**16), last=st.booleans())
    def answer(self, which: int, choice: int, last: bool) -> None:
        """One of the seats asked gives one of its legal answers."""
        deal = self.deal
        assert deal is not None
        asked = [seat for seat in range(6) if deal.is_asked(seat)]
        seat = asked[which % len(asked)]
        legal = deal.legal_actions(seat)
        self._do("answer", seat, legal[-1 - choice % len(legal)] if last else legal[choice % len(legal)])

    @precondition(lambda self: self.deal is not None)
    @rule(seed=st.integers(0, 2**16), many=st.integers(2, 200), eager=st.booleans())
    def play_on(self, seed: int, many: int, eager: bool) -> None:
        """Many answers in a row; `eager`: more of those with cards, so that burns, kills and ends come up."""
        self._play(Random(seed), many, eager=eager)

    def _play(self, rng: Random, many: int, *, eager: bool) -> None:
        for _ in range(many):
            deal = self.deal
            if deal is None:
                return
            seat = rng.choice([seat for seat in range(6) if deal.is_asked(seat)])
            legal = deal.legal_actions(seat)
            plays = deal.public.kind in (gr.Kind.FOLLOW, gr.Kind.WINDOW) and eager and rng.random() < 0.6
            self._do("answer", seat, legal[-1] if plays else legal[rng.randrange(len(legal))])

    @precondition(lambda self: self.deal is not None)
    @rule(seat=st.integers(0, 5), verb=st.sampled_from(list(gr.Verb)), what=st.sampled_from([0, 1, 2, 3, *PLAYS]))
    def anything(self, seat: int, verb: gr.Verb, what: int) -> None:
        """`can`, the list, the view and `apply` agree about any answer; a refused one changes nothing (R16)."""
        deal = self.deal
        assert deal is not None
        action = gr.Action(verb << VERB_SHIFT | what)
        legal = deal.legal_actions(seat)
        allowed = deal.can(seat, action)
        assert (action in legal) is (action in list(legal)) is allowed
        assert deal.view(seat).can(action) is allowed
        if allowed:
            deal.copy().apply(seat, action)
            return
        before = deal.digest()
        with pytest.raises(gr.RuleViolation) as caught:
            deal.apply(seat, action)
        assert deal.digest() == before
        assert caught.value.rule.startswith("R")
        assert caught.value.text_en
        assert caught.value.text_zh

    @precondition(lambda self: self.deal is not None)
    @rule(seat=st.integers(0, 5))
    def all_answers(self, seat: int) -> None:
        """Every legal answer is listed once and accepted, and the open verbs are theirs; who is not asked has none."""
        deal = self.deal
        assert deal is not None
        legal = deal.legal_actions(seat)
        listed = list(legal)
        assert len(set(listed)) == len(listed) == len(legal)
        assert bool(listed) is deal.is_asked(seat)
        assert deal.open_verbs(seat) == sum(1 << verb for verb in {gr.verb_of(action) for action in listed})
        for action in listed[:: max(1, len(listed) // 8)]:
            copy = deal.copy()
            copy.apply(seat, action)
            assert copy.digest() != deal.digest()
        if listed:
            assert deal.default_action(seat) in listed

    @precondition(lambda self: self.deal is not None)
    @rule(asker=st.integers(0, 5), of=st.integers(0, 5))
    def ask_count(self, asker: int, of: int) -> None:
        """A count is told where the rules tell one, and changes nothing (R80)."""
        deal = self.deal
        assert deal is not None
        before, held = deal.digest(), sum(deal.hand(of))
        told = deal.rules.report == "asked" and asker != of and bool(held) and bool(deal.public.active >> of & 1)
        if told:
            assert deal.ask_count(asker, of) == gr.CountTold(asker, of, held if held <= 10 else -1)
        else:
            with pytest.raises(gr.NotTold, match="R80"):
                deal.ask_count(asker, of)
        assert deal.digest() == before

    @precondition(lambda self: self.deal is not None and self.match.rules.feel_chances)
    @rule(asker=st.integers(0, 5))
    def feel(self, asker: int) -> None:
        """A hand is felt at most so often, in buckets of six (R82); a refusal changes nothing."""
        deal = self.deal
        assert deal is not None
        before, of = deal.digest(), (asker + 3) % 6
        held = sum(deal.hand(of))
        both = all(deal.public.active >> seat & 1 and any(deal.hand(seat)) for seat in (asker, of))
        if both and deal.public.felt[asker] < deal.rules.feel_chances:
            _, (least, most) = deal.copy().feel(asker)
            assert least <= held <= most == least + 5
            assert least % 6 == 1
            self._do("feel", asker, gr.PASS)
            return
        with pytest.raises(gr.NotTold, match="R82"):
            deal.feel(asker)
        assert deal.digest() == before

    # ── other copies of the same deal ──

    @precondition(lambda self: self.deal is not None)
    @rule(swap=st.booleans())
    def save(self, swap: bool) -> None:
        """A copy and a restored deal are equal in every part, and a copy lives apart; play may go on with either."""
        deal = self.deal
        assert deal is not None
        saved, before = deal.to_bytes(), deal.digest()
        restored, copied = gr.Deal.from_bytes(saved), deal.copy()
        for other in (restored, copied):
            assert other.digest() == before
            assert other.public == deal.public
            assert other.answers == deal.answers
            assert other.to_bytes() == saved
            for seat in range(6):
                assert other.view(seat) == deal.view(seat)
                assert other.legal_actions(seat)[:50] == deal.legal_actions(seat)[:50]
        seat = next(seat for seat in range(6) if copied.is_asked(seat))
        copied.apply(seat, copied.legal_actions(seat)[-1])
        assert deal.digest() == before != copied.digest()
        if swap:
            self.deal = restored

    @precondition(lambda self: self.deal is not None)
    @rule()
    def from_the_start(self) -> None:
        """The same start and the same answers tell the same and come to the same deal."""
        deal = self.deal
        assert deal is not None
        again = self.begin()
        assert book_of(again).hands == book_of(self.begin()).hands
        for (what, seat, action), told in zip(self.steps, self.told, strict=True):
            events = [again.feel(seat)[0]] if what == "feel" else again.apply(seat, action)
            assert events == told
        assert again.digest() == deal.digest()
        assert again.to_bytes() == deal.to_bytes()

    # ── what holds always ──

    @invariant()
    def cards_are_conserved(self) -> None:
        """Hands, as their cards were seen to move, and plays together are what was dealt (R29)."""
        deal = self.deal
        if deal is None:
            return
        drawn = any(map(any, map(deal.hand, range(6)))) or deal.public.kind != gr.Kind.SWAP
        cards = [int(card) for play in deal.public.plays for card in play.cards]
        for seat in range(6):
            held = deal.cards(seat)
            assert gr.counts_of(held) == list(deal.hand(seat))
            if held and drawn:
                assert sorted(self.book.hands[seat].elements()) == sorted(map(int, held))
            cards += map(int, held)
        assert sorted(cards) == self.dealt or not cards, "before they are drawn nobody has cards (R4)"

    @invariant()
    def somebody_is_asked(self) -> None:
        """While a deal runs somebody in play is asked who has an answer, and it has not gone on for too long (R29)."""
        deal = self.deal
        if deal is None:
            return
        question = deal.question
        assert question is not None
        asked = [seat for seat in range(6) if deal.is_asked(seat)]
        assert asked
        for seat in asked:
            assert deal.public.active >> seat & 1
            assert deal.can(seat, deal.default_action(seat))
            assert question.verbs & deal.open_verbs(seat) == deal.open_verbs(seat) != 0
        assert len(self.steps) <= self.most + 18, "a deal must end (R29)"
        assert not self.book.may_be_over(), "R8: the deal should be over"

    @invariant()
    def views_are_composed(self) -> None:
        """A seat's view is the public state with its own cards; before the end nothing else is told."""
        deal = self.deal
        if deal is None:
            return
        public = deal.public_view()
        for seat in range(6):
            view = deal.view(seat)
            assert view.public == public
            assert (view.hand, view.cards) == (deal.hand(seat), deal.cards(seat))
            assert view.answered is deal.pending(seat)
        assert set(public.stifled) == set(self.book.stifled_told), "R46"
        assert {seat for seat in range(6) if public.opened >> seat & 1} == self.book.opened_told == self.book.opened
        assert list(public.calls) == self.book.calls
        with pytest.raises(gr.DealRunning):
            _ = deal.result

    # ── the end of a deal ──

    def _settle(self) -> None:
        """A deal that is over: places, points and debts are what its events say; its record replays."""
        deal, book, match = self.deal, self.book, self.match
        if deal is None or not deal.over:
            return
        self.from_the_start()
        result = deal.result
        if result.void:
            assert deal.public.standing.count(gr.Standing.REVOLTED) > 1
            assert set(result.scores) == {0}
        else:
            self._check_result(deal, book)
        revealed = deal.reveal()
        assert sorted(int(card) for hand in revealed.hands for card in hand) == self.dealt
        assert gr.check_record(revealed.record) == []
        self._check_match(deal, match, result)
        self.deal = None

    def _check_result(self, deal: gr.Deal, book: Book) -> None:
        result, rules = deal.result, deal.rules
        assert book.may_be_over()
        assert sorted(result.places) == list(range(6))
        assert result.places == book.places()
        assert (result.scores, result.sweep) == book.scores()
        assert result.slam == book.slam == book.slam_told
        if result.slam >= 0:
            assert sum(result.sums) == 0, "R66: a slam is zero-sum"
        elif not any(rules.burn_points) and not rules.fault_points:
            assert sum(result.sums) == sum(rules.points), "R61"
        assert list(result.stifled) == list(deal.public.stifled)
        assert set(result.stifled) == set(book.stifled) == set(book.stifled_told)
        assert list(result.burned) == book.burns
        assert result.doubled is book.doubled()
        assert owed_in(result.obligations) == book.debts()
        assert book.recorded == result.obligations
        kinds = [KINDS.index(debt.kind) for debt in result.obligations]
        assert kinds == sorted(kinds), "R70"

    def _check_match(self, deal: gr.Deal, match: gr.Match, result: gr.DealResult) -> None:
        owed, number = match.obligations, match.deal_number
        step = match.finish(deal)
        assert step.result == result
        if result.void:
            assert (match.obligations, match.deal_number, match.over) == (owed, number, False), "R50, R79"
        else:
            self.scores = [a + b for a, b in zip(self.scores, result.scores, strict=True)]
            swept = result.sweep and match.rules.sweep_tribute == "match_ends"
            assert match.over is (number == match.deals or swept), "R68, R76"
            assert match.obligations == (() if match.over else result.obligations)
            assert match.deal_number == number + (not match.over)
        assert list(match.scores) == self.scores
        if match.over:
            best = [side for side, score in enumerate(self.scores) if score == max(self.scores)]
            lot = match.rules.tie_by_lot and len(best) > 1
            winner = draw_lot(deal.seed or deal.digest(), tuple(best)) if lot else best[0] if len(best) == 1 else -1
            assert match.winner == winner
            with pytest.raises(ValueError, match="over"):
                match.start_deal(bytes(32))

    def teardown(self) -> None:
        """Whatever happened, by default answers the deal comes to an end (R29)."""
        deal = getattr(self, "deal", None)
        if deal is None:
            return
        for _ in range(self.most + 1):
            if deal.over:
                return
            seat = next(seat for seat in range(6) if deal.is_asked(seat))
            deal.apply(seat, deal.default_action(seat))
        raise AssertionError("a deal must end (R29)")


TestWholeMatches: Any = WholeMatches.TestCase
TestWholeMatches.settings = settings(
    max_examples=max(20, settings().max_examples // 2), stateful_step_count=50, deadline=None
)


@pytest.mark.parametrize("number", range(MATCHES))
@pytest.mark.parametrize("name", RULE_SETS)
def test_a_match_from_the_shuffled_pack(name: str, number: int) -> None:
    """Two whole deals of every rule set, tribute between them, with all that must hold at their end."""
    machine = WholeMatches()
    machine._begin(RULE_SETS[name], 2)
    rng = Random(f"{name} {number}")
    while not machine.match.over:
        machine.deal_cards(rng.randrange(2**32), 0)
        while machine.deal is not None:
            machine.play_on(rng.randrange(2**16), 60, rng.random() < 0.5)
            machine.cards_are_conserved()
            machine.somebody_is_asked()
            machine.views_are_composed()
            running: gr.Deal | None = machine.deal
            if running is not None and rng.random() < 0.3:
                machine.save(True)
                machine.anything(rng.randrange(6), rng.choice(list(gr.Verb)), rng.choice(PLAYS))
                machine.all_answers(rng.randrange(6))
                machine.ask_count(rng.randrange(6), rng.randrange(6))
