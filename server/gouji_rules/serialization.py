"""A whole deal as bytes and back: canonical JSON, the same on every machine."""

from __future__ import annotations

import json
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gouji_rules.actions import Action
from gouji_rules.answer_log import Answer
from gouji_rules.cards import RANK_COUNT, SEATS, Card
from gouji_rules.deal import Deal
from gouji_rules.enumeration import pack_hand
from gouji_rules.obligations import parse_obligation
from gouji_rules.position import Position
from gouji_rules.question import Kind
from gouji_rules.rule_set import RuleSet, preset
from gouji_rules.state import PUBLIC_FIELDS, Moved, Phase, PublicState, Standing, narrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gouji_rules.obligations import Obligation

FORMAT = "gouji-deal/1"

# Fields of the public state that are not plain ints, bools or lists of ints.
_APART = ("rules", "shown", "history", "history_cards", "obligations", "moves", "due")
_PLAIN = tuple(name for name in PUBLIC_FIELDS if name not in _APART)


def dump_deal(deal: Deal) -> bytes:
    """A deal, hidden parts included."""
    pos = deal.position
    p = pos.public
    data: dict[str, Any] = {
        "format": FORMAT,
        "rules": deal.rules.name,
        "options": deal.rules.overrides(),
        "seed": None if deal.seed is None else deal.seed.hex(),
        "obligations": _owed(deal.obligations),
        "dealt_hands": deal.starts_as_dealt,
        "step": pos.step,
        "owed": _owed(p.obligations),
        "unpaid": _owed(pos.owed),
        "back": _owed(pos.back),
        "due": None if p.due is None else str(p.due),
        "moves": [[m.giver, m.taker, m.why, m.ranks, _hex(m.cards)] for m in p.moves],
        "stifles": pos.stifles,
        "dealt": [held.hex() for held in deal.dealt],
        "lead": deal.lead,
        "hands": [list(hand) for hand in pos.hands],
        "cards": None if pos.cards is None else [held.hex() for held in pos.cards],
        "chosen": [None if held is None else held.hex() for held in pos.chosen],
        "waiting": pos.waiting,
        "given": pos.answers,
        "answers": [[a.seat, a.action, _hex(a.cards), a.window] for a in deal.answers],
        "public": {"history": p.wide_history(), **{name: getattr(p, name) for name in _PLAIN}},
        "shown": [[seat, _hex(cards)] for seat, cards in p.shown],
        "played": [_hex(played.cards) for played in p.plays] if p.history_cards else [],
    }
    if deal.feels:
        data["feels"] = deal.feels
    return json.dumps(data, separators=(",", ":"), sort_keys=True).encode()


def load_deal(data: bytes) -> Deal:
    """A deal written by :func:`dump_deal`. Raises ValueError for anything else."""
    try:
        read = json.loads(data)
        if read["format"] != FORMAT:
            raise ValueError(f"not a {FORMAT}")
        return _build(read)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"not a {FORMAT}: {error!r}") from error


def _build(read: dict[str, Any]) -> Deal:
    rules = _rules(read["rules"], read["options"])
    cards = None if read["cards"] is None else [bytes.fromhex(held) for held in read["cards"]]
    hands = [[int(held) for held in hand] for hand in read["hands"]]
    if any(len(hand) != RANK_COUNT for hand in hands):
        raise ValueError("not fifteen ranks")
    pos = Position(rules, list(map(pack_hand, hands)), cards, 1)
    pos.chosen = tuple([None if held is None else bytes.fromhex(held) for held in read["chosen"]])
    pos.waiting = int(read["waiting"])
    pos.answers = tuple([None if answer is None else Action(answer) for answer in read["given"]])
    if len(hands) != SEATS or len(pos.answers) != SEATS or len(pos.chosen) != SEATS:
        raise ValueError("not six seats")
    _fill(pos.public, read)
    pos.step = int(read["step"])
    pos.owed = _obligations(read["unpaid"])
    pos.back = _obligations(read["back"])
    pos.stifles = _tuples(read["stifles"])
    dealt = tuple(bytes.fromhex(held) for held in read["dealt"])
    deal = Deal(rules, pos, dealt, _obligations(read["obligations"]), as_dealt=bool(read["dealt_hands"]))
    answers = [Answer(seat, Action(action), _cards(text), window) for seat, action, text, window in read["answers"]]
    deal.restore(
        None if read["seed"] is None else bytes.fromhex(read["seed"]),
        int(read["lead"]),
        answers,
        _tuples(read.get("feels", ())),
    )
    return deal


def _fill(p: PublicState, read: dict[str, Any]) -> None:
    fields = read["public"]
    for name in _PLAIN:
        setattr(p, name, _READ.get(name, _value)(fields[name]))
    p.shown = tuple([(seat, _cards(text)) for seat, text in read["shown"]])
    p.history = array("I", map(narrow, fields["history"]))
    p.history_cards = bytes.fromhex("".join(read["played"]))
    p.obligations = _obligations(read["owed"])
    p.due = None if read["due"] is None else parse_obligation(read["due"])
    p.moves = tuple(
        Moved(giver, taker, why, tuple(ranks), _cards(cards)) for giver, taker, why, ranks, cards in read["moves"]
    )


def _rules(name: str, options: dict[str, Any]) -> RuleSet:
    made = preset(name)
    fields = {("return_" if key == "return" else key): _value(value) for key, value in options.items()}
    return replace(made, **fields)


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _standings(values: list[int]) -> tuple[Standing, ...]:
    return tuple(map(Standing, values))


def _owed(obligations: tuple[Obligation, ...]) -> list[str]:
    return list(map(str, obligations))


def _obligations(texts: list[str]) -> tuple[Obligation, ...]:
    return tuple(map(parse_obligation, texts))


def _tuples(lists: Any) -> Any:
    return tuple(map(tuple, lists))


# How the fields of the public state that are no plain numbers are read.
_READ: dict[str, Callable[[Any], Any]] = {
    "phase": Phase,
    "kind": Kind,
    "standing": _standings,
    "burns": _tuples,
    "stifled": _tuples,
}


def _hex(cards: Iterable[int]) -> str:
    return bytes(cards).hex()


def _cards(text: str) -> tuple[Card, ...]:
    return tuple(map(Card, bytes.fromhex(text)))
