"""Structured logs: one JSON object a line on standard error, or text for a terminal.

Context is bound where it is known (method, account, table, seat, request id, version) and comes with every line. No
line holds a card or a token: nothing of a request's or an event's content is logged, and of an exception its type and
its frames, never its text or its variables, since those may hold a hand.
"""

from __future__ import annotations

import logging
import sys
import traceback
from typing import TYPE_CHECKING, Any, TextIO

import structlog

if TYPE_CHECKING:
    from types import TracebackType

    from structlog.typing import EventDict, Processor, WrappedLogger

    ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]

MAX_FRAMES = 40
"""Of a traceback at most so many frames are logged, the innermost ones."""


def set_up(level: str, style: str = "json", stream: TextIO | None = None) -> None:
    """Send structlog's and the standard library's logs through one formatter to `stream` (default: standard error).

    `level`: debug, info, warning or error; `style`: json or text.
    """
    numeric = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        frames_alone,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(numeric),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    render: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, foreign_events_name_their_logger_alone],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(numeric)
    logging.raiseExceptions = False  # a line that cannot be formatted would go to standard error as it is
    for noisy in ("aiosqlite", "sqlalchemy", "alembic", "grpc", "asyncio"):
        # At debug level the first write statements with their values: hashes of secrets, journal entries.
        logging.getLogger(noisy).setLevel(logging.WARNING)


def frames_alone(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Replace `exc_info` by `raised`: the exception's type and frames, causes included."""
    info = event.pop("exc_info", None)
    if info is True:
        info = sys.exc_info()
    elif isinstance(info, BaseException):
        info = (type(info), info, info.__traceback__)
    if isinstance(info, tuple) and isinstance(info[1], BaseException):
        event["raised"] = describe(info[1])
    return event


def describe(error: BaseException) -> list[dict[str, Any]]:
    """Return type and frames of `error` and of what caused it, outermost first, without texts and variables."""
    chain: list[dict[str, Any]] = []
    current: BaseException | None = error
    seen: set[int] = set()
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        frames = traceback.extract_tb(current.__traceback__)[-MAX_FRAMES:]
        chain.append(
            {
                "type": f"{type(current).__module__}.{type(current).__qualname__}",
                "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
            }
        )
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return chain


def foreign_events_name_their_logger_alone(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Take the text out of other libraries' messages that come with an exception: asyncio writes its repr there."""
    if "raised" in event:
        event["event"] = f"exception in {event.get('logger', 'a library')}"
    return event
