"""Play a script at the tables room: in process, in virtual time, without a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.table.v1 import table_pb2
from gouji_server.tables import Refused, TableSpec
from tests.leak.observed import Observed
from tests.leak.resampling import Act, Lapse, Probe, Script, draw_as
from tests.server.players import House, Reader, person, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    import pytest

    from gouji_server.tables import TableHandle

SECONDS = 20.0
WATCHER = person(9)


async def play(patch: pytest.MonkeyPatch, script: Script, order: bytes) -> Observed:
    """Play a script in the world of an order of drawing; return what the observer and a spectator received."""
    draw_as(patch, order)
    house = House(seed=7)
    handle = await house.match(TableSpec(decision_seconds=SECONDS))
    room = _Room(house, handle, script.observer)
    await room.follow()
    for at, step in enumerate(script.steps):
        if isinstance(step, Lapse):
            await house.clock.run(SECONDS)
        elif isinstance(step, Act):
            await room.act(step, f"a{at}")
        else:
            await room.probe(step, f"p{at}")
        await room.read()
    await house.tables.close()
    return room.observed


class _Room:
    """The table, with the two who are listened to."""

    def __init__(self, house: House, handle: TableHandle, observer: int) -> None:
        self.house = house
        self.handle = handle
        self.observer = observer
        self.observed = Observed()
        self.readers = {"seat": Reader(house, handle, person(observer)), "spectator": Reader(house, handle, WATCHER)}

    async def follow(self) -> None:
        await settle()
        for reader in self.readers.values():
            await reader.follow()
        await self.read()

    async def read(self) -> None:
        """Take what came, and note it."""
        for who, reader in self.readers.items():
            before = len(reader.raw)
            await reader.read()
            for message in reader.raw[before:]:
                self.observed.note(who, "stream", message)

    @property
    def decision(self) -> int:
        state = self.readers["spectator"].state
        assert state is not None
        return state.question.decision

    async def act(self, step: Act, request_id: str) -> None:
        """Answer for a seat: the observer on its stream, others by call."""
        asked = request(
            self.handle.name, self.decision, step.verb, step.cards, request_id=request_id, suit=max(step.suit, 0)
        )
        if step.seat == self.observer:
            self.handle.act_on_stream(person(step.seat), asked, self.readers["seat"].outbox)
            await settle()
        else:
            await self.handle.act(person(step.seat), asked)

    async def probe(self, step: Probe, request_id: str) -> None:
        """Ask, or try what is not allowed, and note the answer."""
        who = "seat" if step.seat >= 0 else "spectator"
        caller = person(step.seat) if step.seat >= 0 else WATCHER
        action = table_pb2.Action(verb=step.verb, cards=list(step.cards))  # type: ignore[arg-type]
        try:
            if step.kind == "view":
                said = await self.handle.view(caller)
            elif step.kind == "legal":
                said = (await self.handle.legal_plays(caller, 20, "")).SerializeToString(deterministic=True)
            elif step.kind == "check":
                said = (await self.handle.check(caller, action)).SerializeToString(deterministic=True)
            else:
                decision = self.decision - 1 if step.stale else self.decision
                asked = request(self.handle.name, decision, step.verb, step.cards, request_id=request_id)
                await self.handle.act(caller, asked)
                raise AssertionError(f"accepted: {step}")
        except Refused as refused:
            said = refused.to_proto().SerializeToString(deterministic=True)
        self.observed.note(who, step.kind, said)
