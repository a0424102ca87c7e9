"""From the engine's words to the wire's: events, plays and the public state of a deal.

Everything here reads public facts alone: events and :class:`gouji_rules.PublicState`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import gouji_rules as gr
from gouji.cards.v1 import cards_pb2
from gouji.table.v1 import events_pb2, state_pb2
from gouji_rules.plays import big_of, low_of, naturals_of, small_of, twos_of
from gouji_server.tables import happenings
from gouji_server.tables.convert_absence import ABSENCE_WRITERS
from gouji_server.tables.convert_lobby import LOBBY_WRITERS
from gouji_server.tables.convert_reveal import deal_revealed
from gouji_server.tables.convert_tribute import TRIBUTE_WRITERS, moves_messages, obligation_message, ranks_of_mask
from gouji_server.tables.promise import write_begun, write_promised
from gouji_server.tables.seats import SEATS

if TYPE_CHECKING:
    from collections.abc import Callable

SEATS_IN: tuple[tuple[int, ...], ...] = tuple(
    tuple(seat for seat in range(SEATS) if mask >> seat & 1) for mask in range(64)
)
"""The seats of a mask, ascending."""

_MOST_PLAYS = 20_000
_plays: dict[tuple[int, bool], cards_pb2.Play] = {}


def play_message(play: int, gouji: bool) -> cards_pb2.Play:
    """What a play means; shared, so not to be changed."""
    known = _plays.get((play, gouji))
    if known is None:
        known = _make_play(gr.Play(play), gouji)
        if len(_plays) >= _MOST_PLAYS:
            _plays.clear()
        _plays[(play, gouji)] = known
    return known


def _make_play(play: gr.Play, gouji: bool) -> cards_pb2.Play:
    naturals, twos = naturals_of(play), twos_of(play)
    return cards_pb2.Play(
        rank=low_of(play) + 1 if naturals or twos else 0,  # type: ignore[arg-type]
        naturals=naturals,
        twos=twos,
        small_jokers=small_of(play),
        big_jokers=big_of(play),
        gouji=gouji,
    )


def fill_played(message: state_pb2.PlayedCards, played: gr.Played | gr.PlayedCards, gouji: bool) -> None:
    """Write cards put down."""
    message.seat = played.seat
    message.cards.extend(played.cards)  # type: ignore[arg-type]
    message.play.CopyFrom(play_message(played.play, gouji))
    message.manner = int(played.manner)  # type: ignore[assignment]
    message.trick = played.trick
    if played.dead:
        message.dead = True
    if played.last:
        message.last = True
    if played.headless:
        message.headless = True


def history_messages(public: gr.PublicState) -> list[state_pb2.PlayedCards]:
    """Every play of a deal so far."""
    made = []
    for played in public.plays:
        message = state_pb2.PlayedCards()
        fill_played(message, played, gr.is_gouji(public.rules, played.play))
        made.append(message)
    return made


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _match_started(event: events_pb2.TableEvent, said: happenings.MatchStarted) -> None:
    event.match_started.deals = said.deals


def _deal_started(event: events_pb2.TableEvent, said: happenings.DealStarted) -> None:
    write_begun(event.deal_started, said)


def _deal_promised(event: events_pb2.TableEvent, said: happenings.DealPromised) -> None:
    write_promised(event.deal_promised, said)


def _entropy_given(event: events_pb2.TableEvent, said: happenings.EntropyGiven) -> None:
    event.entropy_given.entropy.seat = said.seat
    event.entropy_given.entropy.entropy = said.entropy


def _question_opened(event: events_pb2.TableEvent, said: happenings.QuestionOpened) -> None:
    event.question_opened.SetInParent()


def _dissolution_voted(event: events_pb2.TableEvent, said: happenings.DissolutionVoted) -> None:
    event.dissolution_voted.seat = said.seat
    event.dissolution_voted.agrees = said.agrees


def _cards_shown(event: events_pb2.TableEvent, said: gr.CardsShown) -> None:
    event.cards_shown.seat = said.seat
    event.cards_shown.cards.extend(said.cards)  # type: ignore[arg-type]


def _lead_fixed(event: events_pb2.TableEvent, said: gr.LeadFixed) -> None:
    event.lead_fixed.seat = said.seat
    event.lead_fixed.reason = said.reason.value  # type: ignore[assignment]


def _revolution_settled(event: events_pb2.TableEvent, said: gr.RevolutionSettled) -> None:
    event.revolution_settled.SetInParent()
    event.revolution_settled.seats.extend(said.seats)


def _head_chosen(event: events_pb2.TableEvent, said: gr.HeadChosen) -> None:
    event.head_chosen.seat = said.seat
    event.head_chosen.keep = said.keep


def _deal_voided(event: events_pb2.TableEvent, said: gr.DealVoided) -> None:
    event.deal_voided.SetInParent()
    event.deal_voided.seats.extend(said.seats)


def _played(event: events_pb2.TableEvent, said: gr.Played) -> None:
    fill_played(event.played.play, said, said.gouji)


def _passed(event: events_pb2.TableEvent, said: gr.Passed) -> None:
    event.passed.seat = said.seat


def _yielded(event: events_pb2.TableEvent, said: gr.Yielded) -> None:
    event.yielded.seat = said.seat


def _wind_asked(event: events_pb2.TableEvent, said: gr.WindAsked) -> None:
    event.wind_asked.seat = said.seat


def _window_closed(event: events_pb2.TableEvent, said: gr.WindowClosed) -> None:
    event.window_closed.SetInParent()


def _burn_ended(event: events_pb2.TableEvent, said: gr.BurnEnded) -> None:
    event.burn_ended.burner = said.burner
    event.burn_ended.reason = said.reason.value  # type: ignore[assignment]


def _burn_succeeded(event: events_pb2.TableEvent, said: gr.BurnSucceeded) -> None:
    event.burn_succeeded.burner = said.burner
    event.burn_succeeded.burned = said.burned


def _busted(event: events_pb2.TableEvent, said: gr.Busted) -> None:
    event.busted.seat = said.seat
    event.busted.place = said.place


def _finished(event: events_pb2.TableEvent, said: gr.Finished) -> None:
    event.finished.seat = said.seat
    event.finished.place = said.place


def _melee_began(event: events_pb2.TableEvent, said: gr.MeleeBegan) -> None:
    event.melee_began.SetInParent()


def _trick_ended(event: events_pb2.TableEvent, said: gr.TrickEnded) -> None:
    event.trick_ended.SetInParent()
    if said.owner >= 0:
        event.trick_ended.owner = said.owner
    if said.next_leader >= 0:
        event.trick_ended.next_leader = said.next_leader


def _deal_ended(event: events_pb2.TableEvent, said: gr.DealEnded) -> None:
    event.deal_ended.places.extend(said.places)
    event.deal_ended.scores.extend(said.scores)
    event.deal_ended.sweep = said.sweep


def _match_ended(event: events_pb2.TableEvent, said: happenings.MatchEnded) -> None:
    event.match_ended.scores.extend(said.scores)
    event.match_ended.reason = said.reason  # type: ignore[assignment]


def _table_closed(event: events_pb2.TableEvent, said: happenings.TableClosed) -> None:
    event.table_closed.reason = said.reason  # type: ignore[assignment]


WRITERS: dict[type[Any], Callable[[events_pb2.TableEvent, Any], None]] = {
    happenings.MatchStarted: _match_started,
    happenings.DealStarted: _deal_started,
    happenings.DealPromised: _deal_promised,
    happenings.EntropyGiven: _entropy_given,
    happenings.QuestionOpened: _question_opened,
    happenings.DissolutionVoted: _dissolution_voted,
    gr.CardsShown: _cards_shown,
    gr.LeadFixed: _lead_fixed,
    gr.RevolutionSettled: _revolution_settled,
    gr.HeadChosen: _head_chosen,
    gr.DealVoided: _deal_voided,
    gr.Played: _played,
    gr.Passed: _passed,
    gr.Yielded: _yielded,
    gr.WindAsked: _wind_asked,
    gr.WindowClosed: _window_closed,
    gr.BurnEnded: _burn_ended,
    gr.BurnSucceeded: _burn_succeeded,
    gr.Busted: _busted,
    gr.Finished: _finished,
    gr.MeleeBegan: _melee_began,
    gr.TrickEnded: _trick_ended,
    gr.DealEnded: _deal_ended,
    happenings.DealRevealed: deal_revealed,
    happenings.MatchEnded: _match_ended,
    happenings.TableClosed: _table_closed,
    **LOBBY_WRITERS,
    **TRIBUTE_WRITERS,
    **ABSENCE_WRITERS,
}
"""How each kind of event is written."""


# ── the public state of a deal ───────────────────────────────────────────────────────────────────────────────────────


class DealStateWriter:
    """Keeps one DealState message up to date, writing only what changed since the last time."""

    __slots__ = (
        "_about",
        "_asked",
        "_banks",
        "_burn",
        "_counts",
        "_dead",
        "_deadline",
        "_decision",
        "_flags",
        "_for_ending",
        "_kind",
        "_marks",
        "_melee",
        "_moves",
        "_must_hold_joker",
        "_owed",
        "_phase",
        "_places",
        "_plays",
        "_presence",
        "_question",
        "_scores",
        "_seats",
        "_standing",
        "_top",
        "_trick",
        "_verbs",
        "message",
    )

    def __init__(self, message: state_pb2.DealState) -> None:
        self.message = message
        self.reset(0)

    def reset(self, number: int) -> None:
        """Forget everything: another deal, of this number."""
        message = self.message
        message.Clear()
        message.deal = number
        self._seats = [message.seats.add(seat=seat) for seat in range(SEATS)]
        self._trick = message.trick
        self._question = message.question
        self._trick.SetInParent()
        self._question.SetInParent()
        self._phase: int = 0
        self._kind: int = 0
        self._asked = self._verbs = 0
        self._decision = self._deadline = 0
        self._must_hold_joker = self._melee = False
        self._plays = 0
        self._top: int = 0
        self._burn = (-1, -1, False)
        self._scores: tuple[int, ...] = ()
        self._standing: tuple[gr.Standing, ...] = ()
        self._places: tuple[int, ...] = ()
        self._counts: tuple[int, ...] = (-1,) * SEATS
        self._dead: tuple[int, ...] = (-1,) * SEATS
        self._flags = (0, 0, 0, 0)
        self._marks: tuple[object, ...] = ()
        self._owed: tuple[object, ...] = ()
        self._moves: tuple[object, ...] = ()
        self._about: tuple[object, ...] = (None, 0, 0, 0, False)
        self._for_ending = 0
        self._banks: tuple[int, ...] = ()
        self._presence = (-1, -1)

    def update(
        self,
        public: gr.PublicState,
        scores: tuple[int, ...],
        decision: int,
        deadline_ms: int,
        played: state_pb2.PlayedCards | None = None,
    ) -> None:
        """Write the state as it is now.

        ``deadline_ms`` is 0 without a clock; ``played`` the newest play if it was written already.
        """
        message = self.message
        if public.phase is not self._phase:
            self._phase = public.phase
            message.phase = public.phase.value  # type: ignore[assignment]
        if public.melee is not self._melee:
            message.melee = self._melee = public.melee
        if scores is not self._scores:
            self._scores = scores
            message.scores[:] = scores
        if (public.burner, public.burned, public.counter_burn) != self._burn:
            self._update_burn(public)
        self._update_seats(public)
        if public.obligations is not self._owed or public.moves is not self._moves:
            self._update_tribute(public)
        if len(public.history) != self._plays or public.top != self._top:
            self._update_top(public, played)
        self._trick.number = public.trick
        self._trick.leader = max(public.leader, 0)
        self._update_question(public, decision, deadline_ms)

    def update_votes(self, for_ending: int) -> None:
        """Write who is for ending the match (R17)."""
        if for_ending != self._for_ending:
            self._for_ending = for_ending
            self.message.for_ending[:] = SEATS_IN[for_ending]

    def update_banks(self, left: tuple[int, ...]) -> None:
        """Write what is left of each seat's bank (milliseconds); a table without banks has none to tell of."""
        if left and left != self._banks:
            self._banks = left
            for message, ms in zip(self._seats, left, strict=True):
                message.bank_left.FromMilliseconds(ms)

    def update_presence(self, absent: int, autopilot: int) -> None:
        """Write whose player follows the table, and whose seat a bot plays for it."""
        if (absent, autopilot) != self._presence:
            self._presence = (absent, autopilot)
            for seat, message in enumerate(self._seats):
                message.connected = not absent >> seat & 1
                message.autopilot = bool(autopilot >> seat & 1)

    def _update_burn(self, public: gr.PublicState) -> None:
        self._burn = (public.burner, public.burned, public.counter_burn)
        if public.burner >= 0:
            self.message.burn.burner = public.burner
            self.message.burn.burned = public.burned
            self.message.burn.counter = public.counter_burn
        else:
            self.message.ClearField("burn")

    def _update_seats(self, public: gr.PublicState) -> None:
        seats = self._seats
        if public.standing != self._standing or public.place != self._places:
            self._standing, self._places = public.standing, public.place
            for seat, message in enumerate(seats):
                message.standing = public.standing[seat].value  # type: ignore[assignment]
                message.place = public.place[seat]
        if public.count_shown != self._counts:
            self._counts = public.count_shown
            for message, count in zip(seats, public.count_shown, strict=True):
                if count >= 0:
                    message.cards_left = count
                else:
                    message.ClearField("cards_left")
        if public.dead_left != self._dead:
            self._dead = public.dead_left
            for message, left in zip(seats, public.dead_left, strict=True):
                if left >= 0:
                    message.dead_goujis_left = left
                else:
                    message.ClearField("dead_goujis_left")
        flags = (public.passed, public.yielded, public.winded, public.headless)
        if flags != self._flags:
            self._update_flags(flags)
        marks = (public.opened, public.calls, public.stifled, public.felt, public.live_dead)
        if marks != self._marks:
            self._marks = marks
            self.message.live_dead_goujis = public.live_dead
            stifled = [seat for seat, _ in public.stifled]
            for seat, message in enumerate(seats):
                message.opened = bool(public.opened >> seat & 1)
                message.call = public.calls[seat]  # type: ignore[assignment]
                message.stifled = seat in stifled
                message.feels_used = public.felt[seat]

    def _update_tribute(self, public: gr.PublicState) -> None:
        self._owed, self._moves = public.obligations, public.moves
        message = self.message
        del message.obligations[:]
        message.obligations.extend(map(obligation_message, public.obligations))
        del message.moves[:]
        message.moves.extend(moves_messages(public))

    def _update_flags(self, flags: tuple[int, int, int, int]) -> None:
        passed, yielded, winded, headless = flags
        before = self._flags
        changed = passed ^ before[0] | yielded ^ before[1] | winded ^ before[2] | headless ^ before[3]
        self._flags = flags
        for seat in SEATS_IN[changed]:
            message = self._seats[seat]
            message.passed = bool(passed >> seat & 1)
            message.yielded = bool(yielded >> seat & 1)
            message.wind_asked = bool(winded >> seat & 1)
            message.headless = bool(headless >> seat & 1)

    def _update_top(self, public: gr.PublicState, played: state_pb2.PlayedCards | None) -> None:
        trick = self._trick
        self._plays = len(public.history)
        self._top = public.top
        if not public.top or not public.history:  # before play a card that is returned stands there (R73)
            trick.ClearField("top")
        elif played is not None:
            trick.top.CopyFrom(played)
        elif (last := public.last_played) is not None:
            trick.top.Clear()
            fill_played(trick.top, last, public.top_gouji)

    def _update_question(self, public: gr.PublicState, decision: int, deadline_ms: int) -> None:
        question = self._question
        if public.kind is not self._kind:
            self._kind = public.kind
            question.kind = public.kind.value  # type: ignore[assignment]
        if public.asked != self._asked:
            self._asked = public.asked
            question.seats[:] = SEATS_IN[public.asked]
        if public.verbs != self._verbs:
            self._verbs = public.verbs
            question.verbs[:] = _verbs_in(public.verbs)  # type: ignore[assignment]
        if public.must_hold_joker is not self._must_hold_joker:
            question.must_hold_joker = self._must_hold_joker = public.must_hold_joker
        returned = public.top if public.due else gr.Play(0)
        only_kill = public.only_kill if public.kind is gr.Kind.WINDOW else 0
        four = public.must_hold_four and public.kind is gr.Kind.LEAD
        about = (public.due, public.barred, returned, only_kill, four)
        if about != self._about:
            self._about = about
            self._update_about(public, returned, only_kill, must_hold_four=four)
        if decision != self._decision:
            question.decision = self._decision = decision
        if deadline_ms != self._deadline:
            self._deadline = deadline_ms
            if deadline_ms:
                question.deadline.seconds, rest = divmod(deadline_ms, 1000)
                question.deadline.nanos = rest * 1_000_000
            else:
                question.ClearField("deadline")

    def _update_about(self, public: gr.PublicState, returned: gr.Play, only_kill: int, *, must_hold_four: bool) -> None:
        """Write what only some questions have: about tribute, a lead after opening, a window with kills."""
        question = self._question
        question.must_hold_four = must_hold_four
        question.kill_only_seats[:] = SEATS_IN[only_kill]
        if public.due is None:
            question.ClearField("tribute")
        else:
            question.tribute.CopyFrom(obligation_message(public.due))
        if returned:
            question.returned.CopyFrom(play_message(returned, gr.is_gouji(public.rules, returned)))
        else:
            question.ClearField("returned")
        question.refused_ranks[:] = ranks_of_mask(public.barred)  # type: ignore[assignment]


@functools.cache
def _verbs_in(mask: int) -> tuple[int, ...]:
    return tuple(int(verb) for verb in gr.Verb if mask >> verb & 1)
