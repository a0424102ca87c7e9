"""The matchmaker: who is put together, and that no ticket is lost or matched twice."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from gouji.lobby.v1 import lobby_pb2
from gouji_server.matchmaking import Matchmaker, MatchmakingLimits, State, Ticket, Wishes
from gouji_server.matchmaking.store import decode, encode
from gouji_server.matchmaking.tickets import Apart, EvenRatings, find, pairs_of
from gouji_server.tables import Caller, Refused
from tests.server.players import House, at_home
from tests.server.table_time import settle

if TYPE_CHECKING:
    from collections.abc import Collection

QINGDAO = Wishes(("qingdao",))


def together(_one: Ticket, _other: Ticket) -> bool:
    return False


def ticket(
    name: str, people: int = 1, *, created: float = 0.0, rating: float = 25.0, wishes: Wishes = QINGDAO
) -> Ticket:
    accounts = tuple(f"accounts/{name}{at}" for at in range(people))
    return Ticket(name, accounts, wishes, rating, created, created + 1800)


def test_six_alone_are_put_together_and_five_are_not() -> None:
    """Six seats, each of one account; with five there is no match, and nobody waits for less."""
    six = [ticket(name) for name in "abcdef"]
    assert find(six[:5], 0, together) is None
    found = find(six, 0, together)
    assert found is not None
    assert sorted(found.seats()) == [0, 1, 2, 3, 4, 5]
    assert len(set(found.seats().values())) == 6


@pytest.mark.parametrize("sizes", [(3, 3), (3, 2, 1), (2, 1, 2, 1), (1, 1, 1, 3), (2, 2, 1, 1), (1, 2, 3)])
def test_allies_sit_on_one_side(sizes: tuple[int, ...]) -> None:
    """However the sizes come, parties of two and three are not torn apart."""
    tickets = [ticket(chr(97 + at), size, created=at) for at, size in enumerate(sizes)]
    found = find(tickets, 100, together)
    assert found is not None
    seats = {account: seat for seat, account in found.seats().items()}
    for one in tickets:
        assert len({seats[account] % 2 for account in one.accounts}) == 1


def test_parties_that_make_no_two_sides_wait() -> None:
    """Three parties of two are six people and no match: one of them would be torn apart."""
    tickets = [ticket(name, 2) for name in "abc"]
    assert find(tickets, 0, together) is None
    assert find([*tickets, ticket("d"), ticket("e")], 0, together) is not None


def test_the_rating_window_widens_with_time_up_to_its_most() -> None:
    """Strangers in strength are put together once both have waited long enough, and never beyond what both allow."""
    far = Wishes(("qingdao",), window_start=1, window_step=1, window_most=5)
    tickets = [ticket(name, rating=25.0, wishes=far) for name in "abcde"] + [ticket("f", rating=29.0, wishes=far)]
    assert find(tickets, 29.9, together) is None
    assert find(tickets, 30.0, together) is not None
    tickets[5].rating = 31.0
    assert find(tickets, 100_000, together) is None


def test_rule_sets_and_regions_agree() -> None:
    """All six want the rule set that is played; regions are the same, or any."""
    both, other = Wishes(("shandong", "qingdao")), Wishes(("shandong",))
    tickets = [ticket(name, wishes=both) for name in "abcde"]
    found = find([*tickets, ticket("f", wishes=other)], 0, together)
    assert found is not None
    assert found.rule_set == "shandong"
    assert find([*tickets, ticket("f", wishes=Wishes(("hokkaido",)))], 0, together) is None
    north, south = Wishes(("qingdao",), "north"), Wishes(("qingdao",), "south")
    tickets = [ticket(name, wishes=north) for name in "abcde"]
    assert find([*tickets, ticket("f", wishes=south)], 0, together) is None
    assert find([*tickets, ticket("f")], 0, together) is not None


def test_who_must_not_meet_is_kept_apart() -> None:
    """With a seventh who may meet all, that one plays instead of one of the pair."""
    apart = Apart()
    apart.note([frozenset(("accounts/a0", "accounts/b0"))])
    tickets = [ticket(name) for name in "abcdef"]
    assert find(tickets, 0, apart) is None
    found = find([*tickets, ticket("g")], 0, apart)
    assert found is not None
    assert {"a", "b"} - {one.id for one in found.tickets}


def test_who_waited_longest_and_who_was_called_in_vain_goes_first() -> None:
    """Of seven the newest waits on; one that came back to the queue goes before all."""
    tickets = [ticket(name, created=at) for at, name in enumerate("abcdefg")]
    found = find(tickets, 10, together)
    assert found is not None
    assert {one.id for one in found.tickets} == set("abcdef")
    tickets[6].first = True
    found = find(tickets, 10, together)
    assert found is not None
    assert "g" in {one.id for one in found.tickets}


def test_bots_fill_when_all_who_are_there_take_them() -> None:
    """Not before the time of each ticket; then with as many people as there are, allies together."""
    soon, late = Wishes(("qingdao",), fill_after=20), Wishes(("qingdao",), fill_after=60)
    one, two, never = ticket("a", 2, wishes=soon), ticket("b", wishes=late), ticket("c")
    assert find([one, never], 19, together) is None
    found = find([one, two, never], 20, together)
    assert found is not None
    assert [t.id for t in found.tickets] == ["a"]
    found = find([one, two, never], 60, together)
    assert found is not None
    assert {t.id for t in found.tickets} == {"a", "b"}
    assert len(found.seats()) == 3


def test_a_ticket_is_read_back_as_it_was_written() -> None:
    """Nothing of a ticket is lost in the records."""
    one = ticket("a", 3, wishes=Wishes(("qingdao", "shandong"), "north", 1.5, 0.5, 9.0, 30.0))
    one.state, one.match, one.table, one.ready_until, one.first = State.CALLED, "m", "tables/x", 7.25, True
    assert decode(encode(one)) == one


class Records:
    """Records in memory that can fail, with or without having written."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.fails = ""

    async def save(self, tickets: Collection[Ticket], forgotten: Collection[str] = ()) -> None:
        fails, self.fails = self.fails, ""
        if fails == "before":
            raise OSError("disk")
        self.kept.update((one.id, encode(one)) for one in tickets)
        for name in forgotten:
            del self.kept[name]
        await asyncio.sleep(0)
        if fails == "after":
            raise OSError("disk")

    async def load(self) -> list[Ticket]:
        return [decode(body) for body in self.kept.values()]

    def waiting(self) -> set[str]:
        return {one.id for body in self.kept.values() if not (one := decode(body)).state.over}


