"""A seat, or a spectator, on a bare Play stream: it keeps what a client keeps and holds that the story has no gap."""

from __future__ import annotations

import asyncio
import random
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import grpc

from gouji.cards.v1 import cards_pb2
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from tests.server.raw_client import new_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.server.raw_client import RawClient


class Story:
    """One table as one reader was told it. Gaps, repeats and events after the end are errors of the server."""

    def __init__(self) -> None:
        self.place: table_pb2.Place | None = None
        self.events: dict[int, events_pb2.TableEvent] = {}
        self.state: state_pb2.DealState | None = None
        self.seat: state_pb2.SeatPart | None = None
        self.info: lobby_pb2.Table | None = None
        self.plays: list[state_pb2.PlayedCards] = []
        self.snapshots: list[int] = []
        self.closed = False

    def take(self, update: table_pb2.TableUpdate) -> None:
        """Take the next update."""
        if update.HasField("snapshot"):
            assert not update.events
            self.snapshots.append(update.snapshot.reason)
            self.plays = list(update.snapshot.plays)
            self.state = self.seat = None
            self.place = table_pb2.Place(epoch=update.epoch)
            p = update.p
        else:
            assert self.place is not None, "events before a snapshot"
            assert update.epoch == self.place.epoch
            assert [event.n for event in update.events] == list(range(self.place.n + 1, update.n + 1))
            p = update.p if update.HasField("seat") else self.place.p
            assert p - self.place.p == update.HasField("seat")
        for event in update.events:
            self._take_event(event)
        for part in ("state", "seat"):
            if update.HasField(part):
                setattr(self, part, getattr(update, part))
        if update.HasField("table_info"):
            self.info = update.table_info
        self.place = table_pb2.Place(epoch=update.epoch, n=update.n, p=p)

    def _take_event(self, event: events_pb2.TableEvent) -> None:
        assert not self.closed, "an event after TableClosed"
        # The same number is the same event for ever, also after a restart of the server.
        assert self.events.setdefault(event.n, event) == event
        kind = event.WhichOneof("event")
        if kind == "deal_started":
            self.plays = []
        elif kind == "played":
            self.plays.append(event.played.play)
        elif kind == "table_closed":
            self.closed = True

    @property
    def asked(self) -> bool:
        """Whether this reader's seat is asked and has not answered."""
        if self.state is None or self.seat is None or self.seat.answered:
            return False
        return self.seat.seat in self.state.question.seats

    @property
    def decision(self) -> int:
        """The number of the open question."""
        assert self.state is not None
        return self.state.question.decision

    def of_kind(self, kind: str) -> list[events_pb2.TableEvent]:
        """Return the events of a kind, in order."""
        return [self.events[n] for n in sorted(self.events) if self.events[n].WhichOneof("event") == kind]


class PlayStream:
    """A Play stream: commands by `send`, and what comes back by `read`; every command gets one result."""

    def __init__(self, client: RawClient) -> None:
        self.client = client
        self.call: Any = client.tables.Play(metadata=client.metadata)
        self.stories: defaultdict[str, Story] = defaultdict(Story)
        self.results: dict[str, table_pb2.CommandResult] = {}
        self.unnamed: list[table_pb2.CommandResult] = []
        self.heartbeats = 0

    async def send(self, **command: Any) -> None:
        """Send a command: `subscribe=…`, `act=…`."""
        await self.call.write(table_pb2.PlayRequest(**command))

    async def subscribe(self, table: str, after: table_pb2.Place | None = None) -> table_pb2.CommandResult:
        """Follow a table and return the result."""
        request_id = new_id()
        await self.send(subscribe=table_pb2.Subscribe(request_id=request_id, table=table, after=after))
        return await self.result(request_id)

    async def act(self, request: table_pb2.SubmitActionRequest) -> table_pb2.CommandResult:
        """Answer a question and return the result."""
        await self.send(act=request)
        return await self.result(request.request_id)

    async def result(self, request_id: str) -> table_pb2.CommandResult:
        """Read until the result of a command has come."""
        while request_id not in self.results:
            assert await self.read(), "the stream ended without the result"
        return self.results[request_id]

    async def read(self) -> bool:
        """Read one message; False at the end of the stream."""
        response = await self.call.read()
        if response is grpc.aio.EOF:
            return False
        if response.HasField("heartbeat"):
            assert not response.updates
            assert not response.results
            self.heartbeats += 1
        for update in response.updates:
            self.stories[update.table].take(update)
        for result in response.results:
            if result.request_id:
                assert result.request_id not in self.results, "two results of one command"
                self.results[result.request_id] = result
            else:
                self.unnamed.append(result)
        return True

    async def end(self) -> grpc.StatusCode:
        """Read to the end and return the status."""
        while await self.read():
            pass
        code: grpc.StatusCode = await self.call.code()
        return code


