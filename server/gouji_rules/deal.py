"""A deal (一回合): explicit questions, and verify / can / apply for every answer (R4-R54).

``(rules, seed, answers)`` always give the same events. Nothing here reads a clock or draws a random number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gouji_rules import (
    buying,
    calls,
    dealing,
    digests,
    first_lead,
    legality,
    reporting,
    revolution,
    scoring,
    shuffle,
    tribute,
    trick,
)
from gouji_rules.actions import PASS, WIND, WITH_CARDS, YIELD, Action, Verb, verb_of
from gouji_rules.answer_log import Answer, AnswerLog
from gouji_rules.cards import as_cards, parse_ranks
from gouji_rules.errors import AlreadyAnswered, DealOver, DealRunning
from gouji_rules.events import CountTold, Event, Felt, Manner
from gouji_rules.handover import dealt_counts
from gouji_rules.plays import PLAY_MASK, Play
from gouji_rules.position import check_cards
from gouji_rules.question import Kind, Question
from gouji_rules.reveal import Reveal
from gouji_rules.state import Phase, PublicState, Standing
from gouji_rules.steps import AS_DEALT, FROM_SEED, READY, Step, plan
from gouji_rules.views import SeatView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.cards import Card
    from gouji_rules.obligations import Obligation
    from gouji_rules.position import Position
    from gouji_rules.rule_set import RuleSet

_FELT: Final = -2
"""In the chain of digests: no answer but a hand felt."""
_ASKED_TOGETHER: Final = frozenset({Kind.WINDOW, Kind.REVOLT, Kind.SHOW, Kind.CALL, Kind.WAIVE, Kind.SWAP})


class Deal:
    """A running or finished deal. Make one with :meth:`start` or :meth:`from_hands`."""

    __slots__ = (
        "_answers",
        "_chain",
        "_dealt",
        "_drawn",
        "_feels",
        "_fixed",
        "_lead",
        "_position",
        "_steps",
        "obligations",
        "rules",
        "seed",
        "start_events",
        "starts_as_dealt",
    )

    def __init__(
        self,
        rules: RuleSet,
        position: Position,
        dealt: tuple[bytes, ...],
        obligations: tuple[Obligation, ...],
        *,
        as_dealt: bool = False,
    ) -> None:
        self.rules: RuleSet = rules
        self.seed: bytes | None = None
        self._dealt: tuple[bytes, ...] = dealt
        self._drawn: bytes = b""
        self.obligations: tuple[Obligation, ...] = obligations
        self.starts_as_dealt: bool = as_dealt
        self.start_events: tuple[Event, ...] = ()
        self._position: Position = position
        self._lead: int = -1
        self._answers: AnswerLog = AnswerLog()
        self._feels: tuple[tuple[int, int], ...] = ()
        self._chain: bytes = b""
        self._fixed: bytes = b""
        self._steps: tuple[Step, ...] = ()

    @classmethod
    def start(
        cls,
        rules: RuleSet,
        seed: bytes,
        *,
        number: int = 1,
        obligations: Sequence[Obligation | str] = (),
        track_cards: bool = True,
    ) -> Deal:
        """Shuffle (R3) and take the steps of R4 up to the first question.

        What that made public is in ``start_events``. ``obligations`` are what the deal before left, as values or texts.
        ``track_cards=False`` keeps rank counts alone: for simulations.
        """
        order = shuffle.draw_order(rules, seed)
        first_drawer = shuffle.first_drawer(seed)
        dealt = dealing.dealt_out(order, first_drawer)
        steps = plan(rules, FROM_SEED)
        owed = dealing.read_obligations(obligations)
        made = cls(rules, dealing.before_play(rules, dealt, number, owed, steps, track_cards=track_cards), (), owed)
        made._steps = steps
        made.seed = seed
        made._drawn = order
        pos = made._position
        events: list[Event] = []
        if track_cards:
            pos.events = events
        made._go_on()
        made.start_events = tuple(events)
        pos.events = None
        return made

    @classmethod
    def from_hands(
        cls,
        rules: RuleSet,
        hands: Sequence[str | Sequence[int]],
        lead: int,
        obligations: Sequence[Obligation | str] = (),
        *,
        number: int = 1,
        as_dealt: bool = False,
    ) -> Deal:
        """A deal of given hands, in R-notation or as rank counts, after the first lead was fixed on ``lead``.

        The hands are those after buying and tribute, or with ``as_dealt`` those before. Hands may be short. An empty
        one is that of a revolutionary: its seat must answer so; rules without revolution refuse it. Raises ValueError
        for hands that the pack does not hold or the rules refuse, NotationError (a ValueError) for what cannot be read.
        """
        counts = [parse_ranks(hand) if isinstance(hand, str) else list(hand) for hand in hands]
        dealing.check_hands(rules, counts, lead)
        dealt = dealing.real_cards(rules, counts)
        steps = plan(rules, AS_DEALT if as_dealt else READY)
        owed = dealing.read_obligations(obligations)
        made = cls(rules, dealing.before_play(rules, dealt, number, owed, steps), dealt, owed, as_dealt=as_dealt)
        made._steps = steps
        made._fix_lead(lead)
        pos = made._position
        events: list[Event] = []
        pos.events = events
        made._go_on()
        made.start_events = tuple(events)
        pos.events = None
        return made

    # ── the order of a deal (R4) ─────────────────────────────────────────────────────────────────────────────────────

    def _go_on(self) -> None:
        """Take the steps of R4 in order until somebody is asked; after the last one play begins."""
        pos = self._position
        p = pos.public
        while p.kind == Kind.NONE and p.phase != Phase.OVER:
            if pos.step == len(self._steps):
                trick.begin_play(pos)
                return
            step = self._steps[pos.step]
            pos.step += 1
            self._take(step)

    def _take(self, step: Step) -> None:
        """One step: it asks somebody, or is done."""
        pos = self._position
        if step == Step.FIRST_LEAD:
            self._settle_first_lead()
        elif step == Step.REVOLUTION:
            revolution.ask_all(pos)
        elif step == Step.SWAP:
            tribute.ask_swap(pos)
        elif step == Step.BLIND_CALLS:
            calls.ask_blind(pos)
        elif step == Step.DRAW:
            self._draw()
        elif step == Step.BUYING:
            buying.buy_threes(pos)
        elif step == Step.TRIBUTE:
            tribute.begin(pos)
        else:
            calls.ask_open(pos)

    def _draw(self) -> None:
        """The cards are drawn after what is asked before."""
        pos = self._position
        dealt = self.dealt
        pos.take_up(dealing.packed_hands(dealt), pos.cards and [bytes(sorted(held)) for held in dealt])

    def _settle_first_lead(self) -> None:
        """Fix the first lead, or ask who shows (R5)."""
        pos = self._position
        if self.rules.show == "ask":
            first_lead.ask_all(pos)
        elif self.seed is not None:
            first_drawer, lot = shuffle.seats(self.seed)
            self._fix_lead(first_lead.show_all(pos, self._order(), first_drawer, lot))

    def _fix_lead(self, lead: int) -> None:
        self._drawn = b""
        self._lead = lead
        p = self._position.public
        p.first_leader = p.leader = lead

    def _order(self) -> bytes:
        """The order of drawing, kept only until the first lead is fixed; empty for a deal made from hands."""
        if self._drawn:
            return self._drawn
        return b"" if self.seed is None else shuffle.draw_order(self.rules, self.seed)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def position(self) -> Position:
        """The engine's inside, hidden cards included: never for a player's eyes."""
        return self._position

    @property
    def dealt(self) -> tuple[bytes, ...]:
        """The real cards dealt to each seat, as drawn; worked out anew from the seed where there is one."""
        if self.seed is None or self._dealt:
            return self._dealt
        return dealing.dealt_out(self._order(), shuffle.first_drawer(self.seed))

    @property
    def public(self) -> PublicState:
        """The live public state; treat it as read-only (:meth:`public_view` is a copy)."""
        return self._position.public

    @property
    def question(self) -> Question | None:
        """What is asked now; None when the deal is over."""
        return self._position.public.question

    @property
    def over(self) -> bool:
        """Whether the deal is over, void or played out."""
        return self._position.public.phase == Phase.OVER

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Every answer so far, hidden ones included: never for a player's eyes before the deal is over (R84)."""
        return tuple(self._answers.read(self._position.public.plays))

    def hand(self, seat: int) -> tuple[int, ...]:
        """A seat's hand as fifteen rank counts."""
        return tuple(self._position.hand(seat))

    def cards(self, seat: int) -> tuple[Card, ...]:
        """A seat's real cards, ascending; empty where they are not tracked."""
        cards = self._position.cards
        return () if cards is None else as_cards(cards[seat])

    def pending(self, seat: int) -> bool:
        """Whether this seat's own answer to the open question is in already, waiting for the others'."""
        pos = self._position
        p = pos.public
        return p.kind in _ASKED_TOGETHER and bool(p.asked & ~pos.waiting & 1 << seat)

    def is_asked(self, seat: int) -> bool:
        """Whether this seat is asked now and has not answered."""
        return bool(self._position.public.asked >> seat & 1) and not self.pending(seat)

    def view(self, seat: int) -> SeatView:
        """What a seat may see now (R80): a snapshot of the public state with the seat's own part."""
        return SeatView(self.rules, seat, self.public_view(), self.hand(seat), self.cards(seat), self.pending(seat))

    def public_view(self) -> PublicState:
        """What everyone may see now: a snapshot."""
        return self._position.public.copy()

    # ── answering ────────────────────────────────────────────────────────────────────────────────────────────────────

    def verify(self, seat: int, action: Action, cards: Sequence[int] | None = None) -> None:
        """Raise the RuleViolation that says why a seat may not answer so now; return if it may.

        In a window only public facts and the seat's own hand are read, as they were when it opened.
        """
        question = self._position.public.question_for(seat)
        if question is None:
            raise DealOver("R8", "DEAL_OVER", "the deal is over", "本盘已结束")
        if question.asks(seat) and self.pending(seat):
            raise AlreadyAnswered("R32", "ALREADY_ANSWERED", "this seat has answered already", "这个座位已经回答过了")
        pos = self._position
        legality.check(self.rules, question, seat, self.hand_asked(seat), action, self._threes(seat))
        if cards is not None and pos.cards is not None and action & PLAY_MASK and verb_of(action) != Verb.SHOW:
            check_cards(pos.cards[seat], Play(action & PLAY_MASK), cards)

    def can(self, seat: int, action: Action) -> bool:
        """Whether a seat may answer so now. Never enumerates."""
        question = self._position.public.question_for(seat)
        if question is None or not self.is_asked(seat):
            return False
        return legality.can(self.rules, question, seat, self.hand_asked(seat), action, self._threes(seat))

    def legal_actions(self, seat: int) -> Sequence[Action]:
        """Every action that a seat may answer with, as a lazy sequence; empty if it is not asked."""
        question = self._position.public.question_for(seat)
        if question is None or not self.is_asked(seat):
            return ()
        return legality.LegalActions(self.rules, question, self.hand_asked(seat), self._threes(seat))

    def open_verbs(self, seat: int) -> int:
        """Mask of the verbs with which some action of this seat would be accepted now."""
        question = self._position.public.question_for(seat)
        if question is None or not self.is_asked(seat):
            return 0
        return legality.open_verbs(self.rules, question, self.hand_asked(seat), self._threes(seat))

    def default_action(self, seat: int) -> Action:
        """What an expired clock answers for a seat asked now: pass, decline, no, keep the head, the lowest lead."""
        question = self._position.public.question_for(seat)
        if question is None or not self.is_asked(seat):
            raise DealOver("R20", "NOT_ASKED", "this seat is not asked now", "现在没有问到这个座位")
        return legality.default_action(self.rules, question, self.hand_asked(seat))

    def apply(self, seat: int, action: Action, cards: Sequence[int] | None = None) -> list[Event]:
        """Verify an answer, carry it out and return what happened, in order.

        An answer that leaves a common question open returns an empty list; the last one returns the outcome.
        ``cards`` are the real cards put down; None takes the lowest of their ranks. Raises RuleViolation and then has
        changed nothing (R16).
        """
        self.verify(seat, action, cards)
        pos = self._position
        play = action & PLAY_MASK if verb_of(action) in WITH_CARDS else 0
        chosen: bytes | None = None
        if play and cards is not None and pos.cards is not None:
            chosen = bytes(sorted(cards))
            pos.choose(seat, chosen)
        window = len(pos.public.history) if pos.public.kind == Kind.WINDOW else -1
        self._note(Answer(seat, action, as_cards(chosen or b""), window))
        events: list[Event] = []
        pos.events = events
        self.carry_out(seat, action)
        pos.events = None
        return events

    def _note(self, answer: Answer) -> None:
        """Keep an answer for the record."""
        self._answers.append(answer)
        cards = bytes(answer.cards)
        self._chain = digests.chain_answer(self._chain, answer.seat, answer.action, cards, answer.window)

    def carry_out(self, seat: int, action: Action) -> None:
        """Carry a legal answer out without noting it. For the engine's own drivers."""
        pos = self._position
        kind = pos.public.kind
        if kind == Kind.FOLLOW:
            if action == PASS:
                trick.do_pass(pos, seat)
            elif action == YIELD:
                trick.do_yield(pos, seat)
            elif action == WIND:
                trick.do_wind(pos, seat)
            else:
                trick.put_down(pos, seat, Play(action & PLAY_MASK), Manner.FOLLOW)
        elif kind == Kind.LEAD:
            trick.put_down(pos, seat, Play(action & PLAY_MASK), Manner.LEAD)
        elif kind == Kind.WINDOW:
            trick.answer_window(pos, seat, action)
        elif kind == Kind.HEAD:
            revolution.choose_head(pos, seat, action)
        elif kind in _ASKED_TOGETHER:
            self._answer_together(seat, action)
        else:
            self._answer_about_tribute(seat, action)

    def _answer_about_tribute(self, seat: int, action: Action) -> None:
        pos = self._position
        kind = pos.public.kind
        if kind == Kind.RETURN:
            tribute.pick_return(pos, seat, action)
        elif kind == Kind.REFUSE:
            tribute.answer_return(pos, action)
        else:
            tribute.answer_tribute(pos, action)
        self._go_on()

    def _answer_together(self, seat: int, action: Action) -> None:
        """One hidden answer to a question asked of several; the last one settles it."""
        pos = self._position
        if pos.public.kind == Kind.CALL:
            calls.announce(pos, seat, action)
        pos.answer(seat, action)
        pos.waiting &= ~(1 << seat)
        if not pos.waiting:
            self.close_question()

    def close_question(self) -> None:
        """All have answered a question before play: settle it and go on. For the engine's own drivers."""
        pos = self._position
        p = pos.public
        pos.waiting = 0
        kind = p.kind
        if kind == Kind.REVOLT:
            revolution.settle(pos)
            return
        if kind == Kind.SHOW:
            first_drawer, lot = shuffle.seats(self.seed or bytes(shuffle.SEED_BYTES))
            self._fix_lead(first_lead.settle(pos, self._order(), first_drawer, lot))
        elif kind == Kind.CALL:
            pos.forget_answers()
        elif kind == Kind.WAIVE:
            tribute.settle_waiver(pos)
        else:
            tribute.settle_swap(pos)
        if kind in (Kind.SHOW, Kind.CALL):
            p.kind = Kind.NONE
            p.asked = p.verbs = 0
        self._go_on()

    def hand_asked(self, seat: int) -> Sequence[int]:
        """The hand that counts for the open question: about revolution what was dealt, where the rules say so (R50)."""
        pos = self._position
        p = pos.public
        if p.kind == Kind.REVOLT and p.moves and self.rules.revolution_by == "dealt" and pos.left[seat]:
            return dealt_counts(p, seat, pos.hand(seat))
        return pos.hand(seat)

    # ── out of turn ──────────────────────────────────────────────────────────────────────────────────────────────────

    def ask_count(self, asker: int, of: int) -> CountTold:
        """Ask a seat how many cards it holds, for all to hear (R80, `report = asked`). Changes nothing."""
        return reporting.count_told(self._position, asker, of)

    def feel(self, asker: int) -> tuple[Felt, tuple[int, int]]:
        """Feel the opposite's hand (R82): what all learn, and for the asker alone the least and most it may hold."""
        told = reporting.feel(self._position, asker)
        self._note_feel(len(self._answers), asker)
        return told

    @property
    def feels(self) -> tuple[tuple[int, int], ...]:
        """Who felt its opposite's hand, in order: after how many answers, and which seat (R82)."""
        return self._feels

    def _note_feel(self, answered: int, asker: int) -> None:
        self._feels += ((answered, asker),)
        self._chain = digests.chain_answer(self._chain, asker, Action(0), b"", _FELT)

    def _threes(self, seat: int) -> tuple[int, int, int, int]:
        """A seat's 3s by suit, where they are asked for."""
        if self._position.public.kind != Kind.SHOW:
            return legality.NO_THREES
        return first_lead.threes_by_suit(self.rules, self.dealt[seat])

    # ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def result(self) -> scoring.DealResult:
        """Places and scores. Raises :class:`DealRunning` before the deal is over."""
        self._need_over()
        p = self._position.public
        if p.standing.count(Standing.REVOLTED) > 1:
            return scoring.void_result(self.rules)
        return scoring.result_of(p)

    def reveal(self) -> Reveal:
        """Everything of the deal (R84). Raises :class:`DealRunning` before it is over."""
        from gouji_rules.records import record_of_deal, write_record

        self._need_over()
        seed = self.seed
        return Reveal(
            hands=tuple(as_cards(sorted(held)) for held in self.dealt),
            seed=seed,
            order=as_cards(self._order()),
            first_drawer=-1 if seed is None else shuffle.first_drawer(seed),
            lead=self._lead,
            answers=self.answers,
            record=write_record(record_of_deal(self)),
        )

    @property
    def lead(self) -> int:
        """Who had the first lead before any revolution; -1 while that is open."""
        return self._lead

    def _need_over(self) -> None:
        if not self.over:
            raise DealRunning("R84", "DEAL_RUNNING", "the deal is not over yet", "本盘尚未结束")

    # ── copying ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def copy(self) -> Deal:
        """An independent copy, for search and for trying things out."""
        made = Deal(self.rules, self._position.copy(), self._dealt, self.obligations, as_dealt=self.starts_as_dealt)
        made._steps = self._steps
        made.seed = self.seed
        made.start_events = self.start_events
        made._lead = self._lead
        made._answers = self._answers.copy()
        made._feels = self._feels
        made._chain = self._chain
        made._fixed = self._fixed
        return made

    def restore(
        self, seed: bytes | None, lead: int, answers: Sequence[Answer], feels: Sequence[tuple[int, int]] = ()
    ) -> None:
        """Put back what a saved deal has besides its position. For serialization alone."""
        self.seed = seed
        self._lead = lead
        felt = list(feels)
        for answer in answers:
            while felt and felt[0][0] <= len(self._answers):
                self._note_feel(*felt.pop(0))
            self._note(answer)
        for answered, asker in felt:
            self._note_feel(answered, asker)
        if self.answers != tuple(answers):
            raise ValueError("the answers are not those of the plays")
        self._steps = plan(self.rules, FROM_SEED if seed is not None else AS_DEALT if self.starts_as_dealt else READY)
        if seed is not None and self._dealt == dealing.dealt_out(self._order(), shuffle.first_drawer(seed)):
            self._dealt = ()

    def to_bytes(self) -> bytes:
        """The whole deal, hidden parts included, in a form that :meth:`from_bytes` reads on any machine."""
        from gouji_rules.serialization import dump_deal

        return dump_deal(self)

    @staticmethod
    def from_bytes(data: bytes) -> Deal:
        """A deal written by :meth:`to_bytes`. Raises ValueError for anything else."""
        from gouji_rules.serialization import load_deal

        return load_deal(data)

    def digest(self) -> bytes:
        """SHA-256 over the whole deal, hidden parts included: equal iff everything is. Never to be sent."""
        if not self._fixed:
            self._fixed = digests.digest_of_start(self.rules, self.seed, self.dealt, self.obligations)
        return digests.digest_position(self._fixed, self._chain, self._position)
