"""The replays of the client without `async`; see `gouji_client.sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from gouji.replay.v1 import replay_pb2
    from gouji_client import replays as _replays
    from gouji_client.arguments import TableLike
    from gouji_client.background import BackgroundLoop
    from gouji_client.replays import ReplayStep


class Replays:
    """The finished matches of a server; see `gouji_client.Replays`."""

    def __init__(self, replays: _replays.Replays, loop: BackgroundLoop) -> None:
        self._replays = replays
        self._loop = loop

    def matches(
        self,
        *,
        player: str = "",
        rule_set: str = "",
        table: TableLike = "",
        ended_from: datetime | None = None,
        ended_before: datetime | None = None,
    ) -> Iterator[replay_pb2.Match]:
        """Iterate over finished matches, the last finished first."""
        told = self._replays.matches(
            player=player, rule_set=rule_set, table=table, ended_from=ended_from, ended_before=ended_before
        )
        return self._loop.iterate(told)

    def get(self, match: str, *, share_link: str = "") -> replay_pb2.Match:
        """Return a match with its deals; one that is not open to all wants the token of a share link."""
        return self._loop.run(self._replays.get(match, share_link=share_link))

    def record(self, match: str, *, share_link: str = "") -> str:
        """Return a match's record, the text of a file."""
        return self._loop.run(self._replays.record(match, share_link=share_link))

    def steps(
        self,
        match: str,
        *,
        eyes: int | Literal["open", "spectator"] = "open",
        first: int = 1,
        last: int = 0,
        share_link: str = "",
    ) -> Iterator[ReplayStep]:
        """Iterate over a match step by step; see `gouji_client.Replays.steps`."""
        told = self._replays.steps(match, eyes=eyes, first=first, last=last, share_link=share_link)
        return self._loop.iterate(told)
