"""Finished matches for those who may see them: lists, records, and steps."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from gouji.replay.v1 import replay_pb2
from gouji_server.records.matches import MatchPlace
from gouji_server.replays.retelling import ACCOUNTS, MATCHES
from gouji_server.replays.scene import OPEN, Scene
from gouji_server.tables.refusals import NOT_FOUND, PERMISSION_DENIED, Refused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from gouji.lobby.v1 import lobby_pb2
    from gouji.table.v1 import events_pb2
    from gouji_server.records import MatchRecords
    from gouji_server.records.matches import MatchFilter

    _Named: TypeAlias = lobby_pb2.Player | events_pb2.PlayerKicked


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of a match is to be watched: steps `first` to `last` (0: to the end), with whose eyes."""

    perspective: replay_pb2.Perspective.ValueType = OPEN
    seat: int = 0
    first: int = 1
    last: int = 0


class Replays:
    """See the module. ``caller`` is always the account that asks, ``match`` a resource name."""

    def __init__(self, records: MatchRecords) -> None:
        self._records = records

    async def page(self, caller: str, wanted: MatchFilter, size: int) -> tuple[list[replay_pb2.Match], str]:
        """Return a page of matches, the last finished first, and the place after which the next begins."""
        found = await self._records.page(_bare(caller), wanted, size + 1)
        matches = [replay_pb2.Match.FromString(facts) for _, facts in found[:size]]
        await self._forget(player for match in matches for player in match.players)
        following = f"{found[size - 1][0].ended} {found[size - 1][0].id}" if len(found) > size else ""
        return matches, following

    async def get(self, caller: str, match: str) -> replay_pb2.Match:
        """Return a match with its deals. Raises Refused."""
        found = await self._records.get(_bare(caller), match.removeprefix(MATCHES))
        if found is None:
            raise match_not_found()
        told = replay_pb2.Match.FromString(found[0])
        told.deal_results.extend(map(replay_pb2.MatchDeal.FromString, found[1]))
        await self._forget(told.players)
        return told

    async def record(self, caller: str, match: str) -> str:
        """Return a match's record. Raises Refused."""
        found = await self._records.record(_bare(caller), match.removeprefix(MATCHES))
        if found is None:
            raise match_not_found()
        return zlib.decompress(found).decode()

    async def steps(self, caller: str, match: str, wanted: Wanted) -> AsyncIterator[replay_pb2.ReplayStep]:
        """Give the steps wanted, a snapshot first, a part at a time out of the records. Raises Refused."""
        step = max(wanted.first, 1)
        opened = False
        while True:
            part = await self._records.part_at(_bare(caller), match.removeprefix(MATCHES), step)
            if part is None:
                raise match_not_found()
            if part.last_step < step and opened:
                return
            opening = replay_pb2.ReplayStep.FromString(zlib.decompress(part.opening))
            steps = replay_pb2.WatchReplayResponse.FromString(zlib.decompress(part.steps)).steps
            await self._forget(player for told in (opening, *steps) for player in _players_in(told))
            scene = Scene.opened(opening, part.said)
            before = max(step - 1, 1)  # the table as it was made is the first there is to see
            if not opened and opening.step >= before:
                opened = True
                yield scene.snapshot(wanted.perspective, wanted.seat)
            for told in steps:
                if 0 < wanted.last < told.step and opened:
                    return
                scene.take(told)
                if opened:
                    seen = scene.seen(told, wanted.perspective, wanted.seat)
                    if seen is not None:
                        yield seen
                elif told.step >= before:
                    opened = True
                    yield scene.snapshot(wanted.perspective, wanted.seat)
            if not opened:  # from beyond the end: the table as it was left
                yield scene.snapshot(wanted.perspective, wanted.seat)
                return
            step = part.last_step + 1

    async def may_share(self, caller: str, match: str) -> None:
        """Raise Refused for who may not share a match: others than who played it."""
        if not await self._records.played(_bare(caller), match.removeprefix(MATCHES)):
            if await self._records.get(_bare(caller), match.removeprefix(MATCHES)) is None:
                raise match_not_found()
            raise Refused(
                PERMISSION_DENIED, "NOT_PLAYED", "only who played a match may share it", "只有对局者可以分享这一局"
            )

    async def eyes(self, caller: str, match: str, sharer: str) -> str:
        """Return with whose rights to look at a match: the caller's own, or those of who shared it (empty: nobody),
        once people without a seat have been told of its end."""
        return sharer if sharer and await self._records.is_told(match.removeprefix(MATCHES)) else caller

    async def _forget(self, players: Iterable[_Named]) -> None:
        """Leave out the names of accounts that were deleted."""
        people = [player for player in players if player.account]
        if not people:
            return
        gone = await self._records.deleted_among({_bare(player.account) for player in people})
        for player in people if gone else ():
            if _bare(player.account) in gone:
                player.display_name = ""


def read_place(text: str) -> MatchPlace | None:
    """Read where a list goes on, as `page` gave it."""
    ended, _, match_id = text.partition(" ")
    return MatchPlace(int(ended), match_id) if text else None


def match_not_found() -> Refused:
    """Refuse a match that is not there, or not the caller's to see: which of them is not told."""
    return Refused(NOT_FOUND, "MATCH_NOT_FOUND", "there is no such match", "没有这一局")


def _players_in(step: replay_pb2.ReplayStep) -> Iterable[_Named]:
    """Return everything of a step that has the name of an account."""
    yield from step.update.table_info.players
    for event in step.update.events:
        if event.HasField("seat_changed"):
            yield event.seat_changed.player
        elif event.HasField("seats_moved"):
            yield from event.seats_moved.players
        elif event.HasField("player_kicked"):
            yield event.player_kicked


def _bare(account: str) -> str:
    return account.removeprefix(ACCOUNTS)
