"""Reading a record's text."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from typing import Any

from gouji_rules.actions import LATER_WORDS, VERB_WORDS, Verb
from gouji_rules.cards import SEATS, NotationError, parse_ranks
from gouji_rules.obligations import Obligation, parse_obligation
from gouji_rules.records.facts import WAYS, is_fact
from gouji_rules.records.model import FORMAT, Line, LineKind, Record, RecordError
from gouji_rules.rule_set import RuleSet, RuleSetError, preset

_TOP_KEYS = {"format", "rules", "options", "deal", "expect"}
_DEAL_KEYS = {"hands", "seed", "lead", "dealt", "obligations", "actions"}
_EXPECT_KEYS = {"places", "scores", "owed", "hands", "first_drawer"}
_KEYS_WITH_LINES = ("deal", "hands", "obligations", "places", "scores", "owed", "first_drawer")

_LEADS = re.compile(r"=\s*([0-5])\s+leads")
_ASKED = re.compile(r"([0-5])\s*\?\s*(.*)")
_FACT = re.compile(r"=\s*((?:([0-5])\b)?.*\S)\s*")
_ASIDE = re.compile(r"([0-5])\s+(ask\s+[0-5]|feel)\s*(?:=\s*(\d+|more|\d+-\d+)|(!)\s*(R\d+)?)?")
_DISSOLVE = re.compile(r"([0-5])\s+(dissolve|object)")
_ACTION = re.compile(r"([0-5])\s+([^!?=]*?)\s*(?:(!)\s*(R\d+)?)?")
_DEAL_TABLE = re.compile(r"^\s*\[\[\s*deal\s*\]\]", re.MULTILINE)
_EXPECT = re.compile(r"^\s*\[\s*expect\s*\]", re.MULTILINE)
_MOST_DEALS = 1000
_TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def read_record(text: str) -> Record:
    """Read a record. Raises :class:`RecordError`, which names the line where it can."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        raise RecordError(int(found[1]) if found else 0, f"not a TOML file: {error}") from error
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(0, f"not a TOML file: {error}") from error
    if data.get("format") != FORMAT:
        raise RecordError(_line_of(text, "format"), f'format must be "{FORMAT}", not {data.get("format")!r}')
    if isinstance(data.get("expect"), dict) and "refused" in data["expect"]:
        return _refused(text, data)
    rules = _rules(text, data)
    if isinstance(data.get("deal"), list):
        return _match(text, data, rules)
    _known(text, data, _TOP_KEYS, "a record")
    return _deal(text, rules, _table(text, data, "deal"), _expected(text, data, _EXPECT_KEYS))


def _expected(text: str, data: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    """The table ``expect``, empty where it is left out."""
    expect = _table(text, data, "expect") if "expect" in data else {}
    _known(text, expect, keys, "[expect]")
    return expect


def _deal(text: str, rules: RuleSet, deal: dict[str, Any], expect: dict[str, Any]) -> Record:
    _known(text, deal, _DEAL_KEYS, "[deal]")
    hands, lead, seed = _cards(text, deal)
    return Record(
        rules=rules,
        hands=hands,
        lead=lead,
        seed=seed,
        obligations=_obligations(text, deal, "obligations"),
        as_dealt=_as_dealt(text, deal),
        lines=_lines(text, _strings(text, deal, "actions")),
        places=_numbers(text, expect, "places"),
        scores=_numbers(text, expect, "scores"),
        owed=_obligations(text, expect, "owed") if "owed" in expect else None,
        dealt=_dealt(text, deal, expect),
        first_drawer=_first_drawer(text, deal, expect),
        key_lines={key: _line_of(text, key) for key in _KEYS_WITH_LINES},
    )


def _match(text: str, data: dict[str, Any], rules: RuleSet) -> Record:
    """Several tables ``[[deal]]``, each with its own ``[deal.expect]``; ``[expect]`` is about the match."""
    _known(text, data, _TOP_KEYS | {"deals"}, "a record of a match")
    length = data.get("deals", 0)
    if type(length) is not int or not 0 <= length <= _MOST_DEALS:
        raise RecordError(_line_of(text, "deals"), f"deals must be a number from 0 to {_MOST_DEALS}, not {length!r}")
    deals: list[Record] = []
    for part, deal in zip(_parts(text, len(data["deal"])), data["deal"], strict=True):
        if not isinstance(deal, dict):
            raise RecordError(_line_of(text, "deal"), "every deal must be a table: write [[deal]]")
        rest = {key: value for key, value in deal.items() if key != "expect"}
        deals.append(_deal(part, rules, rest, _expected(part, deal, _EXPECT_KEYS)))
    if not deals:
        raise RecordError(_line_of(text, "deal"), "a record of a match has at least one deal")
    expect = _expected(text, data, {"scores", "lot", "dissolved"})
    lot = expect.get("lot")
    if lot is not None and (type(lot) is not int or not 0 <= lot < SEATS):
        raise RecordError(_line_of(text, "lot"), f"lot must be a team or seat, not {lot!r}")
    dissolved = expect.get("dissolved", False)
    if type(dissolved) is not bool:
        raise RecordError(_line_of(text, "dissolved"), f"dissolved must be true or false, not {dissolved!r}")
    found = _EXPECT.search(text)
    own = text if found is None else _from(text, found.start(), len(text))
    return Record(
        rules=rules,
        scores=_numbers(own, expect, "scores"),
        key_lines={key: _line_of(own, key) for key in ("scores", "lot", "dissolved")},
        deals=tuple(deals),
        match_length=length,
        lot=lot,
        dissolved=dissolved,
    )


def _refused(text: str, data: dict[str, Any]) -> Record:
    """A record of what cannot be: options that contradict each other, or hands that the pack does not hold."""
    expect = _expected(text, data, {"refused"})
    refused = _strings(text, expect, "refused")
    if not refused:
        raise RecordError(_line_of(text, "refused"), "refused must name the fields")
    if refused == ("hands",):
        _known(text, data, _TOP_KEYS, "a record")
        return replace(_deal(text, _rules(text, data), _table(text, data, "deal"), {}), refused=refused)
    _known(text, data, _TOP_KEYS - {"deal"}, "a record of options that are refused")
    options = _table(text, data, "options") if "options" in data else {}
    for name, value in options.items():
        parts = value if isinstance(value, list) else [value]
        if not all(type(part) in (bool, int, str) for part in parts):
            raise RecordError(_line_of(text, name), f"{name} is no value of an option: {value!r}")
    return Record(
        rules=_preset(text, data),
        refused=refused,
        options=tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in options.items()),
        key_lines={"refused": _line_of(text, "refused")},
    )


