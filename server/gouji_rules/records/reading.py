"""Reading a record's text."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from typing import Any

from gouji_rules.actions import LATER_WORDS, VERB_WORDS, Verb
from gouji_rules.cards import SEATS, NotationError, parse_ranks
from gouji_rules.errors import shortened, shown
from gouji_rules.fairness import LEAST_ENTROPY, MOST_ENTROPY, Proof
from gouji_rules.obligations import Obligation, parse_obligation
from gouji_rules.records.facts import WAYS, is_fact
from gouji_rules.records.model import FORMAT, Line, LineKind, Record, RecordError, reason_of
from gouji_rules.records.places import Places, TextPlaces, places_in
from gouji_rules.rule_set import RuleSet, RuleSetError, preset
from gouji_rules.shuffle import SEED_BYTES

_TOP_KEYS = {"format", "rules", "options", "deal", "expect"}
_PROOF_KEYS = ("commitment", "secret", "entropies")
_DEAL_KEYS = {"hands", "seed", "lead", "dealt", "obligations", "actions", *_PROOF_KEYS}
_EXPECT_KEYS = {"places", "scores", "owed", "hands", "first_drawer"}
_KEYS_WITH_LINES = ("deal", "hands", "obligations", "places", "scores", "owed", "first_drawer", "commitment")

_LEADS = re.compile(r"=\s*([0-5])\s+leads")
_ASKED = re.compile(r"([0-5])\s*\?\s*(.*)")
_FACT = re.compile(r"=\s*((?:([0-5])\b)?.*\S)\s*")
_ASIDE = re.compile(r"([0-5])\s+(ask\s+[0-5]|feel)\s*(?:=\s*(\d+|more|\d+-\d+)|(!)\s*(R\d+)?)?")
_DISSOLVE = re.compile(r"([0-5])\s+(dissolve|object)")
_ENTROPY = re.compile(r"([0-5]) ((?:[0-9a-f]{2})+)")
_ACTION = re.compile(r"([0-5])\s+([^!?=]*?)\s*(?:(!)\s*(R\d+)?)?")
_MOST_DEALS = 1000
_MOST_OWED = 200
_LONGEST_ENTRY = 400
_TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def read_record(text: str) -> Record:
    """Read a record. Raises :class:`RecordError`, which names the line where it can.

    A byte order mark at the beginning, as some editors write it, is no part of the text.
    """
    text = text.removeprefix("\ufeff")
    found = places_in(text)
    places = found.whole
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = _TOML_LINE.search(str(error))
        raise RecordError(
            int(where[1]) if where else 0, f"not a TOML file: {error}", f"不是 TOML 文件：{error}"
        ) from error
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(0, f"not a TOML file: {error}", f"不是 TOML 文件：{error}") from error
    if data.get("format") != FORMAT:
        raise RecordError(
            places.line("format"),
            f'format must be "{FORMAT}", not {shown(data.get("format"))}',
            f'format 须为 "{FORMAT}"，不能是 {shown(data.get("format"))}',
        )
    if isinstance(data.get("expect"), dict) and "refused" in data["expect"]:
        return _refused(places, data)
    rules = _rules(places, data)
    if isinstance(data.get("deal"), list):
        return _match(found, data, rules)
    _known(places, data, _TOP_KEYS, "a record")
    return _deal(places, rules, _table(places, data, "deal"), _expected(places, data, _EXPECT_KEYS))


def _expected(places: Places, data: dict[str, Any], keys: set[str]) -> dict[str, Any]:
    """The table ``expect``, empty where it is left out."""
    expect = _table(places, data, "expect") if "expect" in data else {}
    _known(places, expect, keys, "[expect]")
    return expect


def _deal(places: Places, rules: RuleSet, deal: dict[str, Any], expect: dict[str, Any]) -> Record:
    _known(places, deal, _DEAL_KEYS, "[deal]")
    hands, lead, seed = _cards(places, deal)
    return Record(
        rules=rules,
        hands=hands,
        lead=lead,
        seed=seed,
        obligations=_obligations(places, deal, "obligations"),
        as_dealt=_as_dealt(places, deal),
        lines=_lines(places, _strings(places, deal, "actions")),
        places=_numbers(places, expect, "places"),
        scores=_numbers(places, expect, "scores"),
        owed=_obligations(places, expect, "owed") if "owed" in expect else None,
        dealt=_dealt(places, deal, expect),
        first_drawer=_first_drawer(places, deal, expect),
        proof=_proof(places, deal),
        key_lines={key: places.line(key) for key in _KEYS_WITH_LINES},
    )


def _match(found: TextPlaces, data: dict[str, Any], rules: RuleSet) -> Record:
    """Several tables ``[[deal]]``, each with its own ``[deal.expect]``; ``[expect]`` is about the match."""
    places = found.whole
    _known(places, data, _TOP_KEYS | {"deals"}, "a record of a match")
    length = data.get("deals", 0)
    if type(length) is not int or not 0 <= length <= _MOST_DEALS:
        raise RecordError(
            places.line("deals"),
            f"deals must be a number from 0 to {_MOST_DEALS}, not {shown(length)}",
            f"deals 须是 0 至 {_MOST_DEALS} 的数，不能是 {shown(length)}",
        )
    parts = _parts(found, data["deal"])
    deals: list[Record] = []
    for part, deal in zip(parts, data["deal"], strict=True):
        if not isinstance(deal, dict):
            raise RecordError(
                places.line("deal"), "every deal must be a table: write [[deal]]", "每盘须是一个表：请写 [[deal]]"
            )
        rest = {key: value for key, value in deal.items() if key != "expect"}
        deals.append(_deal(part, rules, rest, _expected(part, deal, _EXPECT_KEYS)))
    if not deals:
        raise RecordError(places.line("deal"), "a record of a match has at least one deal", "整局的牌谱至少有一盘")
    expect = _expected(places, data, {"scores", "lot", "dissolved"})
    lot = expect.get("lot")
    if lot is not None and (type(lot) is not int or not 0 <= lot < SEATS):
        raise RecordError(
            places.line("lot"),
            f"lot must be a team or seat, not {shown(lot)}",
            f"lot 须是队或座位，不能是 {shown(lot)}",
        )
    dissolved = expect.get("dissolved", False)
    if type(dissolved) is not bool:
        raise RecordError(
            places.line("dissolved"),
            f"dissolved must be true or false, not {shown(dissolved)}",
            f"dissolved 须为 true 或 false，不能是 {shown(dissolved)}",
        )
    own = found.expect if found.expect.lines else places
    return Record(
        rules=rules,
        scores=_numbers(own, expect, "scores"),
        key_lines={key: own.line(key) for key in ("scores", "lot", "dissolved")},
        deals=tuple(deals),
        match_length=length,
        lot=lot,
        dissolved=dissolved,
    )


def _refused(places: Places, data: dict[str, Any]) -> Record:
    """A record of what cannot be: options that contradict each other, or hands that the pack does not hold."""
    expect = _expected(places, data, {"refused"})
    refused = _strings(places, expect, "refused")
    if not refused:
        raise RecordError(places.line("refused"), "refused must name the fields", "refused 须写明是哪些字段")
    if refused == ("hands",):
        _known(places, data, _TOP_KEYS, "a record")
        return replace(_deal(places, _rules(places, data), _table(places, data, "deal"), {}), refused=refused)
    _known(places, data, _TOP_KEYS - {"deal"}, "a record of options that are refused")
    options = _table(places, data, "options") if "options" in data else {}
    for name, value in options.items():
        parts = value if isinstance(value, list) else [value]
        if not all(type(part) in (bool, int, str) for part in parts):
            raise RecordError(
                places.line(name),
                f"{shortened(name)} is no value of an option: {shown(value)}",
                f"{shortened(name)} 的值不能作选项：{shown(value)}",
            )
    return Record(
        rules=_preset(places, data),
        refused=refused,
        options=tuple((name, tuple(v) if isinstance(v, list) else v) for name, v in options.items()),
        key_lines={"refused": places.line("refused")},
    )


def _parts(found: TextPlaces, deals: list[Any]) -> list[Places]:
    """The places of each deal of a match; those of the whole text where the deals are not written as ``[[deal]]``."""
    parts = found.deals if len(found.deals) == len(deals) else [Places(found.whole.lines) for _ in deals]
    if len(deals) > _MOST_DEALS:
        line = parts[_MOST_DEALS].line("deal")
        raise RecordError(
            line,
            f"a match has at most {_MOST_DEALS} deals, this record has {len(deals)}",
            f"一局最多 {_MOST_DEALS} 盘，这份牌谱有 {len(deals)} 盘",
        )
    played = [part for part, deal in zip(parts, deals, strict=True) if isinstance(deal, dict) and "actions" in deal]
    if len(played) == len(found.actions):
        for part, entries in zip(played, found.actions, strict=True):
            part.entries = entries
    return parts


def _rules(places: Places, data: dict[str, Any]) -> RuleSet:
    base = _preset(places, data)
    options = _table(places, data, "options") if "options" in data else {}
    try:
        return base.replace(**options)
    except RuleSetError as error:
        raise RecordError(places.line(error.fields[0] if error.fields else "rules"), *reason_of(error)) from error


def _preset(places: Places, data: dict[str, Any]) -> RuleSet:
    name = data.get("rules")
    if not isinstance(name, str):
        raise RecordError(places.line("rules"), "rules must name a preset", "rules 须写一种规则的名字")
    try:
        return preset(name)
    except RuleSetError as error:
        raise RecordError(places.line("rules"), *reason_of(error)) from error


def _cards(places: Places, deal: dict[str, Any]) -> tuple[tuple[str, ...], int, bytes | None]:
    if ("hands" in deal) == ("seed" in deal):
        raise RecordError(
            places.line("deal"), "[deal] needs either hands or seed", "[deal] 须有 hands 或 seed，只能有一样"
        )
    if "seed" in deal:
        return (), 0, _seed(places, deal)
    hands = _hands(places, deal)
    lead = deal.get("lead")
    if type(lead) is not int or not 0 <= lead < SEATS:
        raise RecordError(
            places.line("lead"),
            f"lead must be a seat from 0 to {SEATS - 1}, not {shown(lead)}",
            f"lead 须是座位 0 至 {SEATS - 1}，不能是 {shown(lead)}",
        )
    return hands, lead, None


def _hands(places: Places, table: dict[str, Any]) -> tuple[str, ...]:
    hands = _strings(places, table, "hands")
    if len(hands) != SEATS:
        raise RecordError(
            places.line("hands"),
            f"hands must be {SEATS} texts, not {len(hands)}",
            f"hands 须是 {SEATS} 段文字，不是 {len(hands)} 段",
        )
    for seat, hand in enumerate(hands):
        try:
            parse_ranks(hand)
        except NotationError as error:
            raise RecordError(
                places.line("hands"), f"the hand of seat {seat}: {error}", f"{seat} 号的手牌：{error.text_zh}"
            ) from error
    return hands


def _dealt(places: Places, deal: dict[str, Any], expect: dict[str, Any]) -> tuple[str, ...] | None:
    """The hands that a seed has to give."""
    if "hands" not in expect:
        return None
    if "seed" not in deal:
        raise RecordError(
            places.line("expect"), "hands are expected of a seed alone", "只有写了 seed，才可在 expect 里写 hands"
        )
    return _hands(places, expect)


def _first_drawer(places: Places, deal: dict[str, Any], expect: dict[str, Any]) -> int | None:
    if "first_drawer" not in expect:
        return None
    seat = expect["first_drawer"]
    if "seed" not in deal or type(seat) is not int or not 0 <= seat < SEATS:
        raise RecordError(
            places.line("first_drawer"),
            f"first_drawer is a seat, and goes with a seed: {shown(seat)}",
            f"first_drawer 是座位，并且须与 seed 同写：{shown(seat)}",
        )
    return int(seat)


def _seed(places: Places, deal: dict[str, Any]) -> bytes:
    seed = _digits(places, deal, "seed")
    if "lead" in deal:
        raise RecordError(
            places.line("lead"), "lead follows from the seed: leave it out", "首发由 seed 决定：请不要写 lead"
        )
    return seed


def _proof(places: Places, deal: dict[str, Any]) -> Proof | None:
    """What a seed came of: the commitment and the secret, and what seats gave."""
    told = [key for key in _PROOF_KEYS if key in deal]
    if not told:
        return None
    if "seed" not in deal or not {"commitment", "secret"} <= deal.keys():
        raise RecordError(
            places.line(told[0]),
            "commitment and secret go together, and with a seed",
            "commitment 与 secret 须同写，并且须有 seed",
        )
    commitment, secret = _digits(places, deal, "commitment"), _digits(places, deal, "secret")
    return Proof(commitment, secret, tuple(_entropy(places, text) for text in _strings(places, deal, "entropies")))


def _digits(places: Places, deal: dict[str, Any], key: str) -> bytes:
    try:
        read = bytes.fromhex(deal[key])
    except (TypeError, ValueError):
        read = b""
    if len(read) != SEED_BYTES:
        raise RecordError(
            places.line(key),
            f"{key} must be {2 * SEED_BYTES} hexadecimal digits",
            f"{key} 须是 {2 * SEED_BYTES} 位十六进制数字",
        )
    return read


def _entropy(places: Places, text: str) -> tuple[int, bytes]:
    """One seat's entropy, ``"3 0f…"``."""
    found = _ENTROPY.fullmatch(text)
    if not found or not LEAST_ENTROPY <= len(found[2]) // 2 <= MOST_ENTROPY:
        raise RecordError(
            places.line("entropies"),
            f"entropies are written “SEAT HEX”, {LEAST_ENTROPY} to {MOST_ENTROPY} bytes as hexadecimal digits",
            f"entropies 写作“座位 十六进制数字”，须有 {LEAST_ENTROPY} 至 {MOST_ENTROPY} 字节",
        )
    return int(found[1]), bytes.fromhex(found[2])


