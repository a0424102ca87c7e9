"""Between the wire's messages and the rules' own types."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.cards.v1 import cards_pb2
from gouji.table.v1 import state_pb2, table_pb2
from gouji_client.errors import BadInput, GoujiError, ProtocolBroken
from gouji_rules.actions import WITH_CARDS
from gouji_rules.obligations import KINDS, Obligation
from gouji_rules.option_values import rules_from_settings
from gouji_rules.state import Moved, pack_played

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gouji.lobby.v1 import lobby_pb2

SEATS = 6

MOVE_REASONS = {
    state_pb2.MOVE_REASON_BUY: "buy",
    state_pb2.MOVE_REASON_PAY: "pay",
    state_pb2.MOVE_REASON_TRIBUTE: "tribute",
    state_pb2.MOVE_REASON_RETURN: "return",
}
ASKED_TOGETHER = frozenset({gr.Kind.WINDOW, gr.Kind.REVOLT, gr.Kind.SHOW, gr.Kind.CALL, gr.Kind.WAIVE, gr.Kind.SWAP})
"""The questions that several seats answer together."""


def rules_of(info: lobby_pb2.Table) -> gr.RuleSet:
    """Return the rule set of a table. Raises `GoujiError` if this client's rules do not know it."""
    name = info.rule_set.removeprefix("ruleSets/")
    try:
        return rules_from_settings(name, ((setting.field, setting.value) for setting in info.options))
    except gr.RuleSetError as error:
        raise GoujiError(f"{info.name} plays {name!r}, which this version of gouji does not know: {error}") from error


def cards_from_wire(cards: Iterable[int]) -> tuple[gr.Card, ...]:
    """Return real cards, ascending. Raises `ProtocolBroken` for a number that is no card."""
    try:
        return tuple(gr.Card(card) for card in sorted(cards))
    except ValueError as error:
        raise ProtocolBroken(f"the server sent a card that this client does not know: {error}") from error


def played_from_wire(played: state_pb2.PlayedCards) -> gr.PlayedCards:
    """Return a play of the deal's history."""
    cards = cards_from_wire(played.cards)
    try:
        return gr.PlayedCards(
            seat=played.seat,
            trick=played.trick,
            manner=gr.Manner(played.manner),
            play=gr.play_of_cards(cards),
            cards=cards,
            dead=played.dead,
            last=played.last,
            headless=played.headless,
        )
    except (ValueError, gr.PlayError) as error:
        raise ProtocolBroken(f"the server sent a play that is none: {error}") from error


def action_to_wire(action: gr.Action, cards: Sequence[gr.Card] = ()) -> table_pb2.Action:
    """Return the message of an action; `cards` are the real cards of a PLAY, BURN, KILL or GIVE.

    Raises `BadInput` if the cards are not those of the action, `gr.PlayError` if they are no play.
    """
    verb = gr.verb_of(action)
    made = table_pb2.Action(verb=state_pb2.Verb.ValueType(verb))
    if verb in WITH_CARDS:
        if gr.play_of_cards(cards) != gr.play_of(action):
            raise BadInput(f"{gr.format_cards(cards)} are not the cards of “{gr.format_action(action)}”")
        made.cards.extend(cards_pb2.Card.ValueType(card) for card in sorted(cards))
    elif cards:
        raise BadInput(f"“{gr.format_action(action)}” takes no cards")
    if verb == gr.Verb.SHOW:
        made.suit = cards_pb2.Suit.ValueType(gr.suit_shown(action) + 1)
    return made


def verb_from_wire(verb: int) -> gr.Verb:
    """Return a verb. Raises `ProtocolBroken` for a number that is none."""
    try:
        return gr.Verb(verb)
    except ValueError as error:
        raise ProtocolBroken(f"the server told of a verb that this client does not know: {error}") from error


