"""Actions: a verb, with a play or a suit where it takes one, packed into one int.

Bits 0-27 hold the play or the suit, the bits above hold the verb.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Final, NewType

from gouji_rules.cards import SUIT_NAMES, NotationError
from gouji_rules.plays import PLAY_MASK, Play, format_play, parse_play

Action = NewType("Action", int)


class Verb(IntEnum):
    """What a seat may do; numbered as on the wire."""

    PLAY = 1
    PASS = 2
    YIELD = 3
    WIND = 4
    BURN = 5
    DECLINE = 6
    SHOW = 7
    NO = 8
    REVOLT = 9
    KEEP_HEAD = 10
    DROP_HEAD = 11
    CALL_OPEN = 12
    CALL_BLIND = 13
    GIVE = 14
    REFUSE = 15
    ACCEPT = 16
    WAIVE = 17
    KILL = 18
    SWAP = 19


VERB_SHIFT: Final = 28

_VERBS: Final[dict[int, Verb]] = {int(verb): verb for verb in Verb}

PLAY_TAG: Final = Verb.PLAY << VERB_SHIFT
BURN_TAG: Final = Verb.BURN << VERB_SHIFT
KILL_TAG: Final = Verb.KILL << VERB_SHIFT

PASS: Final = Action(Verb.PASS << VERB_SHIFT)
YIELD: Final = Action(Verb.YIELD << VERB_SHIFT)
WIND: Final = Action(Verb.WIND << VERB_SHIFT)
DECLINE: Final = Action(Verb.DECLINE << VERB_SHIFT)
NO: Final = Action(Verb.NO << VERB_SHIFT)
REVOLT: Final = Action(Verb.REVOLT << VERB_SHIFT)
KEEP_HEAD: Final = Action(Verb.KEEP_HEAD << VERB_SHIFT)
DROP_HEAD: Final = Action(Verb.DROP_HEAD << VERB_SHIFT)
CALL_OPEN: Final = Action(Verb.CALL_OPEN << VERB_SHIFT)
CALL_BLIND: Final = Action(Verb.CALL_BLIND << VERB_SHIFT)
REFUSE: Final = Action(Verb.REFUSE << VERB_SHIFT)
ACCEPT: Final = Action(Verb.ACCEPT << VERB_SHIFT)
WAIVE: Final = Action(Verb.WAIVE << VERB_SHIFT)
SWAP: Final = Action(Verb.SWAP << VERB_SHIFT)

WITH_CARDS: Final = frozenset({Verb.PLAY, Verb.BURN, Verb.KILL, Verb.GIVE})
"""The verbs that put cards down or hand one over."""


def play_action(play: Play) -> Action:
    """Put a play down: a lead or a follow."""
    return Action(PLAY_TAG | play)


def burn_action(play: Play) -> Action:
    """Burn with a play (R30)."""
    return Action(BURN_TAG | play)


def kill_action(play: Play) -> Action:
    """Kill a big joker out of turn with a play (R15, `kill_anyone`)."""
    return Action(KILL_TAG | play)


def give_action(card: Play) -> Action:
    """Return a card, as a play of one, for tribute (R73)."""
    return Action(Verb.GIVE << VERB_SHIFT | card)


def show_action(suit: int) -> Action:
    """Show all own 3s of a suit 0..3 for the first lead (R5)."""
    if not 0 <= suit <= 3:
        raise ValueError(f"{suit} is no suit: suits are 0 to 3")
    return Action(Verb.SHOW << VERB_SHIFT | suit)


def verb_of(action: Action) -> Verb:
    """The verb of an action."""
    return _VERBS[action >> VERB_SHIFT]


def play_of(action: Action) -> Play:
    """The play of a PLAY, BURN, KILL or GIVE; 0 for others."""
    return Play(action & PLAY_MASK) if action >> VERB_SHIFT in WITH_CARDS else Play(0)


def suit_shown(action: Action) -> int:
    """The suit of a SHOW, 0..3; -1 for others."""
    return action & 3 if action >> VERB_SHIFT == Verb.SHOW else -1


_WORDS: Final[dict[str, Action]] = {
    "pass": PASS,
    "yield": YIELD,
    "wind": WIND,
    "decline": DECLINE,
    "no": NO,
    "revolt": REVOLT,
    "head keep": KEEP_HEAD,
    "head drop": DROP_HEAD,
    "call open": CALL_OPEN,
    "call blind": CALL_BLIND,
    "refuse": REFUSE,
    "accept": ACCEPT,
    "waive": WAIVE,
    "swap": SWAP,
}
_WORD_OF: Final[dict[Action, str]] = {action: word for word, action in _WORDS.items()}

VERB_WORDS: Final[dict[str, Verb]] = {
    "play": Verb.PLAY,
    "burn": Verb.BURN,
    "show": Verb.SHOW,
    "pass": Verb.PASS,
    "yield": Verb.YIELD,
    "wind": Verb.WIND,
    "decline": Verb.DECLINE,
    "no": Verb.NO,
    "revolt": Verb.REVOLT,
    "head keep": Verb.KEEP_HEAD,
    "head drop": Verb.DROP_HEAD,
    "call open": Verb.CALL_OPEN,
    "call blind": Verb.CALL_BLIND,
    "give": Verb.GIVE,
    "kill": Verb.KILL,
    "refuse": Verb.REFUSE,
    "accept": Verb.ACCEPT,
    "waive": Verb.WAIVE,
    "swap": Verb.SWAP,
}
"""The record's word for every verb of these rules."""

