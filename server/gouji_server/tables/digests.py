"""The digest of a table's state after each input, with which recovery proves that it arrived at the same state.

It is chained: over the digest before, the input itself, the table's counters and the deal's whole position, hidden
parts included. Recovery compares it entry by entry, so a change of the rules engine, of the fold or of the file shows
at the first entry that it touches. It is never sent to anyone.
"""

from __future__ import annotations

from hashlib import blake2b
from struct import Struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gouji_server.tables.table import TableState

DIGEST_BYTES = 16

_COUNTERS = Struct(">q6qqqBB")
_PUBLIC = Struct(">BBBIbBBBBBBQbbbH?bb6b6B6b")
_LINK = Struct(">HH")


def digest_after(before: bytes, kind: str, body: bytes, state: TableState) -> bytes:
    """Return the digest of `state` after the input `(kind, body)`, `before` being the one before it."""
    made = blake2b(before, digest_size=DIGEST_BYTES)
    made.update(_LINK.pack(len(kind), len(body) & 0xFFFF) + kind.encode() + body)
    made.update(_COUNTERS.pack(state.n, *state.p, state.decision, state.deadline, state.state, state.answered))
    deal = state.deal
    if deal is not None:
        position = deal.position
        p = position.public
        made.update(
            _PUBLIC.pack(
                p.phase,
                p.kind,
                p.asked,
                p.verbs,
                p.turn,
                p.active,
                p.passed,
                p.yielded,
                p.winded,
                p.headless,
                position.waiting,
                p.top,
                p.top_owner,
                p.leader,
                p.yielder,
                p.trick,
                p.melee,
                p.burner,
                p.burned,
                *p.dead_left,
                *p.place,
                *p.count_shown,
            )
        )
        made.update(b"/".join(position.cards or ()))
    return made.digest()