class Blocks:
    def __init__(self) -> None:
        self.pairs: set[frozenset[str]] = set()

    async def between(self, account: str, others: Collection[str]) -> frozenset[str]:
        return frozenset(other for other in others if frozenset((account, other)) in self.pairs)


class Hall:
    """A matchmaker on real tables, in virtual time."""

    def __init__(self, **limits: Any) -> None:
        self.at = House(limits=at_home(seat_lease_seconds=60))
        self.records = Records()
        self.blocks = Blocks()
        self.limits = MatchmakingLimits(**limits)
        self.maker = self._make()

    def _make(self) -> Matchmaker:
        return Matchmaker(self.at.tables, self.records, self.blocks, EvenRatings(), self.at.clock, self.limits)

    async def start(self) -> None:
        await self.at.tables.start()
        await self.maker.start()

    async def restart(self) -> None:
        await self.maker.close()
        await self.at.restart()
        self.maker = self._make()
        await self.maker.start()
        await settle()

    async def queue(self, name: str, people: int = 1, wishes: Wishes = QINGDAO) -> Ticket:
        accounts = tuple(f"accounts/{name}{at}" for at in range(people))
        made = await self.maker.create(accounts[0], accounts, wishes, name)
        await settle()
        return made

    async def come(self, account: str, table: str, *, ready: bool = True) -> None:
        handle = await self.at.tables.open(table)
        caller = Caller(account, account)
        await handle.join(caller, None, f"j{random.random()}")
        if ready:
            await handle.set_ready(caller, True, f"r{random.random()}")
        await settle()

    async def close(self) -> None:
        await self.maker.close()
        await self.at.tables.close()


