"""MatchmakingService."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji.matchmaking.v1 import matchmaking_pb2 as pb
from gouji_rules.rule_set import PRESET_NAMES
from gouji_server.api.ticket_stream import TicketStream
from gouji_server.api.timestamps import timestamp
from gouji_server.api.validation import Shape
from gouji_server.lobby.rule_sets import PREFIX as RULE_SETS
from gouji_server.matchmaking import State, Wishes
from gouji_server.tables import Refused

if TYPE_CHECKING:
    import grpc

    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.join_codes import CodeTries
    from gouji_server.api.streams import Streams
    from gouji_server.matchmaking import Matchmaker, Parties, Party, Ticket
    from gouji_server.tables import Clock

SERVICE = "gouji.matchmaking.v1.MatchmakingService"
TICKETS = "tickets/"
PARTIES = "parties/"
FEW = 3
"""Fewer people than that are not counted aloud: who waits could be told from it."""
MOST_RULE_SETS = 6
MOST_FILL_SECONDS = 1800
MOST_WINDOW = 1000.0
_REGION = re.compile(r"[a-z0-9-]{0,32}").fullmatch
_STATES = {
    State.QUEUED: pb.TICKET_STATE_QUEUED,
    State.CALLED: pb.TICKET_STATE_CALLED,
    State.MATCHED: pb.TICKET_STATE_MATCHED,
    State.CANCELLED: pb.TICKET_STATE_CANCELLED,
    State.EXPIRED: pb.TICKET_STATE_EXPIRED,
}
_ID = (("request_id", "request_id"),)


class MatchmakingService:
    """Queues people and tells them what became of it."""

    def __init__(
        self,
        matchmaker: Matchmaker,
        parties: Parties,
        code_tries: CodeTries,
        streams: Streams,
        clock: Clock,
        heartbeat_seconds: float,
    ) -> None:
        self._matchmaker = matchmaker
        self._parties = parties
        self._code_tries = code_tries
        self._streams = streams
        self._clock = clock
        self._heartbeat_seconds = heartbeat_seconds

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "GetQueues": calls.unary("GetQueues", pb.GetQueuesRequest, self.get_queues),
            "CreateParty": calls.unary("CreateParty", pb.CreatePartyRequest, self.create_party, logged=_ID),
            "JoinParty": calls.unary("JoinParty", pb.JoinPartyRequest, self.join_party, logged=_ID),
            "LeaveParty": calls.unary("LeaveParty", pb.LeavePartyRequest, self.leave_party, logged=_ID),
            "GetParty": calls.unary("GetParty", pb.GetPartyRequest, self.get_party),
            "CreateTicket": calls.unary("CreateTicket", pb.CreateTicketRequest, self.create_ticket, logged=_ID),
            "GetTicket": calls.unary("GetTicket", pb.GetTicketRequest, self.get_ticket),
            "WatchTicket": calls.server_stream("WatchTicket", pb.WatchTicketRequest, self.watch_ticket),
            "CancelTicket": calls.unary("CancelTicket", pb.CancelTicketRequest, self.cancel_ticket, logged=_ID),
        }

    async def get_queues(self, _request: pb.GetQueuesRequest, _call: Call) -> pb.GetQueuesResponse:
        """Tell how many wait."""
        answer = pb.GetQueuesResponse()
        for name in PRESET_NAMES:
            people, wait = self._matchmaker.queue(name)
            queue = answer.queues.add(rule_set=RULE_SETS + name, people=people if people >= FEW else None)
            if wait is not None:
                queue.expected_wait.FromMilliseconds(round(wait * 1000))
        return answer

    # ── parties ──

    async def create_party(self, request: pb.CreatePartyRequest, call: Call) -> pb.CreatePartyResponse:
        """Make a party."""
        Shape().request_id(request.request_id).settle()
        account = call.caller.account
        name = sha256(b"\0".join((b"gouji/party/1", account.encode(), request.request_id.encode()))).hexdigest()[:24]
        return pb.CreatePartyResponse(party=_party(self._parties.create(name, account)))

    async def join_party(self, request: pb.JoinPartyRequest, call: Call) -> pb.JoinPartyResponse:
        """Enter a party."""
        Shape().request_id(request.request_id).settle()
        account = call.caller.account
        party = self._parties.find(self._code_tries.take(account, call, request.join_code))
        if account not in party.members and self._waiting(party):
            text_en, text_zh = "the party waits to be matched already", "队伍已在排队"
            raise Refused(code_pb2.FAILED_PRECONDITION, "TICKET_WAITS", text_en, text_zh)
        self._parties.join(party, account)
        return pb.JoinPartyResponse(party=_party(party))

    async def leave_party(self, request: pb.LeavePartyRequest, call: Call) -> pb.LeavePartyResponse:
        """Leave a party."""
        Shape().request_id(request.request_id).settle()
        account = call.caller.account
        party = self._parties.get(request.name.removeprefix(PARTIES), account)
        if self._waiting(party):
            await self._matchmaker.cancel(party.ticket, account)
        self._parties.leave(party, account)
        return pb.LeavePartyResponse()

    async def get_party(self, request: pb.GetPartyRequest, call: Call) -> pb.GetPartyResponse:
        """Tell about a party."""
        party = self._parties.get(request.name.removeprefix(PARTIES), call.caller.account)
        return pb.GetPartyResponse(party=_party(party))

    def _waiting(self, party: Party) -> bool:
        return bool(party.ticket) and not self._matchmaker.get(party.ticket, party.members[0]).state.over

    # ── tickets ──

    async def create_ticket(self, request: pb.CreateTicketRequest, call: Call) -> pb.CreateTicketResponse:
        """Queue the caller, or its party."""
        account = call.caller.account
        wishes = _wishes(request)
        party = self._parties.get(request.party.removeprefix(PARTIES), account) if request.party else None
        if party is not None and party.members[0] != account:
            text_en, text_zh = "only the party's leader may do this", "只有队长可以这样做"
            raise Refused(code_pb2.FAILED_PRECONDITION, "NOT_LEADER", text_en, text_zh)
        accounts = (account,) if party is None else tuple(party.members)
        ticket = await self._matchmaker.create(account, accounts, wishes, request.request_id)
        if party is not None:
            party.ticket = ticket.id
        return pb.CreateTicketResponse(ticket=self._told(ticket))

    async def get_ticket(self, request: pb.GetTicketRequest, call: Call) -> pb.GetTicketResponse:
        """Tell about a ticket."""
        return pb.GetTicketResponse(ticket=self._told(self._ticket(request.name, call)))

    async def watch_ticket(self, request: pb.WatchTicketRequest, call: Call) -> None:
        """Write a ticket whenever it changes, until it is over."""
        ticket = self._ticket(request.name, call)
        stream = TicketStream(call.identity, call.address, self._clock, self._heartbeat_seconds)
        try:
            with self._streams.admit(stream):
                await stream.run(
                    call.context,
                    lambda: self._told(ticket),
                    lambda: self._matchmaker.changed(ticket.id),
                    lambda: ticket.state.over,
                )
        finally:
            stream.close()

    async def cancel_ticket(self, request: pb.CancelTicketRequest, call: Call) -> pb.CancelTicketResponse:
        """Give a ticket up."""
        Shape().request_id(request.request_id).settle()
        ticket = await self._matchmaker.cancel(request.name.removeprefix(TICKETS), call.caller.account)
        return pb.CancelTicketResponse(ticket=self._told(ticket))

    def _ticket(self, name: str, call: Call) -> Ticket:
        return self._matchmaker.get(name.removeprefix(TICKETS), call.caller.account)

    def _told(self, ticket: Ticket) -> pb.Ticket:
        told = pb.Ticket(
            name=TICKETS + ticket.id,
            state=_STATES[ticket.state],
            accounts=ticket.accounts,
            rule_sets=[RULE_SETS + name for name in ticket.wishes.rule_sets],
            region=ticket.wishes.region,
            create_time=timestamp(ticket.created),
            expire_time=timestamp(ticket.expires),
            rating_window=ticket.window(self._clock.now()),
        )
        if ticket.state in (State.CALLED, State.MATCHED):
            told.table = ticket.table
        if ticket.state is State.CALLED:
            told.ready_until.CopyFrom(timestamp(ticket.ready_until))
        if ticket.wishes.fill_after is not None:
            told.fill_with_bots_after.FromMilliseconds(round(ticket.wishes.fill_after * 1000))
        return told


def _party(party: Party) -> pb.Party:
    ticket = TICKETS + party.ticket if party.ticket else ""
    return pb.Party(name=PARTIES + party.id, join_code=party.code, accounts=party.members, ticket=ticket)


def _wishes(request: pb.CreateTicketRequest) -> Wishes:
    """Read what a ticket asks for. Raises Refused, with all fields that are not as they should be."""
    shape = Shape().request_id(request.request_id)
    names = [name.removeprefix(RULE_SETS) for name in request.rule_sets]
    known = all(name in PRESET_NAMES and name != said for name, said in zip(names, request.rule_sets, strict=True))
    if not 1 <= len(names) <= MOST_RULE_SETS or len(set(names)) < len(names) or not known:
        shape.bad("rule_sets", "wanted: one to six rule sets, each once", "应为1到6种规则，不得重复")
    if not _REGION(request.region):
        shape.bad("region", "wanted: at most 32 characters of a-z 0-9 -", "最多32个字符，限 a-z 0-9 -")
    windows = (request.window_start, request.window_step, request.window_most)
    if any(windows) and not (0 <= windows[0] <= windows[2] <= MOST_WINDOW and 0 <= windows[1] <= MOST_WINDOW):
        shape.bad("window_most", "wanted: 0 <= window_start <= window_most <= 1000", "应为 0 至 1000，且不小于起始值")
    fill = None
    if request.HasField("fill_with_bots_after"):
        shape.duration(request.fill_with_bots_after, 0, MOST_FILL_SECONDS, "fill_with_bots_after")
        fill = request.fill_with_bots_after.ToNanoseconds() / 1e9
    shape.settle()
    if not any(windows):
        return Wishes(tuple(names), request.region, fill_after=fill)
    return Wishes(tuple(names), request.region, *windows, fill_after=fill)
