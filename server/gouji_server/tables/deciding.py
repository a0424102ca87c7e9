"""Judges commands: each becomes an input of the table, or the answer that it was given before, or is refused.

Nothing here changes the table. What is looked at is public or the caller's own, so that neither an answer nor its code
tells another seat's cards. Callers are authorised first, then the shape is looked at, then the memory of request ids,
then the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import gouji_rules as gr
from gouji_rules.actions import WITH_CARDS
from gouji_rules.errors import shortened
from gouji_rules.rule_set import MOST_DEALS
from gouji_server.tables import inputs, refusals
from gouji_server.tables.requests import Answer, body_hash, join_body
from gouji_server.tables.seats import check_seat, no_seat, not_owner, opposite
from gouji_server.tables.table import (
    ADD_BOT,
    ASK_COUNT,
    CHOOSE_OPPOSITE,
    FEEL,
    FROZEN,
    JOIN_TABLE,
    LEAVE_TABLE,
    PLAYING,
    SET_READY,
    SUBMIT_ACTION,
    VOTE_DISSOLUTION,
    WAITING,
    TableState,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from gouji.table.v1 import table_pb2

MOST_CARDS = 216
MOST_TITLE = 60
DECISION_SECONDS = (1.0, 3600.0)
MOST_BANK_SECONDS = 3600.0

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}").fullmatch
_WITH_CARDS = frozenset(map(int, WITH_CARDS))
_SHOW = int(gr.Verb.SHOW)
_LAST_VERB = int(gr.Verb.SWAP)
_NONE = b""
_NO_CARD = b"\0"
_LAST_CARD = int(gr.Card.BIG_JOKER)

Decision: TypeAlias = inputs.Input | Answer


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: an account that the API has authenticated. ``bot``: it is a bot's account.

    ``origin`` is a digest of where it calls from, where that may matter.
    """

    account: str
    display_name: str
    bot: bool = False
    origin: str = ""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """What a table is to be like.

    ``rule_set`` is a preset's name, ``options`` overrides by option name, ``seat`` the maker's (None: without a seat),
    ``decision_seconds`` None for no clock; a ``private`` table is opened by a join code and stands in no list.
    ``bank_seconds`` is each seat's bank for the match; ``spectator_delay_seconds`` how much later people without a seat
    are told what happens in it, ``most_spectators`` how many of them may follow at once; ``team_chat``: allies may
    talk in the match, ``hints``: players may ask for hints; ``rated``: the match counts for ratings.
    """

    rule_set: str = "qingdao"
    title: str = ""
    deals: int = 3
    decision_seconds: float | None = None
    seat: int | None = 0
    spectators: bool = True
    private: bool = False
    options: tuple[tuple[str, gr.rule_set.OptionValue], ...] = ()
    bank_seconds: float = 0.0
    spectator_delay_seconds: float = 0.0
    most_spectators: int = inputs.MOST_SPECTATORS
    team_chat: bool = False
    hints: bool = True
    rated: bool = False


def check_request_id(request_id: str) -> None:
    """Raise Refused for what is no request id."""
    if not _REQUEST_ID(request_id):
        raise refusals.bad_field(
            "request_id",
            "1 to 64 characters of A-Z a-z 0-9 - _ .",
            "1 到 64 个字符：A-Z a-z 0-9 - _ .",
            "BAD_REQUEST_ID",
        )


# ── moves ──


def read_action(action: table_pb2.Action) -> tuple[int, bytes, int]:
    """Return an action's verb, cards and suit 0..3. Raises Refused for a bad shape."""
    verb: int = action.verb
    if not 0 < verb <= _LAST_VERB:
        raise refusals.bad_field("action.verb", "there is no such verb", "没有这个动作", "BAD_ACTION")
    cards = _NONE
    if action.cards:
        cards = _read_cards(action, verb)
    elif verb in _WITH_CARDS:
        raise refusals.bad_field("action.cards", "this verb needs cards", "这个动作须给出牌", "BAD_ACTION")
    suit = action.suit
    if suit:
        if verb != _SHOW or not 1 <= suit <= 4:
            raise refusals.bad_field(
                "action.suit", "only showing takes a suit, 1 to 4", "只有亮牌须给花色", "BAD_ACTION"
            )
        return verb, cards, suit - 1
    if verb == _SHOW:
        raise refusals.bad_field("action.suit", "showing needs a suit", "亮牌须给花色", "BAD_ACTION")
    return verb, cards, 0