async def hall(**limits: Any) -> Hall:
    made = Hall(**limits)
    await made.start()
    return made


async def test_six_are_called_come_and_play() -> None:
    """The table keeps a seat for each, allies on one side, owned by nobody; with six ready all tickets are matched."""
    at = await hall()
    tickets = [await at.queue("x", 3), await at.queue("y", 2), await at.queue("z")]
    assert [one.state for one in tickets] == [State.CALLED] * 3
    assert len({one.table for one in tickets}) == 1
    table = at.at.tables.listed(tickets[0].table)
    assert table is not None
    assert table.owner == ""
    assert len({player.seat % 2 for player in table.players if player.reserved_for.startswith("accounts/x")}) == 1
    for one in tickets:
        for account in one.accounts:
            await at.come(account, one.table)
    assert [one.state for one in tickets] == [State.MATCHED] * 3
    assert at.records.waiting() == set()
    again = await at.queue("x2")
    assert again.state is State.QUEUED
    await at.close()


async def test_who_does_not_come_expires_and_the_others_go_to_the_front() -> None:
    """After thirty seconds the table is closed; five wait again and are called before anybody who came later."""
    at = await hall()
    tickets = [await at.queue(name) for name in "abcdef"]
    for one in tickets[:5]:
        await at.come(one.accounts[0], one.table)
    late = []
    for name in "gh":
        late.append(await at.queue(name))
        await at.at.clock.run(1)
    first = tickets[0].table
    await at.at.clock.run(31)
    assert tickets[5].state is State.EXPIRED
    table = at.at.tables.listed(first)
    assert table is not None
    assert table.state == lobby_pb2.TABLE_STATE_FINISHED
    assert [one.state for one in tickets[:5]] == [State.CALLED] * 5
    assert tickets[0].table != first
    assert [one.state for one in late] == [State.CALLED, State.QUEUED]
    await at.close()


async def test_coming_without_being_ready_is_not_coming() -> None:
    """Who sits down and is not ready in time has expired; who leaves may come back until then."""
    at = await hall()
    tickets = [await at.queue(name) for name in "abcdef"]
    for one in tickets[1:]:
        await at.come(one.accounts[0], one.table)
    await at.come(tickets[0].accounts[0], tickets[0].table, ready=False)
    handle = await at.at.tables.open(tickets[1].table)
    await handle.leave(Caller(tickets[1].accounts[0], ""), "l")
    with pytest.raises(Refused, match=r"SEAT_RESERVED|TABLE_FULL"):
        await handle.join(Caller("accounts/stranger", ""), None, "j")
    await at.come(tickets[1].accounts[0], tickets[1].table)
    await at.at.clock.run(31)
    assert tickets[0].state is State.EXPIRED
    assert [one.state for one in tickets[1:]] == [State.QUEUED] * 5
    await at.close()


async def test_blocked_pairs_are_never_matched_though_it_becomes_known_late() -> None:
    """Six who would fit wait on where two of them have blocked each other; a seventh makes a match without one."""
    at = await hall()
    at.blocks.pairs.add(frozenset(("accounts/a0", "accounts/f0")))
    tickets = [await at.queue(name) for name in "abcdef"]
    assert {one.state for one in tickets} == {State.QUEUED}
    await at.queue("g")
    assert sum(one.state is State.CALLED for one in tickets) == 5
    assert {tickets[0].state, tickets[5].state} == {State.CALLED, State.QUEUED}
    await at.close()


async def test_bots_fill_after_the_time_and_the_match_begins_with_the_last_person() -> None:
    """Alone in the queue one plays with five bots once the ticket's time has come."""
    at = await hall()
    one = await at.queue("a", wishes=Wishes(("qingdao",), fill_after=20))
    states = [one.state]
    for seconds in (19, 2):
        await at.at.clock.run(seconds)
        states.append(one.state)
    assert states == [State.QUEUED, State.QUEUED, State.CALLED]
    await at.come(one.accounts[0], one.table)
    states.append(one.state)
    assert states[-1] == State.MATCHED
    await at.close()


