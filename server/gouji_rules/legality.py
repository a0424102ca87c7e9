"""What a seat may answer, from the question and its own hand alone.

The server's verification, a client's check, bots and the engine use these same functions. ``hand`` is fifteen rank
counts; ``threes`` the seat's own 3s by suit (clubs, diamonds, hearts, spades), under hold-three its 4s, needed only to
show (R5). About revolution ``hand`` is what the seat was dealt where the rules say so (R50).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from gouji_rules import enumeration, leads, returns, revolution_answers, soundness
from gouji_rules.actions import (
    ACCEPT,
    BURN_TAG,
    CALL_BLIND,
    CALL_OPEN,
    DECLINE,
    DROP_HEAD,
    KEEP_HEAD,
    KILL_TAG,
    NO,
    PASS,
    PLAY_TAG,
    SWAP,
    VERB_SHIFT,
    WAIVE,
    WIND,
    WITH_CARDS,
    YIELD,
    Action,
    Verb,
    show_action,
)
from gouji_rules.answers import answers_under
from gouji_rules.cards import BIG, NATURAL_RANKS, SMALL, SUIT_NAMES, TWO, format_counts
from gouji_rules.comparison import beats, explain
from gouji_rules.errors import (
    BurnLeadWithoutJoker,
    BurnNotSound,
    CardsNotHeld,
    DoesNotBeat,
    LeadWithoutFour,
    NotAPlay,
    NotAsked,
    NothingToShow,
    NoWind,
    NoYield,
    RuleViolation,
    ThreesHeld,
    WrongCount,
    WrongVerb,
)
from gouji_rules.plays import (
    BIG_SHIFT,
    JOKER_MASK,
    LOW_MASK,
    NATURAL_SHIFT,
    PLAY_MASK,
    SMALL_SHIFT,
    TWO_SHIFT,
    Play,
    compose,
    format_play,
    is_gouji,
    size,
)
from gouji_rules.question import BURN_BIT, KILL_BIT, WIND_BIT, YIELD_BIT, Kind, Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gouji_rules.enumeration import FollowTable
    from gouji_rules.rule_set import RuleSet

NO_THREES: tuple[int, int, int, int] = (0, 0, 0, 0)
THREE = 0


def check(
    rules: RuleSet,
    question: Question,
    seat: int,
    hand: Sequence[int],
    action: Action,
    threes: Sequence[int] = NO_THREES,
) -> None:
    """Raise the :class:`RuleViolation` that says why ``seat`` may not answer ``question`` so; return if it may."""
    verb = action >> VERB_SHIFT
    if not question.seats >> seat & 1:
        raise _not_asked(rules, question, verb)
    if not question.verbs >> verb & 1 or (action & PLAY_MASK and verb not in WITH_CARDS and verb != Verb.SHOW):
        raise _wrong_verb(rules, question, verb)
    if verb == Verb.PLAY:
        play = _held(hand, action)
        if question.kind == Kind.LEAD:
            _check_lead(rules, question, hand, play)
        else:
            _check_beats(rules, question.top, play)
    elif verb == Verb.BURN:
        play = _held(hand, action)
        _check_beats(rules, question.top, play)
        if rules.burn == "strict":
            _check_sound(rules, hand, play)
    elif verb == Verb.KILL:
        _check_beats(rules, question.top, _held(hand, action))
    elif verb == Verb.REVOLT:
        revolution_answers.check_revolt(rules, hand)
    elif verb == Verb.NO:
        if question.kind == Kind.REVOLT:
            revolution_answers.check_no(rules, hand)
    elif verb == Verb.GIVE:
        returns.check_give(rules, question, hand, action)
    elif verb == Verb.REFUSE:
        returns.check_refuse(question, hand)
    elif verb == Verb.SHOW:
        suit = action & PLAY_MASK
        if suit > 3 or threes[suit] < 2:
            name = SUIT_NAMES[suit] if suit <= 3 else str(suit)
            rank = "4" if rules.hold_three else "3"
            raise NothingToShow(
                "R5",
                "NOTHING_TO_SHOW",
                f"showing takes two {rank}s of one suit: not held in {name}",
                f"亮{rank}须有两张同花色的{rank}",
            )


def can(
    rules: RuleSet,
    question: Question,
    seat: int,
    hand: Sequence[int],
    action: Action,
    threes: Sequence[int] = NO_THREES,
) -> bool:
    """Whether ``seat`` may answer ``question`` so. Never enumerates."""
    try:
        check(rules, question, seat, hand, action, threes)
    except RuleViolation:
        return False
    return True


def holds(hand: Sequence[int], play: Play) -> bool:
    """Whether a hand has the cards of a play."""
    naturals = play >> NATURAL_SHIFT & 31
    return (
        hand[TWO] >= play >> TWO_SHIFT & 31
        and hand[SMALL] >= play >> SMALL_SHIFT & 15
        and hand[BIG] >= play >> BIG_SHIFT & 15
        and (not naturals or hand[play & LOW_MASK] >= naturals)
    )


def _held(hand: Sequence[int], action: Action) -> Play:
    """The play of an action, if it is one and the hand holds it."""
    play = Play(action & PLAY_MASK)
    if not _is_well_formed(play):
        raise NotAPlay("R10", "NOT_A_PLAY", "these cards are no play", "这不是一手牌")
    if not holds(hand, play):
        said = format_play(play)
        raise CardsNotHeld("R16", "CARDS_NOT_HELD", f"the hand does not hold {said}", f"手中没有 {said}")
    return play


def _is_well_formed(play: Play) -> bool:
    """Whether a packed int is a play as :func:`~gouji_rules.plays.compose` makes it."""
    naturals, twos = play >> NATURAL_SHIFT & 31, play >> TWO_SHIFT & 31
    small, big = play >> SMALL_SHIFT & 15, play >> BIG_SHIFT & 15
    if naturals + twos + small + big == 0 or (naturals and play & LOW_MASK >= NATURAL_RANKS):
        return False
    return play == compose(play & LOW_MASK, naturals, twos, small, big)


def _check_lead(rules: RuleSet, question: Question, hand: Sequence[int], play: Play) -> None:
    if rules.hold_three and not play & LOW_MASK and not size(play) == hand[THREE] == sum(hand):
        raise ThreesHeld(
            "R45",
            "THREES_HELD",
            "3s stay in the hand for the last play, alone and all of them",
            "3 须留作底牌，单独一手出完",
        )
    if (
        question.must_hold_four
        and not question.must_hold_joker
        and hand[leads.FOUR]
        and (play & LOW_MASK != leads.FOUR or not play >> NATURAL_SHIFT & 31)
    ):
        said = format_play(play)
        raise LeadWithoutFour(
            "R43",
            "LEAD_WITHOUT_FOUR",
            f"the lead after opening holds a 4: {said} has none",
            f"开点后须发 4：{said} 没有 4",
        )
    if question.must_hold_joker and not play & JOKER_MASK and size(play) != sum(hand):
        said = format_play(play)
        raise BurnLeadWithoutJoker(
            "R34",
            "BURN_LEAD_WITHOUT_JOKER",
            f"while burning every lead but the last holds a joker: {said} has none",
            f"烧牌时除最后一手外每手须挂花：{said} 没有花",
        )


def _check_beats(rules: RuleSet, top: Play, play: Play) -> None:
    if beats(rules, top, play):
        return
    why = explain(rules, top, play)
    if why.rule == "R11":
        raise WrongCount("R11", "WRONG_COUNT", why.text_en, why.text_zh)
    raise DoesNotBeat(why.rule, "DOES_NOT_BEAT", why.text_en, why.text_zh)


def _check_sound(rules: RuleSet, hand: Sequence[int], play: Play) -> None:
    """`burn = strict` (R31)."""
    code, kinds = enumeration.wild_code(hand), soundness.kinds_held(hand)
    if not soundness.is_sound_burn(hand, code, kinds, play, hold_three=rules.hold_three):
        rest = format_counts(_rest(hand, play))
        raise BurnNotSound(
            "R31",
            "BURN_NOT_SOUND",
            f"what would be left, {rest}, cannot be played with a joker in every play but the last",
            f"剩下的 {rest} 不能做到除最后一手外每手挂花",
        )


def _rest(hand: Sequence[int], play: Play) -> list[int]:
    rest = list(hand)
    if play >> NATURAL_SHIFT & 31:
        rest[play & LOW_MASK] -= play >> NATURAL_SHIFT & 31
    rest[TWO] -= play >> TWO_SHIFT & 31
    rest[SMALL] -= play >> SMALL_SHIFT & 15
    rest[BIG] -= play >> BIG_SHIFT & 15
    return rest


def _not_asked(rules: RuleSet, question: Question, verb: int) -> NotAsked:
    rule = _RULE_OF_VERB.get(verb, "R20")
    if verb in (Verb.PLAY, Verb.PASS) and question.top and is_gouji(rules, question.top):
        rule = "R22"
    return NotAsked(rule, "NOT_ASKED", "this seat is not asked now", "现在没有问到这个座位")


def _wrong_verb(rules: RuleSet, question: Question, verb: int) -> RuleViolation:
    if question.kind == Kind.FOLLOW and verb == Verb.YIELD:
        return NoYield(
            "R24",
            "NO_YIELD",
            "a yield needs a non-gouji play of one's opposite, no earlier pass or yield in the trick, and a seat after"
            " one that may still answer",
            "让牌须是对头的非够级牌、本轮未过牌也未让过，且下两家中还有人可以上牌",
        )
    if question.kind == Kind.FOLLOW and verb == Verb.WIND:
        return NoWind(
            "R27",
            "NO_WIND",
            "only the next active seat after a finisher may ask for the wind on its last play, once a trick, before"
            " passing, while another seat may still answer",
            "只有走科者的下家可以对底牌申请接风，每轮一次，须未过牌且还有人可以上牌",
        )
    rule = _RULE_OF_VERB.get(verb, "R20") if verb != Verb.PLAY else _RULE_OF_KIND.get(question.kind, "R20")
    words = [verb.name.lower().replace("_", " ") for verb in question.verb_list]
    text_en, text_zh = f"the question asks for one of: {', '.join(words)}", f"现在只能：{'、'.join(words)}"
    return WrongVerb(rule, "WRONG_VERB", text_en, text_zh)


_RULE_OF_VERB: dict[int, str] = {
    Verb.YIELD: "R24",
    Verb.WIND: "R27",
    Verb.BURN: "R30",
    Verb.DECLINE: "R30",
    Verb.SHOW: "R5",
    Verb.NO: "R50",
    Verb.REVOLT: "R50",
    Verb.KEEP_HEAD: "R52",
    Verb.DROP_HEAD: "R52",
    Verb.KILL: "R15",
    Verb.CALL_OPEN: "R42",
    Verb.CALL_BLIND: "R42",
    Verb.GIVE: "R73",
    Verb.REFUSE: "R73",
    Verb.ACCEPT: "R73",
    Verb.WAIVE: "R73",
    Verb.SWAP: "R73",
}
_RULE_OF_KIND: dict[int, str] = {
    Kind.WINDOW: "R30",
    Kind.REVOLT: "R50",
    Kind.HEAD: "R52",
    Kind.SHOW: "R5",
    Kind.CALL: "R42",
    Kind.RETURN: "R73",
    Kind.REFUSE: "R73",
    Kind.ACCEPT: "R73",
    Kind.WAIVE: "R73",
    Kind.SWAP: "R73",
}


class LegalActions(Sequence[Action]):
    """Every action that one seat may answer a question with: lazy, indexed by arithmetic.

    First the verbs without cards, then the plays by body rank. ``len``, ``[k]`` and ``in`` build no list, but for a
    burn window under `burn = strict`, whose few sound burns are found at once. In a window the burns come before the
    kills. The verbs of the question are the seat's own (:meth:`~gouji_rules.state.PublicState.question_for`).
    """

    __slots__ = (
        "_burn_count",
        "_burns",
        "_code",
        "_gives",
        "_hand",
        "_plain",
        "_plays",
        "_question",
        "_rules",
        "_table",
        "_threes",
    )

    def __init__(
        self, rules: RuleSet, question: Question, hand: Sequence[int], threes: Sequence[int] = NO_THREES
    ) -> None:
        self._rules = rules
        self._question = question
        self._hand = tuple(hand)
        self._threes = tuple(threes)
        self._code = enumeration.wild_code(hand)
        self._plain: tuple[Action, ...] = _plain_actions(rules, question, hand, threes)
        self._burns: list[Play] | None = None
        self._burn_count = 0
        self._table: FollowTable | None = None
        self._gives: tuple[Action, ...] = ()
        self._plays = self._count_plays()

    def _count_plays(self) -> int:
        question = self._question
        if question.kind == Kind.LEAD:
            return self._count_leads()
        if question.kind == Kind.RETURN:
            self._gives = returns.gives(self._rules, question.barred, self._hand)
            return len(self._gives)
        if question.kind not in (Kind.FOLLOW, Kind.WINDOW):
            return 0
        table = self._table = answers_under(self._rules).table(question.top, self._code)
        low = question.top & LOW_MASK
        if question.kind == Kind.FOLLOW:
            return enumeration.count_answers(table, self._hand, low)
        return self._count_window(table, low)

    def _count_leads(self) -> int:
        question, held = self._question, self._rules.hold_three
        joker, four = question.must_hold_joker, question.must_hold_four
        return leads.count(self._hand, self._code, sum(self._hand), hold_three=held, joker=joker, four=four)

    def _count_window(self, table: FollowTable, low: int) -> int:
        verbs = self._question.verbs
        kills = enumeration.count_answers(table, self._hand, low) if verbs & KILL_BIT else 0
        if verbs & BURN_BIT and self._rules.burn == "strict":
            held = self._rules.hold_three
            self._burns = soundness.sound_burns(self._hand, self._code, self._question.top, table, hold_three=held)
            self._burn_count = len(self._burns)
        elif verbs & BURN_BIT:
            self._burn_count = kills or enumeration.count_answers(table, self._hand, low)
        return self._burn_count + kills

    def __len__(self) -> int:
        return len(self._plain) + self._plays

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> list[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | list[Action]:
        if isinstance(index, slice):
            return [self._at(i) for i in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"{index} of {len(self)} legal actions")
        return self._at(at)

    def _at(self, index: int) -> Action:
        if index < len(self._plain):
            return self._plain[index]
        index -= len(self._plain)
        question = self._question
        if question.kind == Kind.WINDOW and self._burns is not None and index < self._burn_count:
            return Action(BURN_TAG | self._burns[index])
        if question.kind == Kind.RETURN:
            return self._gives[index]
        if question.kind == Kind.LEAD:
            joker, four = question.must_hold_joker, question.must_hold_four
            lead = leads.at(self._hand, self._code, index, hold_three=self._rules.hold_three, joker=joker, four=four)
            return Action(PLAY_TAG | lead)
        tag = PLAY_TAG
        if question.kind == Kind.WINDOW:
            tag = BURN_TAG
            if index >= self._burn_count:
                tag = KILL_TAG
                index -= self._burn_count
        assert self._table is not None  # noqa: S101 - the table is there wherever plays were counted
        return Action(tag | enumeration.answer_at(self._table, self._hand, question.top & LOW_MASK, index))

    def __iter__(self) -> Iterator[Action]:
        return (self._at(index) for index in range(len(self)))

    def __contains__(self, action: object) -> bool:
        if not isinstance(action, int):
            return False
        seat = next((s for s in range(6) if self._question.asks(s)), 0)
        return can(self._rules, self._question, seat, self._hand, Action(action), self._threes)

    @property
    def plain(self) -> tuple[Action, ...]:
        """The actions without cards: pass, decline, show hearts, …"""
        return self._plain

    @property
    def plays(self) -> Sequence[Action]:
        """The actions that put cards down, as a list."""
        return self[len(self._plain) :]

    @property
    def play_count(self) -> int:
        """How many actions put cards down."""
        return self._plays

    @property
    def verbs(self) -> int:
        """Mask of the verbs of these actions."""
        verbs = 0
        for action in self._plain:
            verbs |= 1 << (action >> VERB_SHIFT)
        if self._question.kind == Kind.WINDOW:
            verbs |= BURN_BIT if self._burn_count else 0
            return verbs | (KILL_BIT if self._plays > self._burn_count else 0)
        return verbs | (1 << _CARD_VERB.get(self._question.kind, Verb.PLAY) if self._plays else 0)


def _plain_actions(
    rules: RuleSet, question: Question, hand: Sequence[int], threes: Sequence[int]
) -> tuple[Action, ...]:
    kind = question.kind
    if kind == Kind.FOLLOW:
        actions = [PASS]
        if question.verbs & YIELD_BIT:
            actions.append(YIELD)
        if question.verbs & WIND_BIT:
            actions.append(WIND)
        return tuple(actions)
    if kind == Kind.WINDOW:
        return (DECLINE,)
    if kind == Kind.REVOLT:
        return revolution_answers.open_answers(rules, hand)
    if kind == Kind.HEAD:
        return (KEEP_HEAD, DROP_HEAD)
    if kind == Kind.SHOW:
        return (NO, *(show_action(suit) for suit in range(4) if threes[suit] >= 2))
    if kind == Kind.CALL:
        return (NO, CALL_BLIND if question.verbs >> Verb.CALL_BLIND & 1 else CALL_OPEN)
    if kind == Kind.WAIVE:
        return (NO, WAIVE)
    if kind == Kind.SWAP:
        return (NO, SWAP)
    if kind in (Kind.ACCEPT, Kind.REFUSE):
        return returns.takes(question, hand)
    return ()


def legal_actions(
    rules: RuleSet, question: Question, hand: Sequence[int], threes: Sequence[int] = NO_THREES
) -> LegalActions:
    """Every action with which a seat asked may answer, as a lazy sequence."""
    return LegalActions(rules, question, hand, threes)


_CARD_VERB: dict[int, Verb] = {Kind.RETURN: Verb.GIVE}


def open_verbs(rules: RuleSet, question: Question, hand: Sequence[int], threes: Sequence[int] = NO_THREES) -> int:
    """Mask of the open verbs: a verb is open iff some action with it would be accepted."""
    return LegalActions(rules, question, hand, threes).verbs


def default_action(rules: RuleSet, question: Question, hand: Sequence[int]) -> Action:
    """What an expired clock answers: pass, decline, no, keep the head, accept; the lowest lead (R34) or return."""
    if question.kind == Kind.FOLLOW:
        return PASS
    if question.kind == Kind.WINDOW:
        return DECLINE
    if question.kind == Kind.HEAD:
        return KEEP_HEAD
    if question.kind == Kind.LEAD:
        return Action(PLAY_TAG | _lowest_lead(rules, question, hand))
    if question.kind in (Kind.ACCEPT, Kind.REFUSE):
        return ACCEPT
    if question.kind == Kind.RETURN:
        return returns.gives(rules, question.barred, hand)[0]
    if question.kind == Kind.REVOLT:
        return revolution_answers.open_answers(rules, hand)[0]
    return NO


def _lowest_lead(rules: RuleSet, question: Question, hand: Sequence[int]) -> Play:
    """The lowest single allowed; for a burner the lowest joker, or with none left the whole hand."""
    if question.must_hold_joker:
        if hand[SMALL]:
            return compose(0, 0, 0, 1, 0)
        if hand[BIG]:
            return compose(0, 0, 0, 0, 1)
        return enumeration.whole_hand(hand, enumeration.wild_code(hand))
    first = THREE
    if rules.hold_three and hand[THREE]:
        if not any(hand[THREE + 1 :]):
            return enumeration.whole_hand(hand, enumeration.wild_code(hand))
        first = THREE + 1
    rank = next(rank for rank, held in enumerate(hand) if held and rank >= first)
    if question.must_hold_four and hand[leads.FOUR]:
        rank = leads.FOUR
    if rank < NATURAL_RANKS:
        return compose(rank, 1, 0, 0, 0)
    return compose(0, 0, int(rank == TWO), int(rank == SMALL), int(rank == BIG))


__all__ = [
    "NO_THREES",
    "LegalActions",
    "can",
    "check",
    "default_action",
    "holds",
    "legal_actions",
    "open_verbs",
]
