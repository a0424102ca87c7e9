"""A table against everything that clients, disks and crashes can do to it, in random order.

After any history: each acknowledged action is in the journal exactly once, each reader's fold of tails and snapshots is
what a fresh view shows, and the public half was the same for everyone.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import gouji_rules as gr
from gouji.table.v1 import table_pb2
from gouji_server.tables import Refused, TableSpec, inputs
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, Reader, at_home, choose, live_deal, person, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from gouji_server.tables import TableHandle

OUT_OF_TURN = {"NO_REPORT", "ASK_ANOTHER", "NO_CARDS", "NO_DEAL", "TABLE_CLOSED", "TOO_MUCH_SAID"} | {
    "NO_FEELING",
    "NO_CHANCES_LEFT",
}
"""Why something said out of turn is refused, in the end."""

Sent = tuple[int, table_pb2.SubmitActionRequest]

SEEDS = st.integers(0, 2**32)
READERS = st.integers(0, 7)
SEATS = st.integers(0, 5)
MOMENTS = st.sampled_from(["before the commit", "after the commit", "at rest"])


@dataclass(frozen=True)
class Saying:
    """What a person says out of turn: a vote where `agrees` is set, else a question for the count of seat `of`, or a
    hand felt where that is -1. Done, it gives the version, or the version and what was felt."""

    person: int
    request_id: str
    of: int
    agrees: bool | None

    async def to(self, handle: TableHandle) -> object:
        """Say it."""
        who = person(self.person)
        if self.agrees is not None:
            return await handle.vote_dissolution(who, self.agrees, self.request_id)
        if self.of < 0:
            return await handle.feel(who, self.request_id)
        return await handle.ask_count(who, self.of, self.request_id)


class TableMachine(RuleBasedStateMachine):
    """Six people, two spectators, one table, a journal that fails now and then, and a server that is killed."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.journal = MemoryJournal()
        self.serial = 0
        self.acknowledged: list[tuple[Sent, int]] = []
        self.unsure: list[Sent] = []
        self.said: list[tuple[Saying, object]] = []
        self.unsure_said: list[Saying] = []
        self.public: dict[tuple[int, int], bytes] = {}
        self.at: House
        self.handle: TableHandle
        self.readers: list[Reader]

    def run(self, doing: Coroutine[Any, Any, Any]) -> Any:
        return self.loop.run_until_complete(doing)

    def teardown(self) -> None:
        try:
            self.run(self.come_to_rest())
        finally:
            self.run(self.at.tables.close())
            self.run(settle())
            self.loop.close()

    @initialize(
        seed=SEEDS,
        clocked=st.booleans(),
        deals=st.integers(1, 2),
        report=st.sampled_from(["shown", "asked"]),
        feel=st.sampled_from([0, 3]),
        seating=st.sampled_from(["free", "draw"]),
    )
    def begin(self, seed: int, deals: int, report: str, feel: int, seating: str, *, clocked: bool) -> None:
        """Begin a match with everyone following."""
        options = (("report", report), ("feel_chances", feel), ("seating", seating))
        self.run(
            self.begin_now(seed, TableSpec(deals=deals, decision_seconds=30.0 if clocked else None, options=options))
        )

    async def begin_now(self, seed: int, spec: TableSpec) -> None:
        limits = at_home(outbox_chunks=12, ring_steps=30)
        self.at = House(self.journal, seed=seed, limits=limits)
        await self.at.tables.start()
        self.handle = await self.at.new_table(spec)
        self.readers = [Reader(self.at, self.handle, person(number)) for number in (*range(6), 8, 9)]
        for reader in self.readers:
            await reader.follow()
        for number in range(6):
            await self.handle.set_ready(person(number), True, "ready")

    # ── what clients do ──

    def compose(self, seed: int) -> Sent | None:
        """Make a legal answer of a seat that is asked, if there is one."""
        story = self.at.tables._actors[self.handle.name]._story if self.handle.name in self.at.tables._actors else None
        if story is None or story.state.closed or story.state.deal is None:
            return None
        dice = random.Random(seed)
        asked = [seat for seat in range(6) if story.state.waiting_for >> seat & 1]
        if not asked:
            return None
        seat = dice.choice(asked)
        verb, cards, suit = choose(live_deal(self.at, self.handle).view(seat), dice)
        self.serial += 1
        decision = story.state.decision
        asking = request(self.handle.name, decision, verb, cards, request_id=f"r{self.serial}", suit=suit)
        return self.sitting(seat), asking

    def sitting(self, seat: int) -> int:
        """Return the number of the person who sits there: seats may have been drawn (R9)."""
        story = self.at.tables._actors[self.handle.name]._story
        assert story is not None
        return int(story.state.seats.players[seat].account.removeprefix(person(0).account[:-1]))

    async def send(self, sent: Sent) -> None:
        """Send an answer and note what became of it."""
        seat, asked = sent
        try:
            version = await self.handle.act(person(seat), asked)
        except Refused as refused:
            if refused.reason == "NOT_DURABLE":
                self.unsure.append(sent)
            return
        self.acknowledged.append((sent, version))

    @rule(seed=SEEDS)
    def move(self, seed: int) -> None:
        """Somebody who is asked answers."""
        sent = self.compose(seed)
        if sent is not None:
            self.run(self.send(sent))

    @rule(seed=SEEDS, moves=st.sampled_from([3, 20, 60, 400]))
    def many_moves(self, seed: int, moves: int) -> None:
        """The game goes on for a while."""
        for at in range(moves):
            self.move(seed + at)

    @rule(seed=SEEDS, copies=st.integers(1, 3))
    def move_on_a_stream(self, seed: int, copies: int) -> None:
        """Somebody answers on its stream, more than once with one id."""
        sent = self.compose(seed)
        if sent is not None:
            self.run(self.send_on_stream(sent, copies))

    async def send_on_stream(self, sent: Sent, copies: int) -> None:
        seat, asked = sent
        reader = self.readers[seat]
        await self.caught_up(reader)
        before = len(reader.results)
        for _ in range(copies):
            self.handle.act_on_stream(person(seat), asked, reader.outbox)
        await settle()
        await self.caught_up(reader)
        results = reader.results[before:]
        assert [result.request_id for result in results] == [asked.request_id] * copies
        for result in results:
            if not result.HasField("error"):
                self.acknowledged.append((sent, result.version))
            elif result.error.reason == "NOT_DURABLE":
                self.unsure.append(sent)

    @precondition(lambda self: self.acknowledged)
    @rule(seed=SEEDS)
    def repeat(self, seed: int) -> None:
        """An acknowledged command is sent again: the same answer, and nothing happens."""
        dice = random.Random(seed)
        (sent, version) = dice.choice(self.acknowledged[-20:])
        entries = len(self.journal.tables[self.handle.name])
        self.journal.fail_next = self.journal.lose_next = 0
        seat, asked = sent
        try:
            assert self.run(self.handle.act(person(seat), asked)) == version
        except Refused as refused:
            assert refused.reason in ("STALE_DECISION", "TABLE_CLOSED")  # noqa: PT017 - its deal is long over
        assert len(self.journal.tables[self.handle.name]) == entries

    @precondition(lambda self: self.acknowledged)
    @rule(seed=SEEDS)
    def use_an_id_again(self, seed: int) -> None:
        """A used id with another body is refused and changes nothing."""
        (seat, asked), _ = self.acknowledged[-1]
        other = table_pb2.SubmitActionRequest()
        other.CopyFrom(asked)
        other.decision += 1 + seed % 3
        self.must_refuse(seat, other, {"REQUEST_ID_USED", "STALE_DECISION", "TABLE_CLOSED"})

    @rule(seed=SEEDS, offset=st.sampled_from([-3, -1, 1, 2]))
    def answer_another_question(self, seed: int, offset: int) -> None:
        """An answer to a question that is not open is refused and changes nothing."""
        sent = self.compose(seed)
        if sent is not None:
            sent[1].decision += offset
            self.must_refuse(sent[0], sent[1], {"STALE_DECISION", "BAD_REQUEST"})

    @rule(seed=SEEDS)
    def answer_for_another(self, seed: int) -> None:
        """An answer of a seat that is not asked, or has answered, is refused and changes nothing."""
        sent = self.compose(seed)
        if sent is None:
            return
        deal = live_deal(self.at, self.handle)
        others = [seat for seat in range(6) if not deal.is_asked(seat)]
        if others:
            refusals = {"NOT_ASKED", "ALREADY_ANSWERED", "CARDS_NOT_HELD", "WRONG_VERB"}
            self.must_refuse(self.sitting(random.Random(seed).choice(others)), sent[1], refusals)

    @rule(seed=SEEDS, spoil=st.sampled_from(["id", "verb", "cards", "twice", "foreign"]))
    def answer_badly(self, seed: int, spoil: str) -> None:
        """An answer of bad shape or with cards that are not held is refused and changes nothing."""
        sent = self.compose(seed)
        if sent is None:
            return
        seat, asked = sent
        if spoil == "id":
            asked.request_id = "not an id"
        elif spoil == "verb":
            asked.action.verb = 17  # type: ignore[assignment]
        elif spoil == "cards":
            asked.action.cards.append(99)  # type: ignore[arg-type]
        elif spoil == "twice":
            asked.action.CopyFrom(request("", 1, gr.Verb.PLAY, [53] * 5, request_id="x").action)  # type: ignore[arg-type]
        else:
            asked.table = "tables/other"  # only the handle decides which table is meant
            asked.request_id = ""
        self.must_refuse(seat, asked, None)

    # ── what they say out of turn ──

    @rule(asker=SEATS, of=st.integers(-1, 5), agrees=st.sampled_from([None, None, True, False]))
    def say(self, asker: int, of: int, *, agrees: bool | None) -> None:
        """Somebody asks for a count, feels a hand, or votes on ending the match."""
        self.serial += 1
        saying = Saying(asker, f"r{self.serial}", of, agrees)
        self.run(self.send_saying(saying))

    async def send_saying(self, saying: Saying) -> None:
        """Say it and note what became of it."""
        entries = len(self.journal.tables[self.handle.name])
        try:
            version = await saying.to(self.handle)
        except Refused as refused:
            if refused.reason == "NOT_DURABLE":
                self.unsure_said.append(saying)
            else:
                assert refused.reason in OUT_OF_TURN, refused.reason  # noqa: PT017
                assert len(self.journal.tables[self.handle.name]) == entries
            return
        if len(self.journal.tables[self.handle.name]) > entries:
            self.said.append((saying, version))

    @precondition(lambda self: self.said)
    @rule(at=st.integers(0, 9))
    def say_again(self, at: int) -> None:
        """What was said is sent again with its id: the same answer, and nothing happens."""
        saying, version = self.said[-1 - at % len(self.said)]
        entries = len(self.journal.tables[self.handle.name])
        self.journal.fail_next = self.journal.lose_next = 0
        try:
            assert self.run(saying.to(self.handle)) == version
        except Refused as refused:
            assert refused.reason in OUT_OF_TURN, refused.reason  # noqa: PT017 - its deal is long over
        else:
            assert len(self.journal.tables[self.handle.name]) == entries

    def must_refuse(self, seat: int, asked: table_pb2.SubmitActionRequest, reasons: set[str] | None) -> None:
        entries = len(self.journal.tables[self.handle.name])
        try:
            self.run(self.handle.act(person(seat), asked))
        except Refused as refused:
            assert reasons is None or refused.reason in reasons, refused.reason  # noqa: PT017
            assert refused.reason != "FAULT"  # noqa: PT017
        else:
            raise AssertionError("not refused")
        assert len(self.journal.tables[self.handle.name]) == entries

    # ── what readers do ──

    @rule(number=READERS)
    def read(self, number: int) -> None:
        """A reader takes what waits; the others are slow."""
        self.run(self.caught_up(self.readers[number]))

    @rule(number=READERS, resume=st.booleans())
    def reconnect(self, number: int, *, resume: bool) -> None:
        """A reader's stream breaks, and it comes back."""
        self.run(self.follow_again(self.readers[number], resume=resume))

    async def follow_again(self, reader: Reader, *, resume: bool) -> None:
        reader.outbox.close()
        if not resume:
            reader.place = None
        await reader.follow(resume=resume)

    async def caught_up(self, reader: Reader) -> None:
        await reader.read()
        for update in reader.updates:
            if update.events:
                self.same_for_all(update)
        reader.updates.clear()

    def same_for_all(self, update: table_pb2.TableUpdate) -> None:
        """The public half of a step is the same whoever got it, whenever, before and after crashes."""
        public = table_pb2.TableUpdate.FromString(update.SerializeToString())
        public.ClearField("p")
        public.ClearField("seat")
        told = public.SerializeToString()
        assert self.public.setdefault((update.epoch, update.n), told) == told

    # ── what goes wrong ──

    @rule(how=st.sampled_from(["fail", "lose"]), seed=SEEDS)
    def append_goes_wrong(self, how: str, seed: int) -> None:
        """The next append fails: not written, or written with the answer lost."""
        if how == "fail":
            self.journal.fail_next = 1
        else:
            self.journal.lose_next = 1
        self.move(seed)
        self.journal.fail_next = self.journal.lose_next = 0
        self.run(settle())

    @rule(
        seed=SEEDS,
        moment=MOMENTS,
        moves=st.integers(1, 3),
        asker=SEATS,
    )
    def crash(self, seed: int, moment: str, moves: int, asker: int) -> None:
        """The server is killed, perhaps between applying a move and its commit, or between commit and answer."""
        self.run(self.crash_now(seed, moment, moves, asker))

    async def crash_now(self, seed: int, moment: str, moves: int, asker: int) -> None:
        under_way: list[asyncio.Future[Any]] = []
        if moment != "at rest":
            self.journal.hold = True
            for at in range(moves):
                sent = self.compose(seed + at)
                if sent is not None:
                    self.unsure.append(sent)
                    under_way.append(asyncio.ensure_future(self.handle.act(person(sent[0]), sent[1])))
                    await settle()
            self.serial += 1
            saying = Saying(asker, f"r{self.serial}", (asker + 1) % 6, agrees=None)
            self.unsure_said.append(saying)
            under_way.append(asyncio.ensure_future(saying.to(self.handle)))
            await settle()
        self.kill()
        if moment == "after the commit":
            self.journal.write_held()
        self.journal.drop_held()
        for asked in under_way:
            asked.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self.start_again()

    def kill(self) -> None:
        """Stop everything at once, as SIGKILL does: no turn is finished and nobody is told."""
        for actor in self.at.tables._actors.values():
            actor.task.cancel()
            actor._clock.stop()
            actor._house.stop()
        if self.at.tables._sweeper is not None:
            self.at.tables._sweeper.cancel()

    async def start_again(self) -> None:
        await settle()
        self.at.tables = self.at._make()
        await self.at.tables.start()
        self.handle = await self.at.tables.open(self.handle.name)
        for reader in self.readers:
            await reader.follow(resume=True)
        await self.settle_what_is_unsure()

    async def settle_what_is_unsure(self) -> None:
        """Send again whatever nobody was told the outcome of."""
        unsure, self.unsure = self.unsure, []
        for sent in unsure:
            await self.send(sent)
        unsure_said, self.unsure_said = self.unsure_said, []
        for saying in unsure_said:
            await self.send_saying(saying)

    @rule(seconds=st.sampled_from([1.0, 31.0, 200.0]))
    def time_passes(self, seconds: float) -> None:
        """Clocks run, decisions lapse, idle tables fall asleep."""
        self.run(self.at.clock.run(seconds))
        self.run(self.handle.view(person(0)))

    # ── what must hold ──

    @invariant()
    def every_acknowledged_action_is_there_exactly_once(self) -> None:
        """In the journal, by request id: each is used by one person, for one thing."""
        if not self.acknowledged and not self.said:
            return
        moves: dict[str, int] = {}
        for entry in self.journal.tables[self.handle.name]:
            if entry.kind == inputs.MOVE:
                moved = inputs.decode(entry.kind, entry.body)
                assert isinstance(moved, inputs.Moved)
                moves[moved.request_id] = moves.get(moved.request_id, 0) + 1
            elif entry.kind in ("count", "dissolve", "feel", "same"):
                said = inputs.decode(entry.kind, entry.body)
                assert isinstance(
                    said, inputs.CountAsked | inputs.DissolutionVoted | inputs.HandFelt | inputs.Unchanged
                )
                moves[said.request_id] = moves.get(said.request_id, 0) + 1
        assert all(count == 1 for count in moves.values())
        assert all(moves.get(asked.request_id) == 1 for (_, asked), _ in self.acknowledged)
        assert all(moves.get(saying.request_id) == 1 for saying, _ in self.said)

    async def come_to_rest(self) -> None:
        """Everyone reads what is left; then all hold what a fresh view shows."""
        self.journal.fail_next = self.journal.lose_next = 0
        await self.settle_what_is_unsure()
        for reader in self.readers:
            if reader.outbox.ended:
                await reader.follow(resume=True)
            await self.caught_up(reader)
            fresh = await reader.fresh()
            assert reader.place == table_pb2.Place(epoch=fresh.epoch, n=fresh.n, p=fresh.p)
            assert (reader.state, reader.info) == (fresh.state, fresh.table_info)
            assert reader.plays == list(fresh.snapshot.plays)
            assert reader.seat == (fresh.seat if fresh.HasField("seat") else None)
        self.every_acknowledged_action_is_there_exactly_once()


TestTableMachine = TableMachine.TestCase
TestTableMachine.settings = settings(
    max_examples=30, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