async def test_a_ticket_waits_no_longer_than_its_time_and_one_account_waits_once() -> None:
    """It expires alone in the queue; meanwhile nobody of it can wait a second time; the same id is the same ticket."""
    at = await hall(ticket_seconds=100)
    one = await at.queue("a", 2)
    with pytest.raises(Refused, match="TICKET_WAITS"):
        await at.maker.create("accounts/a1", ("accounts/a1",), QINGDAO, "other")
    assert await at.queue("a", 2) is one
    with pytest.raises(Refused, match="REQUEST_ID_USED"):
        await at.queue("a", 1)
    await at.at.clock.run(101)
    assert one.state is State.EXPIRED
    assert (await at.maker.cancel(one.id, "accounts/a0")).state is State.EXPIRED
    await at.close()


async def test_tickets_are_somebody_s_own() -> None:
    """Who is not of a ticket is told that there is none, by the same words as for no ticket at all."""
    at = await hall()
    one = await at.queue("a")
    for name in (one.id, "nothing"):
        with pytest.raises(Refused, match="TICKET_NOT_FOUND"):
            at.maker.get(name, "accounts/b0")
        with pytest.raises(Refused, match="TICKET_NOT_FOUND"):
            await at.maker.cancel(name, "accounts/b0")
    await at.close()


async def test_the_number_of_tickets_is_bounded() -> None:
    """Beyond the bound nobody is queued, and tickets that are over are forgotten, the oldest first; a restart forgets
    no more: the same id is still the same ticket.
    """
    at = await hall(tickets=2, over_kept=1)
    one, two = await at.queue("a"), await at.queue("b")
    with pytest.raises(Refused, match="TOO_MANY_TICKETS"):
        await at.queue("c")
    for ended in (one, two):
        await at.maker.cancel(ended.id, ended.accounts[0])
    for _ in range(2):
        assert at.maker.get(two.id, "accounts/b0") == two
        with pytest.raises(Refused, match="TICKET_NOT_FOUND"):
            at.maker.get(one.id, "accounts/a0")
        assert at.records.kept.keys() == {two.id}
        await at.restart()
    assert await at.queue("b") == two
    await at.close()


OPS = st.lists(
    st.one_of(
        st.tuples(st.just("queue"), st.integers(1, 3), st.booleans()),
        st.tuples(st.just("cancel"), st.integers(0, 30), st.booleans()),
        st.tuples(st.just("come"), st.integers(0, 30), st.booleans()),
        st.tuples(st.just("leave"), st.integers(0, 30), st.booleans()),
        st.tuples(st.just("wait"), st.sampled_from([1, 5, 20, 31]), st.booleans()),
        st.tuples(st.just("restart"), st.just(0), st.booleans()),
        st.tuples(st.just("fail"), st.just(0), st.booleans()),
        st.tuples(st.just("block"), st.integers(0, 30), st.booleans()),
    ),
    min_size=8,
    max_size=40,
)


class Chronicle:
    """All that happened to all tickets: who was told what."""

    def __init__(self, at: Hall) -> None:
        self.at = at
        self.accounts: dict[str, tuple[str, ...]] = {}
        self.final: dict[str, State] = {}
        self.playing: dict[str, str] = {}

    def ticket(self, name: str) -> Ticket | None:
        return self.at.maker._open.get(name) or self.at.maker._over.get(name)

    def check(self) -> None:
        """Hold the invariants."""
        maker = self.at.maker
        waiting = Counter(account for one in maker._open.values() for account in one.accounts)
        assert all(count == 1 for count in waiting.values()), "an account waits twice"
        for name in self.accounts:
            one = self.ticket(name)
            assert one is not None, f"ticket {name} is lost"
            if name in self.final:
                assert one.state is self.final[name], f"ticket {name} ended twice"
            if one.state.over:
                self.final[name] = one.state
            if one.state is State.MATCHED:
                assert self.playing.setdefault(name, one.table) == one.table, f"ticket {name} was matched twice"
        seated = Counter(
            player.account
            for info in self.at.at.tables._directory._infos.values()
            if info.state == lobby_pb2.TABLE_STATE_PLAYING
            for player in info.players
            if player.account
        )
        # Where the disk fails, who plays already stays called to that table until its ticket's end can be written.
        called = {name for name, one in maker._open.items() if one.state is State.CALLED}
        tickets_of = Counter(account for name in called | self.playing.keys() for account in self.accounts[name])
        for account, tables in seated.items():
            assert tables <= tickets_of[account], f"{account} plays at more tables than it was matched to"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ops=OPS)
