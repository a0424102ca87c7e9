"""What people without a seat are told of a match, and when: every step later by the table's delay.

Steps wait here in the very bytes that the seats were sent. Once their time has come they go to who watches, into a ring
of their own, and into a fold from which all else is answered that somebody without a seat may ask. When a step is told
depends on its own time and on nothing else.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2
from gouji_server.tables.public_fold import PublicFold
from gouji_server.tables.steps import SPECTATOR, Step, StepRing

if TYPE_CHECKING:
    from collections.abc import Callable

    from gouji_server.tables.chat import Said
    from gouji_server.tables.clock import Clock, Timer
    from gouji_server.tables.limits import Limits

_NO_P = (0,) * 6
_CLOSED = frozenset({lobby_pb2.TABLE_STATE_FINISHED, lobby_pb2.TABLE_STATE_FROZEN})
_ROUNDING = 1e-3
"""Milliseconds by which a timer may be early: times are floats."""


class Late(NamedTuple):
    """What waits for its time (milliseconds): a step, something said, or a snapshot in the place of what was let go."""

    due: int
    step: Step | None
    snapshot: bytes = b""
    said: Said | None = None

    @property
    def size(self) -> int:
        """What it takes in memory."""
        if self.said is not None:
            return len(self.said.chunk)
        return len(self.snapshot if self.step is None else self.step.shared or b"")


class Spectating:
    """See the module. ``tell`` gets what to send now: a step's chunk, something said, or None for a snapshot to all.

    ``changes`` counts how often the lobby facts that may be known have changed.
    """

    def __init__(
        self, snapshot: bytes, clock: Clock, limits: Limits, tell: Callable[[bytes | Said | None], None]
    ) -> None:
        """`snapshot`: a TableUpdate of what may be told now."""
        self._fold = PublicFold(snapshot)
        self._epoch = self._fold.epoch
        self.changes = 0
        self._clock = clock
        self._limits = limits
        self._tell = tell
        self._ring = StepRing(limits.ring_steps, limits.ring_bytes)
        self._ring.start_at(self._fold.n, _NO_P)
        self._late: deque[Late] = deque()
        self._late_bytes = 0
        self._timer: Timer | None = None

    # ── what may be known ──

    @property
    def n(self) -> int:
        """The number of the last event that may be known."""
        return self._fold.n

    @property
    def info(self) -> lobby_pb2.Table:
        """The lobby facts that may be known; not to be changed."""
        return self._fold.info

    @property
    def epoch(self) -> int:
        """Which numbering that belongs to, once all that waits is told."""
        return self._epoch

    @property
    def closed(self) -> bool:
        """Whether nothing more will be told."""
        return not self._late and self._fold.info.state in _CLOSED

    @property
    def waiting(self) -> bool:
        """Whether something is still to be told."""
        return bool(self._late)

    def snapshot(self, reason: table_pb2.SnapshotReason.ValueType) -> bytes:
        """Return the TableUpdate of a snapshot."""
        return self._fold.snapshot(reason)

    def tail(self, after: table_pb2.Place) -> list[bytes] | table_pb2.SnapshotReason.ValueType:
        """Return the chunks that follow on a place, or why there are none."""
        if after.epoch != self._fold.epoch:
            return table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE
        return self._ring.tail(SPECTATOR, after.n, after.p)

    # ── what is to be told ──

    def add(self, step: Step) -> None:
        """Take a step just made: tell it, or have it wait. :meth:`settle` follows."""
        if step.shared is None:
            return
        if not step.due and not self._late:
            self._show(step)
            return
        self._wait(Late(max(step.due, self._late[-1].due if self._late else 0), step))

    def hear(self, said: Said) -> None:
        """Take something said: tell it, or have it wait among the steps."""
        if not said.due and not self._late:
            self._tell(said)
            return
        self._wait(Late(max(said.due, self._late[-1].due if self._late else 0), None, said=said))
        self._arm()

    def settle(self, whole: Callable[[], bytes]) -> None:
        """See to the time of what waits. Where too much does, all gives way to a snapshot, written by `whole`, which
        is told when the newest would have been."""
        if self._late_bytes > self._limits.late_bytes:
            self.jump(self._late[-1].due, whole())
        self._arm()

    def jump(self, due: int, snapshot: bytes) -> None:
        """Let go of what waits; have a snapshot told in its place, not before what waited would have been."""
        due = max(due, self._late[-1].due if self._late else 0)
        self._late.clear()
        self._late_bytes = 0
        self._wait(Late(due, None, snapshot))
        self._epoch = table_pb2.TableUpdate.FromString(snapshot).epoch
        self.release()

    def _wait(self, late: Late) -> None:
        self._late.append(late)
        self._late_bytes += late.size

    def release(self) -> None:
        """Tell what is due."""
        now = self._clock.now() * 1000 + _ROUNDING
        while self._late and self._late[0].due <= now:
            late = self._late.popleft()
            self._late_bytes -= late.size
            if late.step is not None:
                self._show(late.step)
            elif late.said is not None:
                self._tell(late.said)
            else:
                self._fold = PublicFold(late.snapshot)
                self._ring.start_at(self._fold.n, _NO_P)
                self.changes += 1
                self._tell(None)
        self._arm()

    def _show(self, step: Step) -> None:
        shared = step.shared
        if step.base:
            self._fold = PublicFold(step.base)
        elif shared is not None:
            self._fold.take(shared)
        self.changes += step.info_changed
        self._ring.add(Step(step.seq, step.n, _NO_P, shared, {}))
        self._tell(shared)

    def stop(self) -> None:
        """Tell nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        self.stop()
        if self._late:
            self._timer = self._clock.call_at(self._late[0].due / 1000, self.release)


def before_delay(info: lobby_pb2.Table, now: float) -> lobby_pb2.Table | None:
    """Return what those without a seat may know of lobby facts at `now` (seconds): what ended or stopped within the
    table's delay has not yet. None: all of it."""
    delay = info.spectator_delay.ToMilliseconds()
    since = now * 1000 - delay
    ended = info.end_time.ToMilliseconds() > since
    stopped = info.suspend_time.ToMilliseconds() > since
    held = info.hold_time.ToMilliseconds() > since
    if not delay or not (ended or stopped or held):
        return None
    shown = lobby_pb2.Table()
    shown.CopyFrom(info)
    if ended:
        shown.state = lobby_pb2.TABLE_STATE_PLAYING
        shown.ClearField("end_time")
    if stopped:
        shown.ClearField("suspend_time")
    if held:
        shown.ClearField("hold_time")
    return shown