def _read_cards(action: table_pb2.Action, verb: int) -> bytes:
    given = action.cards
    if verb not in _WITH_CARDS:
        raise refusals.bad_field("action.cards", "this verb takes no cards", "这个动作不带牌", "BAD_ACTION")
    if len(given) > MOST_CARDS:
        raise refusals.bad_field("action.cards", "at most 216 cards", "最多 216 张牌", "BAD_ACTION")
    try:
        cards = bytes(given)
    except ValueError:  # not even a byte
        cards = _NO_CARD
    if min(cards) < 1 or max(cards) > _LAST_CARD:
        raise refusals.bad_field("action.cards", "cards are 1 to 54", "牌是 1 到 54", "BAD_ACTION")
    return cards


def decide_move(
    state: TableState, account: str, request: table_pb2.SubmitActionRequest, now_ms: int
) -> inputs.Moved | Answer:
    """Judge an answer to a question, all but the rules of the game, which the engine judges."""
    seat = state.seats.seat_of(account)
    if seat < 0:
        raise state.stranger(account, refusals.not_seated())
    request_id = request.request_id
    check_request_id(request_id)
    decision = request.decision
    if decision <= 0:
        raise refusals.bad_field("decision", "the question's decision is required", "须给出所答问题的 decision")
    verb, cards, suit = read_action(request.action)
    expected = request.expected_version if request.HasField("expected_version") else -1
    if expected < 0 and request.HasField("expected_version"):
        raise refusals.bad_field("expected_version", "a version is not negative", "版本号不能为负数")
    moved = inputs.Moved(seat, verb, suit, now_ms, decision, expected, request_id, cards)
    known = state.requests.find((account, SUBMIT_ACTION, request_id), moved.body)
    if known is not None:
        return known
    check_playing(state, seat)
    if decision != state.decision:
        raise refusals.stale_decision(state.decision)
    if expected >= 0 and expected != state.n:
        raise refusals.stale_version(state.n)
    return moved


def decide_ask(state: TableState, account: str, of: int, request_id: str, now_ms: int) -> inputs.CountAsked | Answer:
    """Judge asking a seat for its count, all but the rules of the game, which the engine judges."""
    seat = own_seat(state, account)
    check_request_id(request_id)
    of = check_seat(of)
    known = state.requests.find((account, ASK_COUNT, request_id), body_hash(of))
    if known is not None:
        return known
    check_playing(state, seat)
    check_said(state, seat)
    if not state.decision:
        raise refusals.no_deal()
    return inputs.CountAsked(now_ms, account, seat, of, request_id)


def decide_feel(state: TableState, account: str, request_id: str, now_ms: int) -> inputs.HandFelt | Answer:
    """Judge feeling the opposite's hand, all but the rules of the game, which the engine judges."""
    seat = own_seat(state, account)
    check_request_id(request_id)
    known = state.requests.find((account, FEEL, request_id), body_hash())
    if known is not None:
        return known
    check_playing(state, seat)
    if not state.decision:
        raise refusals.no_deal()
    return inputs.HandFelt(now_ms, account, seat, request_id)


def decide_vote(
    state: TableState, account: str, agrees: bool, request_id: str, now_ms: int
) -> inputs.DissolutionVoted | inputs.Unchanged | Answer:
    """Judge speaking for ending the match, or against it. What changes nothing is not told."""
    seat = own_seat(state, account)
    check_request_id(request_id)
    known = state.requests.find((account, VOTE_DISSOLUTION, request_id), body_hash(agrees))
    if known is not None:
        return known
    check_playing(state, seat)
    if state.facts is None:
        raise refusals.no_deal()
    check_said(state, seat)
    if not state.vote_changes(seat, agrees=agrees):
        return unchanged(now_ms, account, VOTE_DISSOLUTION, body_hash(agrees), request_id)
    return inputs.DissolutionVoted(now_ms, account, seat, agrees, request_id)


def check_said(state: TableState, seat: int) -> None:
    """Every word at a table is kept and told to all, so there is an end to them."""
    most = state.limits.said_a_deal
    if state.said[seat] >= most:
        raise refusals.said_too_much(most)


def check_changes(state: TableState, account: str) -> None:
    """Raise Refused where an account did too much already: whatever is done at a table that waits is kept too."""
    most = state.limits.changes_waiting
    if state.changes.get(account, 0) >= most:
        raise refusals.changed_too_often(most)


def unchanged(now_ms: int, account: str, method: str, body: bytes, request_id: str) -> inputs.Unchanged:
    """What changes nothing is remembered all the same: sent again when it would, its id gets the same answer."""
    return inputs.Unchanged(now_ms, account, method, body.hex(), request_id)


