"""The matchmaker without `await`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gouji.matchmaking.v1 import matchmaking_pb2
    from gouji_client.background import BackgroundLoop
    from gouji_client.matchmaking import Matchmaking as AsyncMatchmaking


class Matchmaking:
    """The matchmaker of a server; see `gouji_client.matchmaking.Matchmaking`."""

    def __init__(self, matchmaking: AsyncMatchmaking, loop: BackgroundLoop) -> None:
        self._matchmaking = matchmaking
        self._loop = loop

    def queues(self) -> list[matchmaking_pb2.Queue]:
        """Return how many wait for each rule set, and for how long one waits."""
        return self._loop.run(self._matchmaking.queues())

    def create_party(self) -> matchmaking_pb2.Party:
        """Make a party; its `join_code` lets up to two allies in."""
        return self._loop.run(self._matchmaking.create_party())

    def join_party(self, join_code: str) -> matchmaking_pb2.Party:
        """Enter a party by its join code."""
        return self._loop.run(self._matchmaking.join_party(join_code))

    def leave_party(self, party: str) -> None:
        """Leave a party; its ticket is cancelled if it waits."""
        self._loop.run(self._matchmaking.leave_party(party))

    def party(self, name: str) -> matchmaking_pb2.Party:
        """Return a party of one's own by its name `parties/…`."""
        return self._loop.run(self._matchmaking.party(name))

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
        return self._loop.run(
            self._matchmaking.queue(
                rule_sets, region=region, party=party, window=window, fill_with_bots_after=fill_with_bots_after
            )
        )

    def get(self, ticket: str) -> matchmaking_pb2.Ticket:
        """Return a ticket of one's own by its name `tickets/…`."""
        return self._loop.run(self._matchmaking.get(ticket))

    def cancel(self, ticket: str) -> matchmaking_pb2.Ticket:
        """Give a ticket up, and return it."""
        return self._loop.run(self._matchmaking.cancel(ticket))

    def watch(self, ticket: str) -> Iterator[matchmaking_pb2.Ticket]:
        """Iterate over a ticket as it changes, to its end: `for ticket in client.matchmaking.watch(name)`."""
        return self._loop.iterate(self._matchmaking.watch(ticket))