def action(verb: int, cards: Iterable[int] = (), suit: int = 0) -> table_pb2.Action:
    """Make an action."""
    return table_pb2.Action(verb=verb, cards=list(cards), suit=suit)  # type: ignore[arg-type]


def cards_of(play: cards_pb2.Play, hand: Iterable[int]) -> list[int]:
    """Pick cards of a hand that have a meaning."""
    by_rank: defaultdict[int, list[int]] = defaultdict(list)
    for card in hand:
        by_rank[card - 52 + 13 if card > 52 else (card - 1) % 13 + 1].append(card)
    wanted = [
        (play.rank if play.naturals else 0, play.naturals),
        (cards_pb2.RANK_2, play.twos),
        (cards_pb2.RANK_SMALL_JOKER, play.small_jokers),
        (cards_pb2.RANK_BIG_JOKER, play.big_jokers),
    ]
    return sorted(card for rank, count in wanted for card in by_rank[rank][:count])


def choose(legal: table_pb2.ListLegalPlaysResponse, story: Story, dice: random.Random) -> table_pb2.Action:
    """Choose among what the server says is legal: mostly a play, so that deals end."""
    verbs = list(legal.verbs)
    assert verbs, "asked, and nothing is open"
    playing = [verb for verb in verbs if verb in (state_pb2.VERB_PLAY, state_pb2.VERB_BURN)]
    verb = dice.choice(playing if playing and dice.random() < 0.8 else verbs)
    if verb in (state_pb2.VERB_PLAY, state_pb2.VERB_BURN):
        assert story.seat is not None
        return action(verb, cards_of(dice.choice(legal.plays), story.seat.hand))
    if verb == state_pb2.VERB_SHOW:
        return action(verb, suit=dice.choice([1, 2, 3, 4]))
    return action(verb)


class Seat:
    """A player who answers whatever its seat is asked, at random, until the table is closed."""

    def __init__(self, client: RawClient, table: str, seed: int) -> None:
        self.client = client
        self.table = table
        self.dice = random.Random(seed)
        self.stream: PlayStream
        self.seen = Story()

    @property
    def story(self) -> Story:
        """What this seat was told."""
        return self.stream.stories[self.table]

    async def follow(self) -> None:
        """Open a stream and follow the table."""
        self.stream = PlayStream(self.client)
        result = await self.stream.subscribe(self.table)
        assert not result.HasField("error"), result

    async def look(self) -> Story:
        """Ask for a view and keep it as `seen`, apart from what the stream tells."""
        answer = await self.client.call(table_pb2.GetViewRequest(table=self.table))
        self.seen.take(answer.view)
        return self.seen

    async def next_request(self, story: Story | None = None) -> table_pb2.SubmitActionRequest:
        """Make a legal answer to the open question."""
        story = story or self.story
        legal = await self.client.call(table_pb2.ListLegalPlaysRequest(table=self.table, page_size=500))
        return table_pb2.SubmitActionRequest(
            request_id=new_id(),
            table=self.table,
            decision=story.decision,
            action=choose(legal, story, self.dice),
        )

    async def play(self, moves: int = 1_000_000) -> int:
        """Play until the table is closed, or so many answers were given."""
        made = 0
        while not self.story.closed and made < moves:
            if self.story.asked:
                result = await self.stream.act(await self.next_request())
                assert not result.HasField("error"), result
                made += 1
                # The result comes in the message of the step, or before it: the seat part says that it is answered.
                continue
            assert await self.stream.read(), "the stream ended before the table was closed"
        return made


async def seated(owner: RawClient, players: list[RawClient], deals: int = 1, **options: Any) -> str:
    """Make a table of `owner`, seat the players in order, all ready, and return the table's name."""
    request = lobby_pb2.CreateTableRequest(request_id=new_id(), deals=deals, without_seat=True, **options)
    table: str = (await owner.call(request)).table.name
    for seat, player in enumerate(players):
        await player.call(lobby_pb2.JoinTableRequest(request_id=new_id(), name=table, seat=seat))
    for player in players:
        await player.call(lobby_pb2.SetReadyRequest(request_id=new_id(), name=table, ready=True))
    return table


async def begun(
    owner: RawClient, players: list[RawClient], deals: int = 1, seed: int = 0, **options: Any
) -> list[Seat]:
    """Begin a match and return its seats, following by stream."""
    table = await seated(owner, players, deals, **options)
    seats = [Seat(player, table, seed * 6 + number) for number, player in enumerate(players)]
    for seat in seats:
        await seat.follow()
    return seats


async def play_match(owner: RawClient, players: list[RawClient], deals: int = 1, seed: int = 0) -> list[Seat]:
    """Play a whole match and return the seats with their stories."""
    seats = await begun(owner, players, deals, seed)
    await asyncio.gather(*(seat.play() for seat in seats))
    return seats
