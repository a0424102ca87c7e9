"""Lists of tables through the SDK and the command, against the real server and the fake one."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import TYPE_CHECKING

import pytest

from gouji_client import BadInput, Client, NewTable, connect
from gouji_client.testing import FakeServer
from tests.clients.cli_run import gouji, serving
from tests.clients.cutting_proxy import CuttingProxy
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


async def test_the_live_list_follows_what_happens(address: str) -> None:
    """Each list is the whole of it: a table comes, is changed, becomes private, and is in the list no more."""
    one, two = await person(address, "one"), await person(address, "two")
    async with aclosing(two.lobby.watch_tables(text="match")) as lists:
        assert await anext(lists) == []
        made = await one.lobby.create(NewTable(title="A Match", deals=1))
        while not (tables := await anext(lists)):
            pass
        assert [table.name for table in tables] == [made.name]
        await one.lobby.join(made)
        await two.lobby.join(made, 1)
        while not tables[0].players[1].account:
            tables = await anext(lists)
        await one.lobby.update(made, private=True)
        while tables:
            tables = await anext(lists)
    for client in (one, two):
        await client.close()


async def test_pages_take_the_same_wishes(address: str) -> None:
    """`tables` finds by title and rule set; what cannot be a wish is bad input."""
    one = await person(address, "one")
    made = await one.lobby.create(NewTable(title="A Match", deals=1))
    assert [table.name async for table in one.lobby.tables(text="match", rule_set="qingdao")] == [made.name]
    assert [table async for table in one.lobby.tables(text="no such")] == []
    with pytest.raises(BadInput):
        _ = [table async for table in one.lobby.tables(text=5)]  # type: ignore[arg-type]
    await one.close()


async def test_the_live_list_outlives_a_restart(tmp_path: Path) -> None:
    """After the server has come back the list begins anew by itself."""
    async with RealServer(tmp_path) as server, CuttingProxy(server.address) as proxy:
        one = await person(proxy.address, "one")
        await one.lobby.create(NewTable(title="before"))
        async with aclosing(one.lobby.watch_tables()) as lists:
            assert len(await anext(lists)) == 1
            await server.stop()
            await server.start()
            proxy.to = server.address
            assert [table.title for table in await anext(lists)] == ["before"]
        await one.close()


def test_the_command_lists_and_watches(tmp_path: Path) -> None:
    """`gouji table list` and `watch` tell that there are none; JSON is an empty list; a bad preset is told in words."""
    with serving(tmp_path) as running:
        at = ("--server", running.address)
        assert "no table is open" in gouji("table", "list", *at).output
        assert "no table is open" in gouji("table", "watch", "--times", "1", *at).output
        assert json.loads(gouji("table", "list", "--json", "--free", *at).output) == []
        wrong = gouji("table", "list", "--rules", "nowhere", *at)
        assert wrong.exit_code == 2
        assert "nowhere" in wrong.stderr