def own_seat(state: TableState, account: str) -> int:
    """Return the caller's seat. Raises Refused for who has none."""
    seat = state.seats.seat_of(account)
    if seat < 0:
        raise state.stranger(account, refusals.not_seated())
    return seat


def check_playing(state: TableState, seat: int) -> None:
    """Raise Refused unless a match is being played in which a seat is its player's."""
    if state.state != PLAYING:
        if state.state == WAITING:
            raise refusals.not_started()
        raise _closed(state)
    if state.held:
        raise refusals.held()
    if state.suspended:
        raise refusals.suspended()
    if state.ousted >> seat & 1:
        raise refusals.ousted()


def _closed(state: TableState) -> refusals.Refused:
    return refusals.frozen() if state.state == FROZEN else refusals.match_over()


# ── seats ──


def decide_join(
    state: TableState, caller: Caller, seat: int | None, request_id: str, now_ms: int, code: str = ""
) -> inputs.Joined | inputs.Unchanged | Answer:
    """Judge somebody's taking a seat. Who sits already gets the seat it has."""
    check_request_id(request_id)
    wanted = check_seat(seat)
    body = join_body(wanted, code)
    known = state.requests.find((caller.account, JOIN_TABLE, request_id), body)
    if known is not None:
        return known
    if not state.admits(caller.account, code):
        raise refusals.TableNotFound
    if caller.account in state.banned:
        raise refusals.not_welcome()
    sits = state.seats.seat_of(caller.account)
    if sits >= 0 and state.state == PLAYING:
        check_said(state, sits)
    else:
        check_waiting(state, caller.account, now_ms)
        check_changes(state, caller.account)
    if sits >= 0:
        return unchanged(now_ms, caller.account, JOIN_TABLE, body, request_id)
    free = state.seats.pick(wanted, caller.account)
    if state.changes_in_all >= state.limits.changes_waiting_in_all:
        raise refusals.too_many_came()
    return inputs.Joined(
        now_ms,
        caller.account,
        caller.display_name,
        free,
        wanted,
        request_id,
        caller.bot,
        code,
        caller.origin if state.rated else "",
    )


def known_join(state: TableState, caller: Caller, request_id: str) -> Answer | None:
    """Return what somebody was answered who took any seat, None if it did not."""
    return state.requests.find((caller.account, JOIN_TABLE, request_id), join_body(-1, ""))


def decide_leave(state: TableState, caller: Caller, request_id: str, now_ms: int) -> inputs.Left | Answer:
    """Judge somebody's giving the seat up."""
    check_request_id(request_id)
    known = state.requests.find((caller.account, LEAVE_TABLE, request_id), body_hash())
    if known is not None:
        return known
    if state.seats.seat_of(caller.account) < 0:
        raise state.stranger(caller.account, no_seat())
    check_waiting(state, caller.account, now_ms)
    return inputs.Left(now_ms, caller.account, request_id, state.heir(caller.account))


def decide_ready(
    state: TableState, caller: Caller, ready: bool, request_id: str, now_ms: int
) -> inputs.ReadySet | inputs.Unchanged | Answer:
    """Judge somebody's being ready. Saying again what was said changes nothing."""
    check_request_id(request_id)
    known = state.requests.find((caller.account, SET_READY, request_id), body_hash(ready))
    if known is not None:
        return known
    seat = state.seats.seat_of(caller.account)
    if seat < 0:
        raise state.stranger(caller.account, no_seat())
    check_waiting(state, caller.account, now_ms)
    check_changes(state, caller.account)
    if state.seats.players[seat].ready == ready:
        return unchanged(now_ms, caller.account, SET_READY, body_hash(ready), request_id)
    return inputs.ReadySet(now_ms, caller.account, ready, request_id)


def decide_opposite(
    state: TableState, caller: Caller, wanted: int, request_id: str, now_ms: int
) -> inputs.OppositeChosen | inputs.Unchanged | Answer:
    """Judge somebody's choosing its opposite (R9). Choosing again whom one has changes nothing."""
    check_request_id(request_id)
    wanted = check_seat(wanted)
    known = state.requests.find((caller.account, CHOOSE_OPPOSITE, request_id), body_hash(wanted))
    if known is not None:
        return known
    seat = state.seats.seat_of(caller.account)
    if seat < 0:
        raise state.stranger(caller.account, no_seat())
    check_waiting(state, caller.account, now_ms)
    if state.rules.seating != "choose_opposite":
        raise refusals.no_choosing()
    state.seats.check_choice(seat, wanted)
    check_changes(state, caller.account)
    if state.seats.players[seat].chosen and wanted == opposite(seat):
        return unchanged(now_ms, caller.account, CHOOSE_OPPOSITE, body_hash(wanted), request_id)
    return inputs.OppositeChosen(now_ms, caller.account, wanted, request_id)


