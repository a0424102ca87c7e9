"""Share links through the SDK, with await and without, against the real server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from gouji_client import BadInput, NewTable, Refused, connect
from tests.clients.real_server import RealServer
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_link_is_made_followed_listed_and_revoked(tmp_path: Path) -> None:
    """By its token a guest gets the table, its view and its updates; revoked it ends them, and opens nothing."""
    async with (
        RealServer(tmp_path) as server,
        connect(server.address, backoff=AT_ONCE) as one,
        connect(server.address, backoff=AT_ONCE) as two,
    ):
        await one.sign_in("one")
        await two.sign_in("two")
        made = await one.lobby.create(NewTable(private=True, deals=1))
        link = await one.sharing.create(made.name, expires=datetime.now(UTC) + timedelta(days=2))
        assert [listed.name for listed in await one.sharing.links(made.name)] == [link.link.name]
        with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
            await two.lobby.get(made.name)
        assert (await two.lobby.get(made.name, share_link=link.token)).name == made.name
        table = two.table(made.name, share_link=link.token)
        assert (await table.get_view()).seat is None
        updates = table.updates()
        assert (await anext(updates)).view.seat is None
        await one.sharing.revoke(link.link.name)
        with pytest.raises(Refused, match="TABLE_NOT_FOUND"):
            async for _ in updates:
                pass
        assert await one.sharing.links(made.name) == []


async def test_slips_are_told_before_anything_is_sent(tmp_path: Path) -> None:
    """What is no name, and a time without a zone, are BadInput."""
    async with RealServer(tmp_path) as server, connect(server.address) as client:
        await client.sign_in("one")
        for wrong in ("", 7):
            with pytest.raises(BadInput):
                await client.sharing.create(wrong)  # type: ignore[arg-type]
        with pytest.raises(BadInput, match="zone"):
            await client.sharing.create("tables/x", expires=datetime(2030, 1, 1))  # noqa: DTZ001 - that is the slip
