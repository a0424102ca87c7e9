"""Failures of tasks that run together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@asynccontextmanager
async def first_failure() -> AsyncIterator[None]:
    """Raise of several failures that came together only the first: the others followed from it."""
    try:
        yield
    except BaseExceptionGroup as failures:
        failure: BaseException = failures
        while isinstance(failure, BaseExceptionGroup):
            failure = failure.exceptions[0]
        raise failure from failures
