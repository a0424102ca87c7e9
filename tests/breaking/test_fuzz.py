"""A few thousand odd messages to all methods; many more by `make break`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from gouji.table.v1 import table_pb2
from tests.breaking.fuzzing import fuzz
from tests.breaking.mutations import Mutator
from tests.leak.every_call import services

if TYPE_CHECKING:
    from pathlib import Path

MESSAGES = 1200


@pytest.mark.slow
async def test_no_message_breaks_anything(tmp_path: Path) -> None:
    """Whatever is sent by whom: a planned status that tells nothing of the inside, and what is refused changes
    neither a file nor a view."""
    report = await fuzz(MESSAGES, seed=13, folder=tmp_path)
    assert report.sent == MESSAGES
    assert set(report.methods) == {method.name for _, method in services()}
    assert set(report.callers) == {"nobody", "forger", "stranger", "bot", "seat"}
    assert report.views_compared > 4
    # The messages come far enough: they are not all refused for their shape.
    assert {"OK", "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "FAILED_PRECONDITION"} <= set(report.codes)


def test_mutations_are_repeatable_and_many() -> None:
    """One seed makes the same bytes again, and hardly two messages of a run are the same."""
    valid = table_pb2.SubmitActionRequest(request_id="x", table="tables/x", decision=7)

    def made(seed: int) -> list[bytes]:
        mutator = Mutator(random.Random(seed), ["", "字"])
        return [mutator.raw(valid) for _ in range(200)]

    assert made(1) == made(1)
    assert len(set(made(1))) > 100
    assert made(1) != made(2)
