"""Inputs of a table that the server's operators made (:mod:`gouji_server.tables.inputs`). Times are milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Held:
    """Operators have the match stand still."""

    time: int
    request_id: str


@dataclass(frozen=True, slots=True)
class Released:
    """Operators let the match go on. The open question has at least ``least_ms`` milliseconds."""

    time: int
    least_ms: int
    request_id: str


@dataclass(frozen=True, slots=True)
class ShutDown:
    """Operators closed the table."""

    time: int
    request_id: str


@dataclass(frozen=True, slots=True)
class Ousted:
    """Operators took a seat from who sits there. ``heir``: to whom its table goes before the match, empty for none."""

    time: int
    seat: int
    heir: str
    request_id: str


OperatorInput: TypeAlias = Held | Released | ShutDown | Ousted

KINDS: dict[str, type[Any]] = {"hold": Held, "release": Released, "shut": ShutDown, "oust": Ousted}
"""What the journal calls each."""