def decide_bot(
    state: TableState,
    caller: Caller,
    policy: str,
    policies: Collection[str],
    seat: int | None,
    request_id: str,
    now_ms: int,
) -> inputs.BotAdded | Answer:
    """Judge the owner's adding a built-in bot."""
    if caller.account != state.owner:
        raise state.stranger(caller.account, not_owner())
    check_request_id(request_id)
    wanted = check_seat(seat)
    policy = policy or "simple"
    if policy not in policies:
        known_ones = sorted(policies)
        text_en = f"there is no bot {shortened(policy)!r}: {', '.join(known_ones)}"
        raise refusals.bad_field("policy", text_en, f"没有这种机器人，可用：{'、'.join(known_ones)}", "NO_SUCH_BOT")
    known = state.requests.find((caller.account, ADD_BOT, request_id), body_hash(policy, wanted))
    if known is not None:
        return known
    check_waiting(state, caller.account, now_ms)
    return inputs.BotAdded(now_ms, caller.account, policy, state.seats.pick(wanted), wanted, request_id)


def check_waiting(state: TableState, account: str, now_ms: int) -> None:
    """Raise Refused unless the table waits for players. Who has no seat is told of a match's end with the delay."""
    if state.state == WAITING:
        return
    later = state.match is not None and state.seats.seat_of(account) < 0
    if state.state == PLAYING or (later and now_ms < state.end_time + state.spectator_delay_ms):
        raise refusals.started()
    raise _closed(state)


# ── making a table ──


def decide_create(
    caller: Caller, spec: TableSpec, request_id: str, now_ms: int, epoch: int, code: str = ""
) -> inputs.Created:
    """Judge the making of a table; `code` is the join code drawn for a private one."""
    check_request_id(request_id)
    options = dict(spec.options)
    try:
        gr.preset(spec.rule_set).replace(**options)
    except gr.RuleSetError as error:
        fields = tuple((f"rule_set.{shortened(field)}", error.text_en) for field in error.fields)
        raise refusals.Refused(
            refusals.INVALID_ARGUMENT, "BAD_RULE_SET", error.text_en, error.text_zh, fields=fields
        ) from error
    if len(spec.title) > MOST_TITLE or not spec.title.isprintable():
        raise refusals.bad_field("title", "at most 60 printable characters", "最多 60 个可见字符")
    if not 1 <= spec.deals <= MOST_DEALS:
        raise refusals.bad_field("deals", "1 to 100", "1 到 100")
    seconds = spec.decision_seconds
    if seconds is not None and not DECISION_SECONDS[0] <= seconds <= DECISION_SECONDS[1]:
        raise refusals.bad_field("decision_time", "1 s to 1 h", "1 秒到 1 小时")
    if not 0 <= spec.bank_seconds <= MOST_BANK_SECONDS or (spec.bank_seconds and seconds is None):
        raise refusals.bad_field(
            "time_control.bank", "up to 1 h, together with a decision time", "最多 1 小时，且须同时给出每手用时"
        )
    if spec.rated and spec.team_chat:
        raise refusals.bad_field("team_chat", "not at a rated table", "计分桌不许联邦内交谈")
    return inputs.Created(
        time=now_ms,
        epoch=epoch,
        rules=spec.rule_set,
        options={name: list(value) if isinstance(value, tuple) else value for name, value in options.items()},
        title=spec.title,
        deals=spec.deals,
        decision_ms=0 if seconds is None else round(seconds * 1000),
        spectators=spec.spectators,
        owner=caller.account,
        owner_name=caller.display_name,
        seat=check_seat(spec.seat),
        request_id=request_id,
        owner_bot=caller.bot,
        private=spec.private,
        code=code,
        bank_ms=round(spec.bank_seconds * 1000),
        spectator_delay_ms=round(spec.spectator_delay_seconds * 1000),
        most_spectators=spec.most_spectators,
        team_chat=spec.team_chat,
        hints=spec.hints and not spec.rated,
        rated=spec.rated,
        origin=caller.origin if spec.rated else "",
    )