LATER_WORDS: Final[frozenset[str]] = frozenset()
"""Verbs of the record format that belong to rules not supported yet."""


_MAKE: Final[dict[str, Callable[[Play], Action]]] = {
    "play": play_action,
    "burn": burn_action,
    "kill": kill_action,
    "give": give_action,
}


def format_action(action: Action) -> str:
    """An action as a record writes it: ``"play 5555"``, ``"burn ss7788"``, ``"show hearts"``, ``"head keep"``."""
    verb = action >> VERB_SHIFT
    if verb == Verb.PLAY:
        return "play " + format_play(Play(action & PLAY_MASK))
    if verb == Verb.BURN:
        return "burn " + format_play(Play(action & PLAY_MASK))
    if verb == Verb.KILL:
        return "kill " + format_play(Play(action & PLAY_MASK))
    if verb == Verb.GIVE:
        return "give " + format_play(Play(action & PLAY_MASK))
    if verb == Verb.SHOW:
        return "show " + SUIT_NAMES[action & 3]
    word = _WORD_OF.get(action)
    if word is None:
        raise ValueError(f"{action} is no action")
    return word


def parse_action(text: str) -> Action:
    """Read an action as a record writes it.

    Raises NotationError for what cannot be read, PlayError (R10) for cards that are no play.
    """
    words = text.split()
    joined = " ".join(words)
    if joined in _WORDS:
        return _WORDS[joined]
    verb = words[0] if words else ""
    rest = " ".join(words[1:])
    if verb in _MAKE:
        if not rest:
            text_zh = f"“{verb}”后面要写牌，如“{verb} 5555”"
            raise _unreadable(text, verb, f"“{verb}” needs cards, such as “{verb} 5555”", text_zh)
        return _MAKE[verb](parse_play(rest))
    if verb == "show":
        if rest not in SUIT_NAMES:
            text_en = f"“show” needs a suit: {', '.join(SUIT_NAMES)}"
            raise _unreadable(text, rest, text_en, f"“show”后面要写花色：{'、'.join(SUIT_NAMES)}")
        return show_action(SUIT_NAMES.index(rest))
    if verb == "head":
        raise _unreadable(text, rest, "“head” needs “keep” or “drop”", "“head”后面要写“keep”或“drop”")
    if verb == "call":
        raise _unreadable(text, rest, "“call” needs “open” or “blind”", "“call”后面要写“open”或“blind”")
    if verb in LATER_WORDS:
        raise _unreadable(text, verb, f"“{verb}” is not supported by these rules", f"本规则不支持“{verb}”")
    text_en = f"“{verb}” is no verb: {', '.join(VERB_WORDS)}"
    raise _unreadable(text, verb, text_en, f"“{verb}”不是动作：{'、'.join(VERB_WORDS)}")


def _unreadable(text: str, piece: str, text_en: str, text_zh: str) -> NotationError:
    return NotationError(text, max(text.find(piece), 0), piece, text_en, text_zh)
