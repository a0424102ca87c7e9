"""A server in this process, over real loopback connections, in virtual time."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
import structlog

from gouji_server.config import Config
from tests.server.running import Running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """Settings of a test's server: its own directory, a free port, no figures, no waiting."""
    return settings(tmp_path)


def settings(folder: Path, **changes: Any) -> Config:
    """Make the settings of a test's server, some of them changed."""
    quick = {
        "port": 0,
        "metrics_port": None,
        "bot_least_seconds": 0,
        "bot_most_seconds": 0,
        "stop_grace_seconds": 1,
        "entropy_wait_seconds": 0,
    } | {"password_memory_kib": 64}
    return Config(**({"data_dir": folder / "data"} | quick | changes))


@pytest.fixture
async def running_server(config: Config) -> AsyncIterator[Running]:
    """A running server, ended after the test."""
    async with Running(config) as running:
        yield running


@pytest.fixture
def start_server(tmp_path: Path) -> Callable[..., Running]:
    """Make servers with settings of one's own: `async with start_server(max_streams=1) as running`."""
    return lambda **changes: Running(settings(tmp_path, **changes))


@pytest.fixture
def own_logging() -> Iterator[None]:
    """Let a test set logging up as it likes; undone afterwards."""
    root = logging.getLogger()
    handlers, level, raising = root.handlers[:], root.level, logging.raiseExceptions
    structlog.contextvars.clear_contextvars()
    yield
    structlog.contextvars.clear_contextvars()
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.raiseExceptions = raising
