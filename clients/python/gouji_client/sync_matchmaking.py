"""The matchmaker without `await`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from gouji.matchmaking.v1 import matchmaking_pb2
    from gouji_client.matchmaking import Matchmaking as AsyncMatchmaking


class Matchmaking:
    """The matchmaker of a server; see `gouji_client.matchmaking.Matchmaking`."""

    def __init__(self, matchmaking: AsyncMatchmaking, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._matchmaking = matchmaking
        self._run = run

    def queues(self) -> list[matchmaking_pb2.Queue]:
        """Return how many wait for each rule set, and for how long one waits."""
        found: list[matchmaking_pb2.Queue] = self._run(self._matchmaking.queues())
        return found

    def create_party(self) -> matchmaking_pb2.Party:
        """Make a party; its `join_code` lets up to two allies in."""
        made: matchmaking_pb2.Party = self._run(self._matchmaking.create_party())
        return made

    def join_party(self, join_code: str) -> matchmaking_pb2.Party:
        """Enter a party by its join code."""
        party: matchmaking_pb2.Party = self._run(self._matchmaking.join_party(join_code))
        return party

    def leave_party(self, party: str) -> None:
        """Leave a party; its ticket is cancelled if it waits."""
        self._run(self._matchmaking.leave_party(party))

    def party(self, name: str) -> matchmaking_pb2.Party:
        """Return a party of one's own by its name `parties/…`."""
        party: matchmaking_pb2.Party = self._run(self._matchmaking.party(name))
        return party

    def queue(
        self,
        rule_sets: Sequence[str] = ("qingdao",),
        *,
        region: str = "",
        party: str = "",
        window: tuple[float, float, float] | None = None,
        fill_with_bots_after: float | None = None,
    ) -> matchmaking_pb2.Ticket:
        """Wait to be put together with others; return the ticket."""
        ticket: matchmaking_pb2.Ticket = self._run(
            self._matchmaking.queue(
                rule_sets, region=region, party=party, window=window, fill_with_bots_after=fill_with_bots_after
            )
        )
        return ticket

    def get(self, ticket: str) -> matchmaking_pb2.Ticket:
        """Return a ticket of one's own by its name `tickets/…`."""
        found: matchmaking_pb2.Ticket = self._run(self._matchmaking.get(ticket))
        return found

    def cancel(self, ticket: str) -> matchmaking_pb2.Ticket:
        """Give a ticket up, and return it."""
        ended: matchmaking_pb2.Ticket = self._run(self._matchmaking.cancel(ticket))
        return ended
