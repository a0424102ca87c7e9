"""What tables share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji.lobby.v1 import lobby_pb2
    from gouji_server.journal import Journal
    from gouji_server.tables.clock import Clock, Entropy
    from gouji_server.tables.house_bots import HouseBots
    from gouji_server.tables.limits import Limits
    from gouji_server.tables.observing import Metrics


@dataclass(frozen=True, slots=True)
class World:
    """What tables share.

    ``note`` is told a table's lobby facts and join code whenever they changed, and besides what those without a seat
    may know of the facts where they are told later, else None.
    """

    journal: Journal
    clock: Clock
    entropy: Entropy
    bots: HouseBots
    limits: Limits
    metrics: Metrics
    note: Callable[[lobby_pb2.Table, str, lobby_pb2.Table | None], None]
