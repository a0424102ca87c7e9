"""From the rules' words to the wire's, as a server tells them: events and the public state of a deal."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.cards.v1 import cards_pb2
from gouji.table.v1 import events_pb2, state_pb2
from gouji_client.wire import MOVE_REASONS
from gouji_rules.obligations import KINDS, Obligation
from gouji_rules.plays import big_of, low_of, naturals_of, small_of, twos_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.state import Moved

SEATS = range(6)


def play_message(play: gr.Play, *, gouji: bool) -> cards_pb2.Play:
    """Return what a play means."""
    naturals, twos = naturals_of(play), twos_of(play)
    return cards_pb2.Play(
        rank=cards_pb2.Rank.ValueType(low_of(play) + 1 if naturals or twos else 0),
        naturals=naturals,
        twos=twos,
        small_jokers=small_of(play),
        big_jokers=big_of(play),
        gouji=gouji,
    )


def played_message(played: gr.Played | gr.PlayedCards, *, gouji: bool) -> state_pb2.PlayedCards:
    """Return cards put down."""
    return state_pb2.PlayedCards(
        seat=played.seat,
        cards=[cards_pb2.Card.ValueType(card) for card in played.cards],
        play=play_message(played.play, gouji=gouji),
        manner=state_pb2.Manner.ValueType(played.manner),
        trick=played.trick,
        dead=played.dead,
        last=played.last,
        headless=played.headless,
    )


def event_message(event: gr.Event) -> events_pb2.TableEvent:
    """Return an event of a deal, not numbered yet. Its fields have the names that the rules give them."""
    message = events_pb2.TableEvent()
    if isinstance(event, gr.Played):
        message.played.play.CopyFrom(played_message(event, gouji=event.gouji))
        return message
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()
    told = getattr(message, name)
    told.SetInParent()
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if isinstance(value, tuple):
            getattr(told, field.name).extend(_part(part) for part in value)
        elif value is not None and (isinstance(value, str) or value >= 0):  # else nobody, or nothing
            setattr(told, _FIELDS.get(field.name, field.name), _part(value))
    return message


def revealed_message(deal: gr.Deal, secret: bytes) -> events_pb2.TableEvent:
    """Return the event that opens a deal (R84), without a record."""
    message = events_pb2.TableEvent()
    message.deal_revealed.deal = deal.public.number
    message.deal_revealed.secret = secret
    for hand in deal.dealt:
        message.deal_revealed.hands.add().cards.extend(sorted(hand))  # type: ignore[arg-type]  # numbered alike
    return message


_FIELDS = {"of": "seat"}


def _part(value: object) -> object:
    """A part of an event, kinds of tribute as numbered on the wire."""
    if isinstance(value, Obligation):
        return obligation_message(value)
    return KINDS.index(value) + 1 if isinstance(value, str) else value


def obligation_message(owed: Obligation) -> state_pb2.Obligation:
    """Return what is owed."""
    kind = state_pb2.TributeKind.ValueType(KINDS.index(owed.kind) + 1)
    return state_pb2.Obligation(payer=owed.payer, receiver=owed.receiver, kind=kind, count=owed.count)


def move_message(move: Moved) -> state_pb2.CardMove:
    """Return cards that went from hand to hand."""
    reason = next(number for number, why in MOVE_REASONS.items() if why == move.why)
    cards = [cards_pb2.Card.ValueType(card) for card in move.cards]
    return state_pb2.CardMove(giver=move.giver, taker=move.taker, reason=reason, cards=cards)


def state_message(public: gr.PublicState, decision: int, scores: Sequence[int]) -> state_pb2.DealState:
    """Return all that everyone may know of a running deal."""
    state = state_pb2.DealState(
        deal=public.number,
        phase=state_pb2.Phase.ValueType(public.phase),
        seats=[_seat_message(public, seat) for seat in SEATS],
        trick=state_pb2.TrickState(number=public.trick, leader=max(public.leader, 0)),
        question=_question_message(public, decision),
        melee=public.melee,
        scores=scores,
        obligations=map(obligation_message, public.obligations),
        moves=map(move_message, public.moves),
        live_dead_goujis=public.live_dead,
    )
    top = public.last_played
    if public.top and top is not None:
        state.trick.top.CopyFrom(played_message(top, gouji=public.top_gouji))
    if public.burner >= 0:
        state.burn.burner, state.burn.burned = public.burner, public.burned
        state.burn.counter = public.counter_burn
    return state


def _seat_message(public: gr.PublicState, seat: int) -> state_pb2.SeatState:
    message = state_pb2.SeatState(
        seat=seat,
        standing=state_pb2.Standing.ValueType(public.standing[seat]),
        place=public.place[seat],
        passed=bool(public.passed >> seat & 1),
        yielded=bool(public.yielded >> seat & 1),
        wind_asked=bool(public.winded >> seat & 1),
        headless=bool(public.headless >> seat & 1),
        opened=bool(public.opened >> seat & 1),
        call=state_pb2.Call.ValueType(public.calls[seat]),
        stifled=any(stifled == seat for stifled, _ in public.stifled),
        feels_used=public.felt[seat],
    )
    if public.count_shown[seat] >= 0:
        message.cards_left = public.count_shown[seat]
    if public.dead_left[seat] >= 0:
        message.dead_goujis_left = public.dead_left[seat]
    return message


def _question_message(public: gr.PublicState, decision: int) -> state_pb2.Question:
    question = public.question
    if question is None:
        return state_pb2.Question()
    message = state_pb2.Question(
        kind=state_pb2.QuestionKind.ValueType(question.kind),
        seats=question.seat_list,
        verbs=[state_pb2.Verb.ValueType(verb) for verb in question.verb_list],
        decision=decision,
        must_hold_joker=question.must_hold_joker,
        must_hold_four=question.must_hold_four,
        kill_only_seats=[s for s in SEATS if question.kind == gr.Kind.WINDOW and public.only_kill >> s & 1],
        refused_ranks=[cards_pb2.Rank.ValueType(rank + 1) for rank in range(15) if question.barred >> rank & 1],
    )
    if public.due is not None:
        message.tribute.CopyFrom(obligation_message(public.due))
        if public.top:
            message.returned.CopyFrom(play_message(public.top, gouji=gr.is_gouji(public.rules, public.top)))
    return message


def history_messages(public: gr.PublicState) -> list[state_pb2.PlayedCards]:
    """Return every play of the running deal so far."""
    return [played_message(played, gouji=gr.is_gouji(public.rules, played.play)) for played in public.plays]
