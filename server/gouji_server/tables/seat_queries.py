"""What a seat may ask about its own hand: which plays it could make, and whether an action would be accepted.

Only the public question and the caller's own hand are read.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

import gouji_rules as gr
from gouji.rules.v1 import rules_pb2
from gouji.table.v1 import table_pb2
from gouji_rules.explanation import describe_play
from gouji_server.tables import refusals
from gouji_server.tables.convert import play_message
from gouji_server.tables.deciding import check_playing, read_action
from gouji_server.tables.inputs import Moved
from gouji_server.tables.moves import action_of

if TYPE_CHECKING:
    from gouji.table.v1 import table_pb2 as pb
    from gouji_server.tables.table import TableState

PAGE_SIZE = 100
MOST_PAGE_SIZE = 500


def own_seat(state: TableState, account: str) -> int:
    """Return the caller's seat. Raises Refused for who has none."""
    seat = state.seats.seat_of(account)
    if seat < 0:
        raise state.stranger(account, refusals.not_seated())
    return seat


def legal_plays(state: TableState, account: str, page_size: int, page_token: str) -> pb.ListLegalPlaysResponse:
    """Return a page of the plays that the caller's seat could make on the open question."""
    seat = own_seat(state, account)
    if not 0 <= page_size <= MOST_PAGE_SIZE:
        raise refusals.bad_field("page_size", "0 to 500", "0 到 500")
    start = _read_token(page_token, state.decision) if page_token else 0
    answer = table_pb2.ListLegalPlaysResponse(decision=state.decision)
    deal = state.deal
    if deal is None or state.closed or not deal.is_asked(seat):
        return answer
    verbs = deal.open_verbs(seat)
    answer.verbs.extend(verb for verb in gr.Verb if verbs >> verb & 1)  # type: ignore[misc]
    legal = deal.legal_actions(seat)
    first = next((at for at, action in enumerate(legal) if gr.play_of(action)), len(legal))
    answer.total_size = len(legal) - first
    end = min(start + (page_size or PAGE_SIZE), answer.total_size)
    for at in range(start, end):
        play = gr.play_of(legal[first + at])
        answer.plays.append(play_message(play, gr.is_gouji(state.rules, play)))
    if end < answer.total_size:
        answer.next_page_token = _write_token(state.decision, end)
    return answer


def _write_token(decision: int, at: int) -> str:
    return base64.urlsafe_b64encode(f"{decision}.{at}".encode()).decode()


def _read_token(token: str, decision: int) -> int:
    try:
        said, at = base64.b64decode(token.encode(), b"-_", validate=True).decode().split(".")
        start = int(at)
        of = int(said)
    except (ValueError, binascii.Error):
        raise refusals.bad_field("page_token", "not a token of this list", "不是此列表的页标") from None
    if of != decision:
        raise refusals.stale_decision(decision)
    if start < 0:
        raise refusals.bad_field("page_token", "not a token of this list", "不是此列表的页标")
    return start


def check(state: TableState, account: str, action: pb.Action) -> pb.CheckPlayResponse:
    """Say whether an action would be accepted from the caller's seat, and why not. Raises Refused for a bad shape."""
    seat = own_seat(state, account)
    verb, cards, suit = read_action(action)
    answer = table_pb2.CheckPlayResponse()
    try:
        meant = action_of(Moved(seat, verb, suit, 0, 0, -1, "", cards))
        play = gr.play_of(meant)
        if play:
            answer.play.CopyFrom(play_message(play, gr.is_gouji(state.rules, play)))
        check_playing(state, seat)
        if state.deal is None or state.deal.question is None:
            raise refusals.stale_decision(state.decision)
        if play and verb != gr.Verb.GIVE:
            _explain(state.deal, play, answer)
        state.deal.verify(seat, meant, cards or None)
    except gr.RuleViolation as violation:
        answer.error.CopyFrom(refusals.by_rule(violation).to_proto())
        answer.rule = violation.rule
    except refusals.Refused as refused:
        answer.error.CopyFrom(refused.to_proto())
    else:
        answer.accepted = True
    return answer


def _explain(deal: gr.Deal, play: gr.Play, answer: pb.CheckPlayResponse) -> None:
    """Say what the play is, and how it compares with the top play, card by card. Reads what is public alone."""
    reasons = [(reason.en, reason.zh) for reason in describe_play(deal.rules, play)]
    public = deal.public
    if public.history and public.top:
        why = gr.explain(deal.rules, public.top, play)
        reasons.append((why.text_en, why.text_zh))
        answer.rule = why.rule
        for cover in why.covers:
            answer.covers.add(
                top=cover.top + 1,
                answer=[rank + 1 for rank in cover.answer],
                stronger=cover.stronger,
            )
    answer.explanation.CopyFrom(
        rules_pb2.LocalizedText(en="; ".join(en for en, _ in reasons), zh="；".join(zh for _, zh in reasons))
    )