def _as_dealt(places: Places, deal: dict[str, Any]) -> bool:
    dealt = deal.get("dealt", False)
    if type(dealt) is not bool:
        raise RecordError(
            places.line("dealt"),
            f"dealt must be true or false, not {shown(dealt)}",
            f"dealt 须为 true 或 false，不能是 {shown(dealt)}",
        )
    if dealt and "seed" in deal:
        raise RecordError(
            places.line("dealt"),
            "dealt goes with hands: with a seed everything is as dealt",
            "dealt 与 hands 同写：有 seed 时一切本来就是发出的样子",
        )
    return dealt


def _obligations(places: Places, table: dict[str, Any], key: str) -> tuple[Obligation, ...]:
    owed = _strings(places, table, key)
    if len(owed) > _MOST_OWED:
        raise RecordError(
            places.line(key),
            f"{key} has at most {_MOST_OWED} entries, not {len(owed)}",
            f"{key} 最多 {_MOST_OWED} 条，不能有 {len(owed)} 条",
        )
    try:
        return tuple(map(parse_obligation, owed))
    except ValueError as error:
        raise RecordError(places.line(key), *reason_of(error)) from error


def _lines(places: Places, actions: tuple[str, ...]) -> tuple[Line, ...]:
    """The entries of ``actions`` with the lines they stand on."""
    lines = places.entries if len(places.entries) == len(actions) else [0] * len(actions)
    return tuple(_line(action, line) for action, line in zip(actions, lines, strict=True))


