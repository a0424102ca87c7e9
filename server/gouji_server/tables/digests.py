"""The digest of a table's state after each input, with which recovery proves that it arrived at the same state.

It is chained: over the digest before, the input itself, the table's counters, every hand, and what the deal's position
says is asked and of whom. Recovery compares it entry by entry, so a change of the rules engine, of the fold or of the
file shows at the first entry that it touches. It is never sent to anyone.
"""

from __future__ import annotations

from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_server.tables.table import TableState

DIGEST_BYTES = 16

_COUNTERS = Struct(">q6qqqBB")
_POSITION = Struct(">10BQbH")
_LINK = Struct(">BI")


def digest_after(before: bytes, kind: str, body: bytes, state: TableState) -> bytes:
    """Return the digest of `state` after the input `(kind, body)`, `before` being the one before it."""
    parts = [
        before,
        _LINK.pack(len(kind), len(body)),
        kind.encode(),
        body,
        _COUNTERS.pack(state.n, *state.p, state.decision, state.deadline, state.state, state.answered),
    ]
    deal = state.deal
    if deal is not None:
        position = deal.position
        p = position.public
        parts.append(
            _POSITION.pack(
                p.phase,
                p.kind,
                p.asked,
                position.waiting,
                p.active,
                p.passed,
                p.yielded,
                p.winded,
                p.headless,
                p.melee,
                p.top,
                p.burner,
                p.trick,
            )
        )
        parts += position.cards or ()
    return blake2b(b"".join(parts), digest_size=DIGEST_BYTES).digest()
