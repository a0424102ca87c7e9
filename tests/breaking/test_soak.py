"""The judgement on memory, and what a server keeps after many matches, streams and visitors: nothing of them."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gouji_server.main import Server
from gouji_server.tables.actor import Actor
from gouji_server.tables.outbox import Outbox
from gouji_server.tables.subscriptions import Subscription
from tests.breaking.flatness import Flatness
from tests.breaking.soak import Soak
from tests.server.conftest import settings
from tests.server.players import HomeBots
from tests.server.table_time import settle

if TYPE_CHECKING:
    from pathlib import Path

OF_STREAMS = (Outbox, Subscription)


def living() -> Counter[str]:
    """Count what streams and tables are made of."""
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects() if isinstance(one, (*OF_STREAMS, Actor)))


@pytest.mark.parametrize(("rise", "flat"), [(0.0, True), (0.5, True), (3.0, True), (8.0, False), (-5.0, True)])
def test_what_is_flat(rise: float, flat: bool) -> None:
    """A line that rises by less than the bound over the second half is flat, whatever the first half did; noise is no
    rise."""
    first = [(second, second * 1.0) for second in range(50)]
    second = [(50.0 + at, 60 + rise * at / 49 + (at % 2)) for at in range(50)]
    found = Flatness.of([*first, *second])
    assert found.flat is flat
    assert abs(found.rise - rise) < 0.2


def test_too_few_samples_are_no_line() -> None:
    """Two samples make no second half with a line."""
    with pytest.raises(ValueError, match="too few"):
        Flatness.of([(0.0, 1.0), (1.0, 1.0)])


@pytest.mark.slow
async def test_nothing_is_kept_of_who_is_gone(tmp_path: Path) -> None:
    """After a short soak and all clients gone no outbox and no subscription of theirs is left, and no task but those of
    tables that are awake."""
    config = settings(tmp_path, sign_in_burst=10**5, call_limit_factor=0, seat_lease_seconds=1)
    before = living()
    server = await Server.start(config, house_bots=HomeBots())
    try:
        quiet = len(asyncio.all_tasks())
        soak = Soak(server.address, seed=1, pace=0)
        await soak.run(groups=2, until={"matches": 2, "tickets": 10, "visitors": 5, "act": 100})
        while any(living()[kind.__name__] > before[kind.__name__] for kind in OF_STREAMS):
            await settle()
        tables = living()[Actor.__name__] - before[Actor.__name__]
        while len(asyncio.all_tasks()) > quiet + tables:
            await settle()
    finally:
        await server.stop()