def _line(text: str, line: int) -> Line:
    if len(text) > _LONGEST_ENTRY:
        raise RecordError(
            line,
            f"an entry has at most {_LONGEST_ENTRY} characters: “{text[:40]}…” has {len(text)}",
            f"一条最多 {_LONGEST_ENTRY} 个字符：“{text[:40]}…”有 {len(text)} 个",
        )
    said = " ".join(text.split())
    found = _LEADS.fullmatch(said)
    if found:
        return Line(LineKind.LEADS, int(found[1]), text, line)
    found = _FACT.fullmatch(said)
    if found:
        fact = found[1]
        if not is_fact(fact):
            ways = [f"“= {way}”" for way in WAYS]
            raise RecordError(
                line,
                f"“{shortened(text)}” is no fact: write one such as {', '.join(ways)}",
                f"“{shortened(text)}”不是事实：请照这样写：{'、'.join(ways)}",
            )
        return Line(LineKind.FACT, int(found[2] or -1), text, line, said=fact)
    found = _ASIDE.fullmatch(said)
    if found:
        kind = LineKind.ASIDE_REFUSED if found[4] else LineKind.ASIDE
        return Line(kind, int(found[1]), text, line, said=found[2], rule=found[5] or "", told=found[3] or "")
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
    raise RecordError(
        line,
        f"“{shortened(text)}” is no entry: write “SEAT ACTION”, “SEAT ACTION ! R12”, “SEAT ? VERBS” or “= FACT”, "
        "such as “= 3 leads”",
        f"“{shortened(text)}”不成一条：请写“座位 动作”、“座位 动作 ! R12”、“座位 ? 动作,动作”或“= 事实”，"
        "例如“= 3 leads”",
    )