def play_from_wire(play: cards_pb2.Play) -> gr.Play:
    """Return a play from its meaning on the wire."""
    counts = [0] * 15
    if play.naturals:
        counts[play.rank - 1] = play.naturals
    counts[12:] = [play.twos, play.small_jokers, play.big_jokers]
    try:
        return gr.make_play(counts)
    except gr.PlayError as error:
        raise ProtocolBroken(f"the server sent a play that is none: {error}") from error


def question_from_wire(question: state_pb2.Question, state: state_pb2.DealState) -> gr.Question | None:
    """Return what is asked, or None if nothing is."""
    if question.kind == state_pb2.QUESTION_KIND_UNSPECIFIED:
        return None
    top, owner = gr.Play(0), -1
    if state.trick.HasField("top"):
        top, owner = played_from_wire(state.trick.top).play, state.trick.top.seat
    elif question.HasField("returned"):
        top, owner = play_from_wire(question.returned), question.tribute.receiver
    try:
        kind = gr.Kind(question.kind)
    except ValueError as error:
        raise ProtocolBroken(f"the server asks what this client does not know: {error}") from error
    return gr.Question(
        kind=kind,
        seats=_mask(question.seats),
        verbs=_mask(question.verbs),
        top=top,
        top_owner=owner,
        must_hold_joker=question.must_hold_joker,
        barred=_mask(rank - 1 for rank in question.refused_ranks),
        must_hold_four=question.must_hold_four,
    )


def obligation_from_wire(owed: state_pb2.Obligation) -> Obligation:
    """Return what is owed."""
    try:
        return Obligation(owed.payer, owed.receiver, KINDS[owed.kind - 1], owed.count)
    except (ValueError, IndexError) as error:
        raise ProtocolBroken(f"the server told of tribute that is none: {error}") from error


def move_from_wire(move: state_pb2.CardMove) -> Moved:
    """Return cards that went from hand to hand."""
    why = MOVE_REASONS.get(move.reason)
    if why is None:
        raise ProtocolBroken(f"the server moved cards for a reason that this client does not know: {move.reason}")
    try:
        cards = tuple(gr.Card(card) for card in move.cards)
    except ValueError as error:
        raise ProtocolBroken(f"the server sent a card that this client does not know: {error}") from error
    return Moved(move.giver, move.taker, why, tuple(map(gr.rank_of, cards)), cards)


def _mask(numbers: Iterable[int]) -> int:
    made = 0
    for number in numbers:
        made |= 1 << number
    return made


def public_from_wire(rules: gr.RuleSet, state: state_pb2.DealState, plays: Sequence[gr.PlayedCards]) -> gr.PublicState:
    """Return the rules' public state of a running deal, from what the wire tells of it.

    Which seats the running trick will still ask (`pending`), who yielded last (`yielder`), who showed cards, which
    burns succeeded and who stifled whom are not on the wire: they stay 0, -1 and empty. Raises `ProtocolBroken` for a
    state that this client's rules do not know.
    """
    try:
        return _public(rules, state, plays)
    except (ValueError, IndexError) as error:
        raise ProtocolBroken(f"the server told of a deal that this client does not know: {error}") from error


def _public(rules: gr.RuleSet, state: state_pb2.DealState, plays: Sequence[gr.PlayedCards]) -> gr.PublicState:
    public = gr.PublicState(rules, state.deal)
    public.phase = gr.Phase(state.phase)
    _fill_question(public, state)
    _fill_seats(public, state.seats)
    _fill_trick(public, state)
    public.obligations = tuple(map(obligation_from_wire, state.obligations))
    public.moves = tuple(map(move_from_wire, state.moves))
    public.melee = state.melee
    if state.HasField("burn"):
        public.burner, public.burned = state.burn.burner, state.burn.burned
        public.counter_burn = state.burn.counter
    public.live_dead = state.live_dead_goujis
    public.history = array("I", map(pack_played, plays))
    public.history_cards = b"".join([bytes(played.cards) for played in plays])
    if public.phase in (gr.Phase.SHOW, gr.Phase.SWAP) or public.verbs >> gr.Verb.CALL_BLIND & 1:
        public.leader = -1  # the lead is not fixed yet (R4)
    public.first_leader = plays[0].seat if plays else public.leader
    public.top_headless = public.top_headless and not public.melee
    public.closed = _closed(rules, public, plays)
    public.chance = _dead_gouji_chance(rules, public)
    return public