def test_no_ticket_is_lost_or_matched_twice(ops: list[tuple[str, int, bool]]) -> None:
    """Whatever people, the clock, restarts and failing disks do: every ticket ends as exactly one thing, once."""
    # Faults are logged by the hundred, with all that they concern: shown, they would take longer than the test.
    with capture_logs():
        asyncio.run(asyncio.wait_for(_live(ops), 60))


async def _live(ops: list[tuple[str, int, bool]]) -> None:
    at = await hall(ticket_seconds=300)
    told = Chronicle(at)
    for number, (what, value, flag) in enumerate(ops):
        await _do(at, told, number, what, value, flag)
        await settle()
        told.check()
    at.records.fails = ""
    for _ in range(12):
        await at.at.clock.run(60)
        await settle()
        told.check()
    assert set(told.final) == set(told.accounts)
    assert at.maker._open == {}
    assert at.records.waiting() == set()
    assert at.maker._of == {}
    await at.close()


async def _do(at: Hall, told: Chronicle, number: int, what: str, value: int, flag: bool) -> None:
    names = list(told.accounts)
    name = names[value % len(names)] if names else ""
    one = told.ticket(name) if name else None
    if what == "queue":
        wishes = Wishes(("qingdao",), fill_after=15 if flag else None)
        try:
            made = await at.queue(f"t{number}-", value, wishes)
        except OSError:
            # Whether it was written is open; after a restart it may be there, and is then a ticket like others.
            for body in at.records.kept.values():
                kept = decode(body)
                told.accounts.setdefault(kept.id, kept.accounts)
            if at.records.waiting() - at.maker._open.keys():
                await at.restart()
        else:
            told.accounts[made.id] = made.accounts
    elif what == "cancel" and one is not None:
        try:
            await at.maker.cancel(one.id, one.accounts[0])
        except OSError:
            await at.restart()
    elif what in ("come", "leave") and one is not None and one.state is State.CALLED:
        for account in one.accounts if flag else one.accounts[:1]:
            try:
                if what == "come":
                    await at.come(account, one.table)
                else:
                    handle = await at.at.tables.open(one.table)
                    await handle.leave(Caller(account, ""), f"l{number}")
            except Refused:
                continue
    elif what == "wait":
        await at.at.clock.run(value)
    elif what == "restart":
        await at.restart()
    elif what == "fail":
        at.records.fails = "after" if flag else "before"
    elif what == "block" and one is not None and names:
        other = told.accounts[names[-1]]
        if not set(other) & set(one.accounts):
            at.blocks.pairs.add(frozenset((one.accounts[0], other[0])))


@pytest.mark.timeout(20)
def test_people_who_blocked_each_other_in_groups_cost_little() -> None:
    """Five groups of six, nobody of a group may meet another: nobody fits, and that is found out soon."""
    tickets = [ticket(f"{at:02d}") for at in range(30)]
    apart = Apart()
    for group in range(5):
        apart.note(pairs_of([tickets[at].accounts[0] for at in range(group, 30, 5)]))
    looked_at = 0

    def counted(one: Ticket, other: Ticket) -> bool:
        nonlocal looked_at
        looked_at += 1
        return apart(one, other)

    assert find(tickets, 10.0, counted) is None
    assert looked_at < 60_000
