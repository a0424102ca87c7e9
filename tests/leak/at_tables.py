"""Play a script at the tables room: in process, in virtual time, without a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.table.v1 import table_pb2
from gouji_server.tables import Refused, TableSpec
from tests.leak.observed import Observed
from tests.leak.stories import Act, AskCount, Feel, Lapse, Probe, Script
from tests.leak.worlds import World, live_in
from tests.server.players import HomeBots, House, Reader, person, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    import pytest

    from gouji_server.tables import TableHandle
    from tests.leak.stories import Step

SECONDS = 20.0
BANK = 7.0
DELAY = 15.0
"""Seconds; less than `SECONDS`: what all do whose time is up after the script's end depends on their cards."""
NEVER = 1e9
"""Seconds after which a bot that plays for somebody answers: what it would say is no part of the script."""
WATCHER = person(9)


async def play_late(patch: pytest.MonkeyPatch, script: Script, world: World) -> Observed:
    """The same at a table that tells people without a seat later; when each message came is noted too."""
    return await play(patch, script, world, delay=DELAY)


async def play(patch: pytest.MonkeyPatch, script: Script, world: World, *, delay: float = 0.0) -> Observed:
    """Play a script in one of its worlds; return what the observer and a spectator received."""
    live_in(patch, script, world)
    house = House(seed=7, bots=HomeBots(NEVER))
    options = tuple(script.rules.overrides().items())
    handle = await house.match(
        TableSpec(
            rule_set=script.rules.name,
            options=options,
            decision_seconds=SECONDS,
            bank_seconds=BANK,
            spectator_delay_seconds=delay,
        )
    )
    room = _Room(house, handle, script.observer, delay)
    await room.follow()
    for step in world.steps:
        await room.change_hands()
        await room.do(step)
        await room.read()
    await room.wait()
    await house.tables.close()
    return room.observed


class _Room:
    """The table, with the two who are listened to (``observer`` -1: a spectator alone)."""

    def __init__(self, house: House, handle: TableHandle, observer: int, delay: float) -> None:
        self.house = house
        self.delay = delay
        self.handle = handle
        self.observer = observer
        self.observed = Observed()
        self.readers = {"spectator": Reader(house, handle, WATCHER)}
        if observer >= 0:
            self.readers["seat"] = Reader(house, handle, person(observer))
        self.guide = self.readers["spectator"] if not delay else Reader(house, handle, person((observer + 1) % 6))
        """Who knows how the match stands now; what it hears is not compared unless it is the spectator."""
        self.handed = 0
        self.sent = {"seat": 0, "spectator": 0, "other": 0}

    async def follow(self) -> None:
        await settle()
        for reader in (*self.readers.values(), *([self.guide] if self.delay else [])):
            await reader.follow()
        await self.read()

    async def read(self) -> None:
        """Take what came, and note it."""
        for who, reader in self.readers.items():
            before = len(reader.raw)
            await reader.read()
            for message in reader.raw[before:]:
                self.observed.note(who, "stream", message)
                if self.delay and who == "spectator":
                    self.observed.note(who, "time", repr(self.house.clock.now()).encode())
        if self.delay:
            await self.guide.read()

    async def wait(self) -> None:
        """Hear what is told later, a tenth of the delay at a time."""
        for _ in range(10 if self.delay else 0):
            await self.house.clock.run(self.delay / 10)
            await self.read()

    @property
    def decision(self) -> int:
        state = self.guide.state
        assert state is not None
        return state.question.decision

    def _who(self, seat: int) -> str:
        """Who sends: the requests of those listened to are numbered apart, the same in every world."""
        return "spectator" if seat < 0 else "seat" if seat == self.observer else "other"

    def _request_id(self, seat: int) -> str:
        who = self._who(seat)
        self.sent[who] += 1
        return f"{who}-{self.sent[who]}"

    async def do(self, step: Step) -> None:
        """Do one step."""
        if isinstance(step, Lapse):
            await self.lapse()
        elif isinstance(step, Act):
            await self.act(step)
        elif isinstance(step, AskCount):
            await self.handle.ask_count(person(step.asker), step.of, self._request_id(step.asker))
        elif isinstance(step, Feel):
            felt = await self.handle.feel(person(step.asker), self._request_id(step.asker))
            if step.asker == self.observer:
                self.observed.note("seat", "feel", repr(felt).encode())
        else:
            await self.probe(step)

    async def change_hands(self) -> None:
        """With every tenth event somebody hands its seat to a bot, or takes it back: the same in all worlds."""
        place = self.guide.place
        assert place is not None
        if place.n // 10 == self.handed:
            return
        self.handed = place.n // 10
        seat, on = self.handed % 6, self.handed // 6 % 2 == 0
        try:
            said = str(await self.handle.set_autopilot(person(seat), on, self._request_id(seat))).encode()
        except Refused as refused:
            said = refused.to_proto().SerializeToString(deterministic=True)
        if seat == self.observer:
            self.observed.note("seat", "autopilot", said)
        await self.read()

    async def lapse(self) -> None:
        """Let the open question lapse, bank and all."""
        state = self.guide.state
        assert state is not None
        await self.house.clock.run(state.question.deadline.ToNanoseconds() / 1e9 - self.house.clock.now())

    async def act(self, step: Act) -> None:
        """Answer for a seat: the observer on its stream, others by call."""
        request_id = self._request_id(step.seat)
        asked = request(self.handle.name, self.decision, step.verb, step.cards, request_id=request_id, suit=step.suit)
        if step.seat == self.observer:
            self.handle.act_on_stream(person(step.seat), asked, self.readers["seat"].outbox)
            await settle()
        else:
            await self.handle.act(person(step.seat), asked)

    async def probe(self, step: Probe) -> None:
        """Ask, or try what is not allowed, and note the answer."""
        who, request_id = self._who(step.seat), self._request_id(step.seat)
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