def _closed(rules: gr.RuleSet, public: gr.PublicState, plays: Sequence[gr.PlayedCards]) -> bool:
    """Whether a first or second finisher's last play is down in this trick (R21)."""
    last_plays = [played for played in plays if played.trick == public.trick and played.last]
    closing = rules.pass_after_last == "closed"  # noqa: S105 - no password
    return closing and any(public.place[played.seat] in (1, 2) for played in last_plays)


def _dead_gouji_chance(rules: gr.RuleSet, public: gr.PublicState) -> int:
    """The seat that may answer the top play with a dead gouji (R26), -1 if none: it is headless once that is past."""
    owner = public.top_owner
    if not public.top_last or public.melee or public.place[owner] not in (1, 2) or rules.dead_gouji == "none":
        return -1
    if rules.dead_gouji == "gouji_last" and not public.top_gouji:
        return -1
    opposite = (owner + 3) % SEATS
    return opposite if public.active & ~public.headless & 1 << opposite else -1


def _fill_question(public: gr.PublicState, state: state_pb2.DealState) -> None:
    question = question_from_wire(state.question, state)
    if question is not None:
        public.kind, public.asked, public.verbs = question.kind, question.seats, question.verbs
        public.must_hold_joker = question.must_hold_joker
        public.turn = -1 if question.kind in ASKED_TOGETHER else question.seat_list[0]
        public.barred = question.barred
        public.must_hold_four = question.must_hold_four
        public.only_kill = _mask(state.question.kill_only_seats)
        if not state.trick.HasField("top"):
            public.top, public.top_owner = question.top, question.top_owner
    if state.question.HasField("tribute"):
        public.due = obligation_from_wire(state.question.tribute)


def _fill_seats(public: gr.PublicState, seats: Sequence[state_pb2.SeatState]) -> None:
    if [seat.seat for seat in seats] != list(range(SEATS)):
        raise ProtocolBroken("the server told of other seats than 0 to 5")
    public.standing = tuple([gr.Standing(seat.standing) for seat in seats])
    public.place = tuple([seat.place for seat in seats])
    public.active = _mask(s.seat for s in seats if s.standing == state_pb2.STANDING_ACTIVE)
    public.passed = _mask(s.seat for s in seats if s.passed)
    public.yielded = _mask(s.seat for s in seats if s.yielded)
    public.winded = _mask(s.seat for s in seats if s.wind_asked)
    public.headless = _mask(s.seat for s in seats if s.headless)
    public.count_shown = tuple([s.cards_left if s.HasField("cards_left") else -1 for s in seats])
    public.dead_left = tuple([s.dead_goujis_left if s.HasField("dead_goujis_left") else -1 for s in seats])
    finished = [s for s in seats if s.standing == state_pb2.STANDING_FINISHED]
    public.finished = tuple([s.seat for s in sorted(finished, key=lambda s: s.place)])
    public.opened = _mask(s.seat for s in seats if s.opened)
    public.calls = tuple(int(s.call) for s in seats)
    public.felt = tuple(s.feels_used for s in seats)
    public.revolted = next((s.seat for s in seats if s.standing == state_pb2.STANDING_REVOLTED), -1)


def _fill_trick(public: gr.PublicState, state: state_pb2.DealState) -> None:
    trick = state.trick
    public.trick = trick.number
    public.leader = trick.leader if state.HasField("trick") else -1
    if not trick.HasField("top"):
        return
    top = played_from_wire(trick.top)
    public.top, public.top_owner = top.play, top.seat
    public.top_gouji = trick.top.play.gouji
    public.top_dead, public.top_last, public.top_headless = top.dead, top.last, top.headless