def _parts(text: str, count: int) -> list[str]:
    """The text of each ``[[deal]]``, with as many empty lines before it that its lines keep their numbers.

    The whole text for each where the tables are written in another way.
    """
    starts = [found.start() for found in _DEAL_TABLE.finditer(text)]
    if len(starts) != count or not starts:
        return [text] * count
    return [_from(text, start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


def _from(text: str, start: int, end: int) -> str:
    return "\n" * text.count("\n", 0, start) + text[start:end]


def _rules(text: str, data: dict[str, Any]) -> RuleSet:
    base = _preset(text, data)
    options = _table(text, data, "options") if "options" in data else {}
    try:
        return base.replace(**options)
    except RuleSetError as error:
        raise RecordError(_line_of(text, error.fields[0] if error.fields else "rules"), str(error)) from error


def _preset(text: str, data: dict[str, Any]) -> RuleSet:
    name = data.get("rules")
    if not isinstance(name, str):
        raise RecordError(_line_of(text, "rules"), "rules must name a preset")
    try:
        return preset(name)
    except RuleSetError as error:
        raise RecordError(_line_of(text, "rules"), str(error)) from error


def _cards(text: str, deal: dict[str, Any]) -> tuple[tuple[str, ...], int, bytes | None]:
    if ("hands" in deal) == ("seed" in deal):
        raise RecordError(_line_of(text, "deal"), "[deal] needs either hands or seed")
    if "seed" in deal:
        return (), 0, _seed(text, deal)
    hands = _hands(text, deal)
    lead = deal.get("lead")
    if type(lead) is not int or not 0 <= lead < SEATS:
        raise RecordError(_line_of(text, "lead"), f"lead must be a seat from 0 to {SEATS - 1}, not {lead!r}")
    return hands, lead, None


def _hands(text: str, table: dict[str, Any]) -> tuple[str, ...]:
    hands = _strings(text, table, "hands")
    if len(hands) != SEATS:
        raise RecordError(_line_of(text, "hands"), f"hands must be {SEATS} texts, not {len(hands)}")
    for seat, hand in enumerate(hands):
        try:
            parse_ranks(hand)
        except NotationError as error:
            raise RecordError(_line_of(text, "hands"), f"the hand of seat {seat}: {error}") from error
    return hands


def _dealt(text: str, deal: dict[str, Any], expect: dict[str, Any]) -> tuple[str, ...] | None:
    """The hands that a seed has to give."""
    if "hands" not in expect:
        return None
    if "seed" not in deal:
        raise RecordError(_line_of(text, "expect"), "hands are expected of a seed alone")
    return _hands(text, expect)


def _first_drawer(text: str, deal: dict[str, Any], expect: dict[str, Any]) -> int | None:
    if "first_drawer" not in expect:
        return None
    seat = expect["first_drawer"]
    if "seed" not in deal or type(seat) is not int or not 0 <= seat < SEATS:
        raise RecordError(_line_of(text, "first_drawer"), f"first_drawer is a seat, and goes with a seed: {seat!r}")
    return int(seat)


def _seed(text: str, deal: dict[str, Any]) -> bytes:
    try:
        seed = bytes.fromhex(deal["seed"])
    except (TypeError, ValueError):
        seed = b""
    if len(seed) != 32:
        raise RecordError(_line_of(text, "seed"), "seed must be 64 hexadecimal digits")
    if "lead" in deal:
        raise RecordError(_line_of(text, "lead"), "lead follows from the seed: leave it out")
    return seed


def _as_dealt(text: str, deal: dict[str, Any]) -> bool:
    dealt = deal.get("dealt", False)
    if type(dealt) is not bool:
        raise RecordError(_line_of(text, "dealt"), f"dealt must be true or false, not {dealt!r}")
    if dealt and "seed" in deal:
        raise RecordError(_line_of(text, "dealt"), "dealt goes with hands: with a seed everything is as dealt")
    return dealt


def _obligations(text: str, table: dict[str, Any], key: str) -> tuple[Obligation, ...]:
    owed = _strings(text, table, key)
    try:
        return tuple(map(parse_obligation, owed))
    except ValueError as error:
        raise RecordError(_line_of(text, key), str(error)) from error


def _lines(text: str, actions: tuple[str, ...]) -> tuple[Line, ...]:
    """The entries of ``actions`` with the lines they stand on."""
    places = _lines_of_strings(text, actions)
    return tuple(_line(action, line) for action, line in zip(actions, places, strict=True))


def _line(text: str, line: int) -> Line:
    said = text.strip()
    found = _LEADS.fullmatch(said)
    if found:
        return Line(LineKind.LEADS, int(found[1]), text, line)
    found = _FACT.fullmatch(said)
    if found:
        fact = " ".join(found[1].split())
        if not is_fact(fact):
            raise RecordError(line, f"“{text}” is no fact: write one such as {', '.join(f'“= {way}”' for way in WAYS)}")
        return Line(LineKind.FACT, int(found[2] or -1), text, line, said=fact)
    found = _ASIDE.fullmatch(said)
    if found:
        kind = LineKind.ASIDE_REFUSED if found[4] else LineKind.ASIDE
        asked = " ".join(found[2].split())
        return Line(kind, int(found[1]), text, line, said=asked, rule=found[5] or "", told=found[3] or "")
    found = _DISSOLVE.fullmatch(said)
    if found:
        return Line(LineKind.DISSOLVE, int(found[1]), text, line, said=found[2])
    found = _ASKED.fullmatch(said)
    if found:
        if found[2].strip() == "-":
            return Line(LineKind.NOT_ASKED, int(found[1]), text, line)
        return Line(LineKind.OPEN, int(found[1]), text, line, verbs=_verbs(found[2], line))
    found = _ACTION.fullmatch(said)
    if found and found[2]:
        kind = LineKind.REFUSED if found[3] else LineKind.ACTION
        return Line(kind, int(found[1]), text, line, said=found[2], rule=found[4] or "")
    ways = "“SEAT ACTION”, “SEAT ACTION ! R12”, “SEAT ? VERBS” or “= FACT”, such as “= 3 leads”"
    raise RecordError(line, f"“{text}” is no entry: write {ways}")


def _verbs(text: str, line: int) -> int:
    """The mask of a list of verbs such as ``play,pass``; ``head`` is both answers about the head."""
    mask = 0
    for word in (part.strip() for part in text.split(",")):
        if word == "head":
            mask |= 1 << Verb.KEEP_HEAD | 1 << Verb.DROP_HEAD
        elif word in VERB_WORDS:
            mask |= 1 << VERB_WORDS[word]
        elif word in LATER_WORDS:
            raise RecordError(line, f"“{word}” is not supported by these rules")
        else:
            raise RecordError(line, f"“{word}” is no verb: {', '.join(VERB_WORDS)}")
    return mask


def _table(text: str, data: dict[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise RecordError(_line_of(text, key), f"[{key}] is missing" if value is None else f"{key} must be a table")
    return value


def _strings(text: str, data: dict[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise RecordError(_line_of(text, key), f"{key} must be a list of texts")
    return tuple(value)


def _numbers(text: str, data: dict[str, Any], key: str) -> tuple[int, ...] | None:
    if key not in data:
        return None
    value = data[key]
    if not isinstance(value, list) or not all(type(part) is int for part in value):
        raise RecordError(_line_of(text, key), f"{key} must be a list of numbers")
    return tuple(value)


def _known(text: str, data: dict[str, Any], keys: set[str], where: str) -> None:
    for key in data:
        if key not in keys:
            raise RecordError(_line_of(text, key), f"{key} is unknown in {where}: {', '.join(sorted(keys))}")


def _line_of(text: str, key: str) -> int:
    """The line where a key or table is written; 0 if it is not."""
    found = re.search(rf"^\s*(?:\[\[?\s*)?{re.escape(key)}\b", text, re.MULTILINE)
    return 0 if found is None else text.count("\n", 0, found.start() + len(found[0])) + 1


def _lines_of_strings(text: str, strings: tuple[str, ...]) -> list[int]:
    """The line of each entry of ``actions``, found in order behind the key; 0 where it is written with escapes."""
    key = re.search(r"^\s*(?:deal\s*\.\s*)?actions\s*=", text, re.MULTILINE)
    at = key.end() if key else 0
    lines: list[int] = []
    for string in strings:
        spots = [spot for quote in ('"', "'") if (spot := text.find(quote + string + quote, at)) >= 0]
        if not spots:
            lines.append(0)
            continue
        at = min(spots) + len(string) + 2
        lines.append(text.count("\n", 0, min(spots)) + 1)
    return lines
