"""Digests of a deal: equal iff the deals are, hidden parts included. They are never sent to anyone."""

from __future__ import annotations

import json
from hashlib import sha256
from struct import Struct, pack
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gouji_rules.actions import Action
    from gouji_rules.obligations import Obligation
    from gouji_rules.position import Position
    from gouji_rules.rule_set import RuleSet


def digest_of_start(
    rules: RuleSet, seed: bytes | None, dealt: Sequence[bytes], obligations: Sequence[Obligation]
) -> bytes:
    """SHA-256 over what does not change in a deal: rules, seed, cards dealt, obligations."""
    fixed = {
        "rules": rules.name,
        "options": rules.overrides(),
        "seed": None if seed is None else seed.hex(),
        "obligations": tuple(map(str, obligations)),
        "dealt": [held.hex() for held in dealt],
    }
    return sha256(json.dumps(fixed, separators=(",", ":"), sort_keys=True).encode()).digest()


def chain_answer(chain: bytes, seat: int, action: Action, cards: bytes, window: int) -> bytes:
    """The chained digest of a deal's answers, one further."""
    return sha256(chain + _ANSWER.pack(seat, action, window) + cards).digest()


_ANSWER: Final = Struct(">BQi")
_SCALARS: Final = Struct(">8BQ6b6B7b")


def digest_position(fixed: bytes, chain: bytes, pos: Position) -> bytes:
    """SHA-256 over a position, on top of the digests of what is fixed and of the answers so far."""
    p = pos.public
    scalars = _SCALARS.pack(
        *(p.phase, p.kind, p.asked, pos.waiting, p.active, p.passed, p.yielded, p.winded),
        p.top,
        *(p.turn, p.top_owner, p.yielder, p.chance, p.leader, p.first_leader),
        *(p.top_gouji, p.top_dead, p.top_last, p.top_headless, p.closed, p.melee),
        *(p.burner, p.burned, p.revolted, p.must_hold_joker, p.headless, p.pending, len(p.finished)),
    )
    lists = [*p.standing, *p.place, *p.finished]
    lists += [left + 1 for left in p.dead_left]
    lists += [count + 1 for count in p.count_shown]
    numbers = (
        p.number,
        p.trick,
        p.verbs,
        *(answer or 0 for answer in pos.answers),
    )
    hashed = sha256(fixed + chain + scalars + bytes(lists) + pack(f">{len(numbers)}Q", *numbers))
    hashed.update(pack(f">{len(p.history)}I", *p.history))
    for hand in pos.hands:
        hashed.update(hand)
    if pos.cards is not None:
        hashed.update(b"".join(pos.cards))
        hashed.update(b"".join([held or b"" for held in pos.chosen]))
    later = _later(pos)
    if later != _NOTHING_LATER:
        hashed.update(repr(later).encode())
    return hashed.digest()


def _later(pos: Position) -> tuple[object, ...]:
    """What the rules of qingdao do not have; left out of the digest where nothing of it has happened."""
    p = pos.public
    owed = (*map(str, p.obligations), *map(str, pos.owed), "-", *map(str, pos.back), str(p.due or ""), p.barred)
    moves = tuple((move.giver, move.taker, move.why, move.ranks, bytes(move.cards)) for move in p.moves)
    told = (p.calls, p.opened, p.burns, p.stifled, p.slam, p.felt, pos.stifles)
    running = (p.counter_burn, p.only_kill, p.live_dead, p.must_hold_four)
    return (owed, moves, told, running)


_NOTHING_LATER: Final = (("-", "", 0), (), ((0,) * 6, 0, (), (), -1, (0,) * 6, ()), (False, 0, 0, False))
