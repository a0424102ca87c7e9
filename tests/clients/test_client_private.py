"""Private tables through the SDK, against the real server and the fake one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gouji_client import BadInput, Client, NewTable, Refused, connect
from gouji_client.lobby import free_seats
from gouji_client.testing import FakeServer
from tests.clients.real_server import RealServer
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture(params=["real", "fake"])
async def address(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The address of a server: the real one, then the fake one."""
    if request.param == "real":
        async with RealServer(tmp_path) as real:
            yield real.address
    else:
        async with FakeServer(seats=(0, 1)) as fake:
            yield fake.address


async def person(address: str, name: str) -> Client:
    client = await connect(address, backoff=AT_ONCE)
    await client.sign_in(name)
    return client


async def test_a_private_table_is_found_and_joined_by_its_code(address: str) -> None:
    """Only with the code a second client finds, sees and joins the table; a reset code opens nothing."""
    one, two = await person(address, "one"), await person(address, "two")
    made = await one.lobby.create(NewTable(private=True, deals=1))
    assert made.private
    old = await one.lobby.join_code(made)
    assert [table.name async for table in two.lobby.tables()] == []
    for call in (two.lobby.get(made), two.lobby.join(made), two.lobby.join_code(made), two.lobby.find("222222")):
        with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
            await call
    assert (await two.lobby.find(old.lower())).name == made.name
    assert (await two.lobby.get(made, join_code=old)).name == made.name
    new = await one.lobby.reset_join_code(made)
    assert new != old
    with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
        await two.lobby.join(made, join_code=old)
    assert await two.lobby.join(made, join_code=new) == 1
    assert await two.lobby.join_code(made) == new
    with pytest.raises(Refused, match="NOT_OWNER"):
        await two.lobby.reset_join_code(made)
    for client in (one, two):
        await client.close()


async def test_a_table_that_is_not_private_has_no_code(address: str) -> None:
    """Asking for the code of an open table is refused; what is no text is told as bad input."""
    one = await person(address, "one")
    made = await one.lobby.create(NewTable(deals=1))
    assert not made.private
    with pytest.raises(Refused, match="NOT_PRIVATE"):
        await one.lobby.join_code(made)
    with pytest.raises(BadInput):
        await one.lobby.find(5)  # type: ignore[arg-type]
    await one.close()


async def test_a_watcher_follows_a_private_table_by_its_code(tmp_path: Path) -> None:
    """`client.table(name, join_code=…)` follows and views it without a seat; without the code it is not there."""
    async with RealServer(tmp_path) as server:
        one, two, three = [await person(server.address, name) for name in ("one", "two", "three")]
        made = await one.lobby.create(NewTable(private=True, deals=1))
        code = await one.lobby.join_code(made)
        view = await two.table(made.name, join_code=code).follow()
        assert view.info.private
        assert view.seat is None
        assert (await two.table(made.name).get_view()).info == view.info
        with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
            await three.table(made.name).follow()
        for client in (one, two, three):
            await client.close()


async def test_an_owner_changes_a_table_and_kicks_from_it(address: str) -> None:
    """`update` changes what is named and takes readiness back, `kick` frees a seat, with `ban` for good."""
    one, two = await person(address, "one"), await person(address, "two")
    made = await one.lobby.create(NewTable(deals=1))
    await two.lobby.join(made, 1)
    follower = two.table(made.name)
    await follower.follow()
    await two.lobby.set_ready(made)
    changed = await one.lobby.update(made, title="new", deals=2)
    assert (changed.title, changed.deals, changed.players[1].ready) == ("new", 2, False)
    view = await follower.until(lambda view: view.info.title == "new")
    assert not view.info.players[1].ready
    private = await one.lobby.update(made, private=True)
    assert private.private
    assert (await two.lobby.find(await one.lobby.join_code(made))).name == made.name
    await one.lobby.update(made, private=False)
    await one.lobby.kick(made, 1, account=two.account.name)
    await follower.until(lambda view: view.seat is None)
    assert await two.lobby.join(made, 1) == 1
    await one.lobby.kick(made, 1, ban=True)
    with pytest.raises(Refused, match="NOT_WELCOME"):
        await two.lobby.join(made)
    for wrong in ("KICK_ANOTHER", "NOBODY_THERE"):
        with pytest.raises(Refused, match=wrong):
            await one.lobby.kick(made, 0 if wrong == "KICK_ANOTHER" else 1)
    with pytest.raises(Refused, match="NOT_OWNER"):
        await two.lobby.update(made, title="mine")
    for client in (one, two):
        await client.close()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"colour": "red"},
        {"deals": "many"},
        {"private": 1},
        {"time": "soon"},
        {"time": "blitz", "decision_seconds": 3},
        {"bank_seconds": 3},
    ],
)
async def test_changes_that_make_no_sense_are_bad_input(address: str, changes: dict[str, object]) -> None:
    """They are refused before anything is sent, in words."""
    one = await person(address, "one")
    made = await one.lobby.create(NewTable(deals=1))
    with pytest.raises(BadInput):
        await one.lobby.update(made, **changes)  # type: ignore[arg-type]
    assert (await one.lobby.get(made)).title == made.title
    await one.close()


async def test_a_rematch_brings_everybody_to_one_table(tmp_path: Path) -> None:
    """Two who played together ask for a rematch and meet, each in its seat."""
    async with RealServer(tmp_path) as server:
        one, two = await person(server.address, "one"), await person(server.address, "two")
        made = await one.lobby.create(NewTable(deals=1))
        await two.lobby.join(made, 1)
        for seat in range(2, 6):
            await one.lobby.add_bot(made, "random", seat)
        for client in (one, two):
            await client.lobby.set_ready(made)
        for client in (one, two):
            await client.table(made.name).vote_dissolution(agrees=True)
        first, seat = await one.lobby.rematch(made)
        assert seat == 0
        assert free_seats(first) == []
        assert [table.name async for table in one.lobby.tables(with_free_seat=True)] == []
        second, seat = await two.lobby.rematch(made)
        assert (second.name, seat) == (first.name, 1)
        for client in (one, two):
            await client.close()
