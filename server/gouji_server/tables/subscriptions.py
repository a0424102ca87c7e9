"""Who follows a table: at most so many, each with the eyes of its seat or of a spectator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.tables.refusals import RESOURCE_EXHAUSTED, Refused
from gouji_server.tables.steps import SPECTATOR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gouji_server.tables.grants import Grant
    from gouji_server.tables.limits import Limits
    from gouji_server.tables.outbox import Outbox
    from gouji_server.tables.steps import Step


class Subscription:
    """One stream following one table. ``lagging``: its reader was too slow, and it waits for a snapshot.

    ``hidden``: senders whom its reader does not want to hear. ``invited``: it may follow a private table without a
    seat, since it gave the join code, owns the table, or has a ``grant`` by a share link.
    """

    __slots__ = (
        "_on_detach",
        "_on_resync",
        "account",
        "grant",
        "hidden",
        "invited",
        "lagging",
        "outbox",
        "seat",
        "table",
    )

    def __init__(
        self,
        table: str,
        account: str,
        outbox: Outbox,
        on_resync: Callable[[Subscription], None],
        on_detach: Callable[[Subscription], None],
    ) -> None:
        self.table = table
        self.account = account
        self.outbox = outbox
        self.seat = SPECTATOR
        self.lagging = False
        self.invited = False
        self.grant: Grant | None = None
        self.hidden: frozenset[str] = frozenset()
        self._on_resync = on_resync
        self._on_detach = on_detach

    def resync(self) -> None:
        """See :class:`~gouji_server.tables.outbox.Follower`."""
        self._on_resync(self)

    def detach(self) -> None:
        """See :class:`~gouji_server.tables.outbox.Follower`."""
        self._on_detach(self)


class Subscriptions:
    """All subscriptions of one table."""

    __slots__ = ("_all", "_limits")

    def __init__(self, limits: Limits) -> None:
        self._all: dict[Subscription, None] = {}
        self._limits = limits

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Subscription]:
        return iter(list(self._all))

    def admit(self, account: str, seat: int, most_spectators: int) -> None:
        """Raise Refused if one more would be too many; `most_spectators` is how many people may watch this table."""
        of_account = sum(1 for other in self._all if other.account == account)
        if of_account >= self._limits.streams_per_account:
            raise Refused(
                RESOURCE_EXHAUSTED,
                "TOO_MANY_STREAMS",
                "this account follows this table on too many streams",
                "此账号关注这张桌子的连接太多",
            )
        watching = [other.account for other in self._all if other.seat < 0]
        others = len(set(watching) - {account})
        if seat < 0 and (len(watching) >= self._limits.watchers or others >= most_spectators):
            raise Refused(RESOURCE_EXHAUSTED, "TOO_MANY_WATCHERS", "too many watch this table", "旁观这张桌子的人太多")

    def add(self, subscription: Subscription) -> None:
        """Have a subscription get every further step."""
        self._all[subscription] = None

    def remove(self, subscription: Subscription) -> None:
        """Have it get no more; no error if it did not."""
        self._all.pop(subscription, None)

    def publish(self, step: Step, *, to_spectators: bool = True) -> None:
        """Send a step to everyone it says something to, or to the seats alone."""
        shared, private = step.shared, step.private
        for subscription in self._all:
            if subscription.seat < 0 and not to_spectators:
                continue
            said = private.get(subscription.seat, shared)
            if said is not None:
                subscription.outbox.put(subscription, said)