def _verbs(text: str, line: int) -> int:
    """The mask of a list of verbs such as ``play,pass``; ``head`` is both answers about the head."""
    mask = 0
    for word in (part.strip() for part in text.split(",")):
        if word == "head":
            mask |= 1 << Verb.KEEP_HEAD | 1 << Verb.DROP_HEAD
        elif word in VERB_WORDS:
            mask |= 1 << VERB_WORDS[word]
        elif word in LATER_WORDS:
            raise RecordError(line, f"“{word}” is not supported by these rules", f"此规则不支持“{word}”")
        else:
            raise RecordError(
                line,
                f"“{shortened(word)}” is no verb: {', '.join(VERB_WORDS)}",
                f"“{shortened(word)}”不是动作：{'、'.join(VERB_WORDS)}",
            )
    return mask


def _table(places: Places, data: dict[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    if not isinstance(value, dict):
        raise RecordError(
            places.line(key),
            f"[{key}] is missing" if value is None else f"{key} must be a table",
            f"缺少 [{key}]" if value is None else f"{key} 须是一个表",
        )
    return value


def _strings(places: Places, data: dict[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key, [])
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise RecordError(places.line(key), f"{key} must be a list of texts", f"{key} 须是一串文字")
    return tuple(value)


def _numbers(places: Places, data: dict[str, Any], key: str) -> tuple[int, ...] | None:
    if key not in data:
        return None
    value = data[key]
    if not isinstance(value, list) or not all(type(part) is int for part in value):
        raise RecordError(places.line(key), f"{key} must be a list of numbers", f"{key} 须是一串数")
    return tuple(value)


def _known(places: Places, data: dict[str, Any], keys: set[str], where: str) -> None:
    for key in data:
        if key not in keys:
            raise RecordError(
                places.line(key),
                f"{shortened(key)} is unknown in {where}: {', '.join(sorted(keys))}",
                f"{where} 里没有 {shortened(key)} 这一项：{'、'.join(sorted(keys))}",
            )
