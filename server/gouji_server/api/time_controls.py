"""Time controls in requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.tables.time_control import PRESETS, TimeControl

if TYPE_CHECKING:
    from google.protobuf.duration_pb2 import Duration

    from gouji.lobby.v1 import lobby_pb2 as pb
    from gouji_server.api.validation import Shape

DECISION_SECONDS = (1, 3600)
BANK_SECONDS = (0, 3600)


def read_times(shape: Shape, request: pb.CreateTableRequest) -> TimeControl:
    """Return the time control that a new table asks for, or note what is wrong with it."""
    if not request.HasField("time_control"):
        if not request.HasField("decision_time"):
            return TimeControl()
        shape.duration(request.decision_time, *DECISION_SECONDS, "decision_time")
        return TimeControl(_milliseconds(request.decision_time))
    if request.HasField("decision_time"):
        shape.bad("decision_time", "wanted: not together with time_control", "不能与 time_control 同时给出")
    return read_time_control(shape, request.time_control)


def read_time_control(shape: Shape, wanted: pb.TimeControl) -> TimeControl:
    """Read a time control, or note what is wrong with it."""
    timed, banked = wanted.HasField("decision_time"), wanted.HasField("bank")
    if wanted.preset:
        if wanted.preset not in PRESETS:
            shape.bad("time_control.preset", "wanted: a TimePreset", "应为 TimePreset 之一")
        elif timed or banked:
            shape.bad("time_control.preset", "wanted: a preset or times of one's own", "预设与自定用时只能给出一种")
        return PRESETS.get(wanted.preset, TimeControl())
    if timed:
        shape.duration(wanted.decision_time, *DECISION_SECONDS, "time_control.decision_time")
    if banked:
        shape.duration(wanted.bank, *BANK_SECONDS, "time_control.bank")
        if not timed:
            shape.bad("time_control.bank", "wanted: no bank without a decision time", "没有每手用时则不能有备用时间")
    return TimeControl(_milliseconds(wanted.decision_time) if timed else 0, _milliseconds(wanted.bank) if banked else 0)


def _milliseconds(time: Duration) -> int:
    """Read a duration whatever it is: one out of bounds has been noted."""
    return time.seconds * 1000 + round(time.nanos / 1e6)
