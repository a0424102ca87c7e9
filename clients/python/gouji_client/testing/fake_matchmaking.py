"""The fake server's matchmaker: tickets and parties with the states and reasons of the real one."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import deque
from typing import TYPE_CHECKING

import grpc

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.matchmaking.v1 import matchmaking_pb2 as pb
from gouji_client.testing.fake_tickets import Ticket, fit, seats_of
from gouji_client.testing.hall import code_of
from gouji_client.testing.refusals import Refusal, bad_request

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gouji_client.clock import Clock
    from gouji_client.testing.fake_session import FakeAccounts
    from gouji_client.testing.fake_tickets import Sides
    from gouji_client.testing.hall import Hall

TICKET_SECONDS = 1800.0
READY_SECONDS = 30.0
FEW = 3
_BOT = "simple"
_LOOK_SECONDS = 0.05
"""How often the queue is looked through while somebody watches."""
_REGION = re.compile(r"[a-z0-9-]{0,32}").fullmatch


class FakeMatchmaking:
    """Puts people together at tables of the hall."""

    def __init__(self, accounts: FakeAccounts, hall: Hall, clock: Clock) -> None:
        self._accounts = accounts
        self._hall = hall
        self._clock = clock
        self._tickets: dict[str, Ticket] = {}
        self._parties: dict[str, pb.Party] = {}
        self._made: dict[tuple[str, str], str] = {}
        self._waits: dict[str, deque[float]] = {name: deque(maxlen=20) for name in gr.PRESETS}

    async def get_queues(self, request: pb.GetQueuesRequest, token: str) -> pb.GetQueuesResponse:
        """See `MatchmakingService.GetQueues`."""
        self._look()
        answer = pb.GetQueuesResponse()
        for name in gr.PRESETS:
            rule_set = f"ruleSets/{name}"
            waiting = [
                ticket for ticket in self._tickets.values() if ticket.queued and rule_set in ticket.told.rule_sets
            ]
            people = sum(len(ticket.told.accounts) for ticket in waiting)
            queue = answer.queues.add(rule_set=rule_set, people=people if people >= FEW else None)
            waits = self._waits[name]
            if len(waits) >= FEW:
                queue.expected_wait.FromMilliseconds(round(sum(waits) / len(waits) * 1000))
        return answer

    # ── parties ──

    async def create_party(self, request: pb.CreatePartyRequest, token: str) -> pb.CreatePartyResponse:
        """See `MatchmakingService.CreateParty`."""
        account = self._accounts.account_of(token).name
        made = self._made.get((account, request.request_id), "")
        if made in self._parties and account in self._parties[made].accounts:
            return pb.CreatePartyResponse(party=self._parties[made])
        self._check_free(account)
        party = pb.Party(name=f"parties/{secrets.token_hex(12)}", join_code=self._hall.new_code(), accounts=[account])
        self._parties[party.name] = party
        self._made[account, request.request_id] = party.name
        return pb.CreatePartyResponse(party=party)

    async def join_party(self, request: pb.JoinPartyRequest, token: str) -> pb.JoinPartyResponse:
        """See `MatchmakingService.JoinParty`."""
        account, code = self._accounts.account_of(token).name, code_of(request.join_code)
        party = next((party for party in self._parties.values() if party.join_code == code), None)
        if party is None:
            raise _no_party()
        if account not in party.accounts:
            if self._is_waiting(party):
                raise _not_now("TICKET_WAITS", "the party waits to be matched already", "队伍已在排队")
            self._check_free(account)
            if len(party.accounts) >= FEW:
                raise _not_now("PARTY_FULL", "the party has three members", "队伍已满三人")
            party.accounts.append(account)
        return pb.JoinPartyResponse(party=party)

    async def leave_party(self, request: pb.LeavePartyRequest, token: str) -> pb.LeavePartyResponse:
        """See `MatchmakingService.LeaveParty`."""
        account = self._accounts.account_of(token).name
        party = self._party(request.name, account)
        if self._is_waiting(party):
            self._tickets[party.ticket].told.state = pb.TICKET_STATE_CANCELLED
        if party.accounts[0] == account:
            del self._parties[party.name]
        else:
            party.accounts.remove(account)
        return pb.LeavePartyResponse()

    async def get_party(self, request: pb.GetPartyRequest, token: str) -> pb.GetPartyResponse:
        """See `MatchmakingService.GetParty`."""
        return pb.GetPartyResponse(party=self._party(request.name, self._accounts.account_of(token).name))

    def _party(self, name: str, account: str) -> pb.Party:
        party = self._parties.get(name)
        if party is None or account not in party.accounts:
            raise _no_party()
        return party

    def _check_free(self, account: str) -> None:
        if any(account in party.accounts for party in self._parties.values()):
            raise _not_now("IN_A_PARTY", "you are in a party: leave it first", "你已在队伍中：请先离开")

    def _is_waiting(self, party: pb.Party) -> bool:
        return party.ticket in self._tickets and not self._tickets[party.ticket].over

    # ── tickets ──

    async def create_ticket(self, request: pb.CreateTicketRequest, token: str) -> pb.CreateTicketResponse:
        """See `MatchmakingService.CreateTicket`."""
        account = self._accounts.account_of(token).name
        _check(request)
        party = self._party(request.party, account) if request.party else None
        if party is not None and party.accounts[0] != account:
            raise _not_now("NOT_LEADER", "only the party's leader may do this", "只有队长可以这样做")
        accounts = list(party.accounts) if party is not None else [account]
        body = request.SerializeToString(deterministic=True)
        known = self._made.get((account, request.request_id), "")
        if known in self._tickets:
            if self._tickets[known].body != body:
                raise Refusal(
                    grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_USED", "used with another body", "请求号已用过"
                )
            return pb.CreateTicketResponse(ticket=self._tickets[known].message(self._clock.time()))
        if any(set(accounts) & set(ticket.told.accounts) for ticket in self._tickets.values() if not ticket.over):
            raise _not_now("TICKET_WAITS", "you, or one of your party, wait already", "你或队友已在排队")
        ticket = self._new_ticket(request, accounts, body)
        self._made[account, request.request_id] = ticket.told.name
        if party is not None:
            party.ticket = ticket.told.name
        answer = pb.CreateTicketResponse(ticket=ticket.message(self._clock.time()))
        self._look()
        return answer

    def _new_ticket(self, request: pb.CreateTicketRequest, accounts: list[str], body: bytes) -> Ticket:
        told = pb.Ticket(
            name=f"tickets/{secrets.token_hex(12)}",
            state=pb.TICKET_STATE_QUEUED,
            accounts=accounts,
            rule_sets=request.rule_sets,
            region=request.region,
        )
        if request.HasField("fill_with_bots_after"):
            told.fill_with_bots_after.CopyFrom(request.fill_with_bots_after)
        window = (request.window_start, request.window_step, request.window_most)
        now = self._clock.time()
        ticket = Ticket(told, body, window if any(window) else (2.0, 2.0, 50.0), now, now + TICKET_SECONDS)
        self._tickets[told.name] = ticket
        return ticket

    async def get_ticket(self, request: pb.GetTicketRequest, token: str) -> pb.GetTicketResponse:
        """See `MatchmakingService.GetTicket`."""
        ticket = self._ticket(request.name, token)
        self._look()
        return pb.GetTicketResponse(ticket=ticket.message(self._clock.time()))

    async def watch_ticket(self, request: pb.WatchTicketRequest, token: str) -> AsyncIterator[pb.WatchTicketResponse]:
        """See `MatchmakingService.WatchTicket`."""
        told: tuple[object, ...] = ()
        while True:
            ticket = self._ticket(request.name, token)
            self._look()
            now = self._clock.time()
            if (ticket.told.state, ticket.told.table) != told:
                told = (ticket.told.state, ticket.told.table)
                message = pb.WatchTicketResponse(ticket=ticket.message(now))
                message.time.FromNanoseconds(round(now * 1e9))
                yield message
            if ticket.over:
                return
            await asyncio.sleep(_LOOK_SECONDS)

    async def cancel_ticket(self, request: pb.CancelTicketRequest, token: str) -> pb.CancelTicketResponse:
        """See `MatchmakingService.CancelTicket`."""
        ticket = self._ticket(request.name, token)
        self._look()
        if not ticket.over:
            ticket.told.state = pb.TICKET_STATE_CANCELLED
            ticket.told.table = ""
        return pb.CancelTicketResponse(ticket=ticket.message(self._clock.time()))

    def _ticket(self, name: str, token: str) -> Ticket:
        ticket = self._tickets.get(name)
        if ticket is None or self._accounts.account_of(token).name not in ticket.told.accounts:
            raise Refusal(
                grpc.StatusCode.NOT_FOUND, "TICKET_NOT_FOUND", "there is no such ticket of yours", "你没有这张票"
            )
        return ticket

    # ── putting together ──

    def _look(self) -> None:
        """Settle what is due, and call whoever fits together."""
        now = self._clock.time()
        for ticket in self._tickets.values():
            if ticket.queued and now >= ticket.expires:
                ticket.told.state = pb.TICKET_STATE_EXPIRED
            elif ticket.told.state == pb.TICKET_STATE_CALLED:
                self._settle(ticket, now)
        while (found := fit(self._tickets.values(), now, self._apart)) is not None:
            self._call(*found, now)

    def _settle(self, ticket: Ticket, now: float) -> None:
        info = self._hall.get(ticket.told.table).info
        began = info.state == lobby_pb2.TABLE_STATE_PLAYING or all(player.ready for player in info.players)
        if began:
            ticket.told.state = pb.TICKET_STATE_MATCHED
        elif info.state == lobby_pb2.TABLE_STATE_FINISHED:
            ready = {player.account for player in info.players if player.account and player.ready}
            ticket.told.table = ""
            if ready.issuperset(ticket.told.accounts):
                ticket.told.state, ticket.first = pb.TICKET_STATE_QUEUED, True
                ticket.expires = max(ticket.expires, now + READY_SECONDS)
            else:
                ticket.told.state = pb.TICKET_STATE_EXPIRED

    def _call(self, rule_set: str, sides: Sides, now: float) -> None:
        rules = gr.PRESETS[rule_set.removeprefix("ruleSets/")]
        table = self._hall.open(rules, rules.deals or 3)
        seats = seats_of(sides)
        self._hall.reserve(table, seats, READY_SECONDS, matched=True)
        for seat in range(6):
            if seat not in seats:
                table.fill(seat, _BOT)
        for ticket in sides[0] + sides[1]:
            ticket.told.state, ticket.told.table = pb.TICKET_STATE_CALLED, table.name
            ticket.ready_until = now + READY_SECONDS
            self._waits[rules.name].append(now - ticket.created)

    def _apart(self, one: Ticket, other: Ticket) -> bool:
        """Whether anybody of one has blocked anybody of the other, or the other way round."""
        mine, theirs = set(one.told.accounts), set(other.told.accounts)
        return any(
            self._accounts.blocked_by(account) & others
            for accounts, others in ((mine, theirs), (theirs, mine))
            for account in accounts
        )


def _check(request: pb.CreateTicketRequest) -> None:
    """Raise `Refusal` for a ticket that cannot be."""
    names = [name.removeprefix("ruleSets/") for name in request.rule_sets]
    known = all(name in gr.PRESETS and f"ruleSets/{name}" in request.rule_sets for name in names)
    if not 1 <= len(names) <= 6 or len(set(names)) < len(names) or not known:
        raise bad_request(
            "rule_sets: wanted: one to six rule sets, each once", "rule_sets：应为 1 到 6 种规则，不得重复"
        )
    if not _REGION(request.region):
        raise bad_request("region: wanted: at most 32 characters of a-z 0-9 -", "region：最多 32 个字符，限 a-z 0-9 -")
    start, step, most = request.window_start, request.window_step, request.window_most
    if not (0 <= start <= most <= 1000 and 0 <= step <= 1000):
        raise bad_request(
            "window_most: wanted: 0 <= window_start <= window_most <= 1000", "window_most：应为 0 至 1000"
        )
    if not 0 <= request.fill_with_bots_after.ToNanoseconds() / 1e9 <= TICKET_SECONDS:
        raise bad_request("fill_with_bots_after: wanted: up to 30 minutes", "fill_with_bots_after：最多 30 分钟")


def _no_party() -> Refusal:
    return Refusal(grpc.StatusCode.NOT_FOUND, "PARTY_NOT_FOUND", "there is no such party of yours", "你没有这个队伍")


def _not_now(reason: str, text_en: str, text_zh: str) -> Refusal:
    return Refusal(grpc.StatusCode.FAILED_PRECONDITION, reason, text_en, text_zh)
