"""Finding people to play with: tickets and parties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import grpc.aio

from gouji.matchmaking.v1 import matchmaking_pb2
from gouji_client.arguments import text_of, well_formed
from gouji_client.backoff import Waits
from gouji_client.calls import authorization, new_request_id
from gouji_client.errors import BadInput, ClientClosed
from gouji_client.status import error_of_call, retry_delay

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from gouji.matchmaking.v1.matchmaking_pb2_grpc import MatchmakingServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.session import Session

_AWAY = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.RESOURCE_EXHAUSTED)
_OVER = (
    matchmaking_pb2.TICKET_STATE_MATCHED,
    matchmaking_pb2.TICKET_STATE_CANCELLED,
    matchmaking_pb2.TICKET_STATE_EXPIRED,
)


class Matchmaking:
    """The matchmaker of a server. Tickets and parties are told as the wire's (`gouji.matchmaking.v1`).

    Every call raises `Refused` with the server's reason, `BadInput`, `ServerUnreachable`, `NotSignedIn`, `SignInFailed`
    or `ClientClosed`.
    """

    def __init__(self, stub: MatchmakingServiceAsyncStub, session: Session, calls: Calls) -> None:
        self._stub = stub
        self._session = session
        self._calls = calls

    async def queues(self) -> list[matchmaking_pb2.Queue]:
        """Return how many wait for each rule set, and for how long one waits."""
        request = matchmaking_pb2.GetQueuesRequest()
        return list((await self._calls.signed(self._session, self._stub.GetQueues, request)).queues)

    async def create_party(self) -> matchmaking_pb2.Party:
        """Make a party; its `join_code` lets up to two allies in."""
        request = matchmaking_pb2.CreatePartyRequest(request_id=new_request_id())
        return (await self._calls.signed(self._session, self._stub.CreateParty, request)).party

    async def join_party(self, join_code: str) -> matchmaking_pb2.Party:
        """Enter a party by its join code."""
        with well_formed("a join code"):
            request = matchmaking_pb2.JoinPartyRequest(request_id=new_request_id(), join_code=join_code)
        return (await self._calls.signed(self._session, self._stub.JoinParty, request)).party

    async def leave_party(self, party: str) -> None:
        """Leave a party; its ticket is cancelled if it waits."""
        with well_formed("a party's name"):
            request = matchmaking_pb2.LeavePartyRequest(request_id=new_request_id(), name=party)
        await self._calls.signed(self._session, self._stub.LeaveParty, request)

    async def party(self, name: str) -> matchmaking_pb2.Party:
        """Return a party of one's own by its name `parties/…`."""
        with well_formed("a party's name"):
            request = matchmaking_pb2.GetPartyRequest(name=name)
        return (await self._calls.signed(self._session, self._stub.GetParty, request)).party

    async def queue(
        self,
        rule_sets: Sequence[str] = ("qingdao",),
        *,
        region: str = "",
        party: str = "",
        window: tuple[float, float, float] | None = None,
        fill_with_bots_after: float | None = None,
    ) -> matchmaking_pb2.Ticket:
        """Wait to be put together with others, alone or with the party that one leads; return the ticket.

        `window` are the rating window at first, what it grows by every ten seconds, and the most; built-in bots may
        fill free seats after so many seconds. Follow the ticket with `watch`; when it is called, join its table and be
        ready before `ready_until`.
        """
        if isinstance(rule_sets, str):
            raise BadInput("rule_sets is a list of names, such as ['qingdao']")
        names = [text_of(name, "the name of a rule set") for name in rule_sets]
        with well_formed("a ticket"):
            request = matchmaking_pb2.CreateTicketRequest(
                request_id=new_request_id(),
                rule_sets=[name if name.startswith("ruleSets/") else f"ruleSets/{name}" for name in names],
                region=region,
                party=party,
            )
            if window is not None:
                request.window_start, request.window_step, request.window_most = window
            if fill_with_bots_after is not None:
                request.fill_with_bots_after.FromNanoseconds(round(fill_with_bots_after * 1e9))
        return (await self._calls.signed(self._session, self._stub.CreateTicket, request)).ticket

    async def get(self, ticket: str) -> matchmaking_pb2.Ticket:
        """Return a ticket of one's own by its name `tickets/…`."""
        with well_formed("a ticket's name"):
            request = matchmaking_pb2.GetTicketRequest(name=ticket)
        return (await self._calls.signed(self._session, self._stub.GetTicket, request)).ticket

    async def cancel(self, ticket: str) -> matchmaking_pb2.Ticket:
        """Give a ticket up, and return it; one that is over stays as it is."""
        with well_formed("a ticket's name"):
            request = matchmaking_pb2.CancelTicketRequest(request_id=new_request_id(), name=ticket)
        return (await self._calls.signed(self._session, self._stub.CancelTicket, request)).ticket

    async def watch(self, ticket: str) -> AsyncGenerator[matchmaking_pb2.Ticket, None]:
        """Iterate over a ticket as it changes, to its end: `async for ticket in client.matchmaking.watch(name)`.

        A lost connection is made good.
        """
        with well_formed("a ticket's name"):
            request = matchmaking_pb2.WatchTicketRequest(name=ticket)
        waits = Waits(self._calls.backoff, self._calls.clock, self._calls.rng)
        renewed = ""
        told: matchmaking_pb2.Ticket | None = None
        while True:
            if self._calls.is_closed():
                raise ClientClosed
            token = await self._session.access_token()
            try:
                async for message in self._stub.WatchTicket(request, metadata=authorization(token)):
                    waits.succeeded()
                    if message.HasField("ticket") and message.ticket != told:
                        told = message.ticket
                        yield told
                        if told.state in _OVER:
                            return
                return
            except grpc.aio.AioRpcError as error:
                if self._calls.is_closed():
                    raise ClientClosed from error
                if error.code() is grpc.StatusCode.UNAUTHENTICATED and token != renewed:
                    renewed = await self._session.renew(lapsed=token)
                elif error.code() not in _AWAY or not await waits.pause(at_least=retry_delay(error)):
                    raise error_of_call(error, self._calls.address) from error
