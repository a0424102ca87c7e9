"""Whole matches by every preset, and by overrides that between them change every option, at real tables.

Each is played four ways: nobody ever answers and the clock answers for all; everybody answers at random; some answer
while the clock answers for the rest; and one person sits among built-in bots. Together they hold that every kind of
question that the rules ask is asked at tables, answered and left to expire, and that every event of the rules is told.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import pytest

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2
from gouji_rules.rule_set import OPTION_NAMES, PRESET_NAMES
from gouji_server.tables import Caller, Refused, TableSpec
from tests.server.memory_journal import MemoryJournal
from tests.server.players import House, Reader, live_deal, person, play_on, request
from tests.server.table_time import settle

if TYPE_CHECKING:
    from gouji_server.tables import TableHandle

pytestmark = pytest.mark.timeout(600)

SECONDS = 20.0
"""The time for one decision."""

MATCHES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in PRESET_NAMES},
    "threes kept, every tribute, returns refused": (
        "chinagames",
        {"hold_three": True, "return": "may_refuse", "sweep_tribute": "opposites", "show": "ask", "swap_places": True},
    ),
    "returns matched, tribute refused, kills by anyone": (
        "shandong",
        {
            "return": "must_match",
            "tribute_refusable": True,
            "sweep_tribute": "redeal",
            "joker_kill": "two_big",
            "kill_anyone": True,
            "burn_after_pass": True,
            "open_leads_four": True,
            "open_excludes": "jokers",
            "calls": "both",
            "double_backfire": True,
            "point_table": "S0",
            "point_returned": True,
            "waiver_shows": True,
        },
    ),
    "threes bought, or a revolution for want of them": (
        "lianzhong",
        {"buy_from": "S0", "buy_with": "S4", "buy_none": "may", "removed": "333333333333", "calls": "both"},
    ),
    "a revolution for whoever is dealt neither three nor joker": (
        "lianzhong",
        {"revolution": "hold_three_only", "buy_none": "auto", "revolution_by": "held", "sweep_tribute": "by_place"},
    ),
    "each for itself, slams and gaps doubled": (
        "hokkaido",
        {"slam": True, "gap_doubles": True, "feel_chances": 3, "tribute": ("loser",), "joker_kill": "full"},
    ),
    "hokkaido in federations": (
        "hokkaido",
        {"teams": "federation", "seating": "draw", "burn": "bluff", "tie_by_lot": True},
    ),
    "qingdao each for itself": (
        "qingdao",
        {
            "teams": "individual",
            "gouji_twos": 2,
            "mixed_jokers": "as_small",
            "opening": True,
            "open_deadline": "strict",
            "revolution": "off",
            "pass_after_last": "open",
        },
    ),
    "six packs, cards shown by those asked, everything asked for": (
        "qingdao",
        {
            "decks": 6,
            "show": "ask",
            "direction": "cw",
            "tribute": ("loser",),
            "swap_places": True,
            "tribute_refusable": True,
            "seating": "choose_opposite",
            "report": "asked",
            "feel_chances": 3,
            "peek": "ten",
            "counter_burn_doubles": True,
        },
    ),
    "revolutions": ("shandong", {"revolution_by": "dealt", "show": "ask"}),
    "nothing to win, so a lot": (
        "competition",
        {
            "points": (0, 0, 0, 0, 0, 0),
            "fault_points": 0,
            "tie_by_lot": True,
            "stifle": "tribute",
            "deals": 1,
            "revolution_opens": "three",
            "melee_at": "at_once",
            "dead_gouji": "any_last",
            "burn": "off",
            "burn_points": (0, 0),
            "tribute": ("stifle", "point", "loser"),
        },
    ),
}

SECRETS = {"revolutions": tuple(hashlib.sha256(b"r%d" % number).digest() for number in (29, 1))}
"""Secrets of deals in which two may revolt, and one, so that there is a void deal and a revolution."""

WAYS = ("silent", "spoken", "mixed", "house")
LEFT_TO_EXPIRE = (gr.Kind.HEAD, gr.Kind.SWAP)
"""Questions so seldom asked that where some answers are left to the clock these always are."""


@dataclass
class Seen:
    """What came of one match: the kinds of question answered and expired, and the events told to a spectator."""

    answered: Counter[gr.Kind] = field(default_factory=Counter)
    expired: Counter[gr.Kind] = field(default_factory=Counter)
    events: list[events_pb2.TableEvent] = field(default_factory=list)
    info: lobby_pb2.Table | None = None
    scores: tuple[int, ...] = ()

    def told(self, kind: str) -> list[Any]:
        """Return the events of a kind."""
        return [getattr(event, kind) for event in self.events if event.WhichOneof("event") == kind]


class Played:
    """One match on its way."""

    def __init__(self, name: str, way: str, seed: int) -> None:
        preset, options = MATCHES[name]
        self.journal = MemoryJournal()
        self.at = House(self.journal, seed=seed)
        rules = gr.preset(preset).replace(**options)
        self.spec = TableSpec(
            rule_set=preset,
            options=tuple(options.items()),
            deals=2 if way == "silent" else rules.deals or 3,
            decision_seconds=SECONDS,
        )
        self.way = way
        self.policy = "simple" if way == "mixed" else "random"
        self.people = 1 if way == "house" else 6
        self.dice = random.Random(seed)
        self.at.entropy.secrets = list(SECRETS.get(name, ()))
        self.seen = Seen()

    async def play(self) -> Seen:
        """Play it to its end."""
        await self.at.tables.start()
        handle = await self.at.new_table(self.spec)
        reader = Reader(self.at, handle, person(9))
        await reader.follow()
        if dict(self.spec.options).get("seating") == "choose_opposite":
            await handle.choose_opposite(person(1), 3, "choose")
        for number in range(6):
            if number >= self.people:
                await handle.leave(person(number), "leave")
                await handle.add_bot(person(0), ("simple", "random")[number % 2], None, f"bot-{number}")
        for number in range(self.people):
            await handle.set_ready(person(number), True, "ready")
        while not reader.closed:
            await self.go_on(handle)
            await reader.read()
            self.seen.events += [event for update in reader.updates for event in update.events]
            reader.updates.clear()
        self.seen.info = reader.info
        assert reader.state is not None
        self.seen.scores = tuple(reader.state.scores)
        await self.at.tables.close()
        await settle()
        return self.seen

    async def go_on(self, handle: TableHandle) -> None:
        """Have some questions answered, or expire."""
        for _ in range(40):
            state = self.at.tables._actors[handle.name]._story.state  # type: ignore[union-attr]
            if state.closed or state.deal is None:
                return
            kind = state.deal.public.kind
            if kind is gr.Kind.REVOLT and self.way in ("spoken", "mixed"):
                await self.revolt(handle)
            if self.way == "agreed" and sum(self.seen.answered.values()) > 200:
                for number in range(6):
                    await handle.vote_dissolution(person(number), True, "enough")
            elif self.way == "house":
                await play_on(self.at, handle, self.dice, moves=1)
                await self.at.clock.run(1)
            elif self.way in ("spoken", "agreed") or (
                self.way == "mixed" and self.dice.random() < 0.6 and kind not in LEFT_TO_EXPIRE
            ):
                self.seen.answered[kind] += await play_on(self.at, handle, self.dice, moves=1, policy=self.policy)
                if self.dice.random() < 0.03:
                    await self.speak_out_of_turn(handle)
            else:
                await self.at.clock.run(SECONDS)
                assert self.journal.tables[handle.name][-1].kind in ("lapse", "deal"), "the clock did not answer"
                self.seen.expired[kind] += 1

    async def revolt(self, handle: TableHandle) -> None:
        """Have everybody revolt who may: there is so seldom one."""
        deal = live_deal(self.at, handle)
        for seat in range(6):
            if deal.is_asked(seat) and deal.can(seat, gr.REVOLT):
                state = self.at.tables._actors[handle.name]._story.state  # type: ignore[union-attr]
                account = Caller(state.seats.players[seat].account, "")
                asked = request(handle.name, state.decision, gr.Verb.REVOLT, request_id=f"r{state.decision}-{seat}")
                await handle.act(account, asked)
                self.seen.answered[gr.Kind.REVOLT] += 1

    async def speak_out_of_turn(self, handle: TableHandle) -> None:
        """Ask for a count and feel a hand, where the rules have it."""
        asker, of = self.dice.sample(range(6), 2)
        number = self.dice.getrandbits(60)
        for saying in (handle.ask_count(person(asker), of, f"a{number}"), handle.feel(person(asker), f"f{number}")):
            try:
                await saying
            except Refused as refused:
                assert refused.rule in ("R80", "R82") or refused.reason in ("NO_DEAL", "TABLE_CLOSED")  # noqa: PT017


@pytest.fixture(scope="module")
def matches() -> dict[tuple[str, str], Seen]:
    """Play all matches."""

    async def play_all() -> dict[tuple[str, str], Seen]:
        wanted = [(name, way, seed) for seed, name in enumerate(MATCHES) for way in WAYS] + [("qingdao", "agreed", 0)]
        return {(name, way): await Played(name, way, seed).play() for name, way, seed in wanted}

    return asyncio.run(play_all())


def test_every_match_is_played_to_its_end(matches: dict[tuple[str, str], Seen]) -> None:
    """Each ends well, whoever answers: by its number of deals, a sweep, or agreement, with every deal's record good."""
    for (name, way), seen in matches.items():
        assert seen.info is not None
        assert seen.info.state == lobby_pb2.TABLE_STATE_FINISHED, (name, way)
        closed = [closed.reason for closed in seen.told("table_closed")]
        assert closed == [events_pb2.CLOSE_REASON_MATCH_OVER], (name, way)
        (ended,) = seen.told("match_ended")
        assert tuple(ended.scores) == seen.scores
        rules = gr.preset(MATCHES[name][0]).replace(**MATCHES[name][1])
        dealt = [deal for deal in seen.told("deal_ended") if deal.places]
        if way == "agreed":
            assert ended.reason == events_pb2.MATCH_END_REASON_DISSOLVED
        elif len(dealt) < seen.info.deals:
            assert (ended.reason, rules.sweep_tribute) == (events_pb2.MATCH_END_REASON_SWEEP, "match_ends"), (name, way)
            assert dealt[-1].sweep
        else:
            assert (ended.reason, len(dealt)) == (events_pb2.MATCH_END_REASON_DEALS, seen.info.deals), (name, way)
        for revealed in seen.told("deal_revealed"):
            assert not revealed.record or gr.check_record(revealed.record) == [], (name, way)


def test_every_kind_of_question_is_answered_at_tables_and_expires(matches: dict[tuple[str, str], Seen]) -> None:
    """There is no question of the rules that a seat could not answer over the API, and none without a default."""
    answered = sum((seen.answered for seen in matches.values()), Counter())
    expired = sum((seen.expired for seen in matches.values()), Counter())
    kinds = set(gr.Kind) - {gr.Kind.NONE}
    assert {kind for kind in kinds if not answered[kind]} == set()
    assert {kind for kind in kinds if not expired[kind]} == set()


ELSEWHERE = {
    "table_changed",  # test_table_owners
    "player_kicked",
    "presence_changed",  # test_table_absence
    "autopilot_changed",
    "clock_compensated",  # test_table_outages
    "table_suspended",  # test_table_suspended
    "table_resumed",
    "table_held",  # test_table_operators
    "table_released",
    "deal_promised",  # test_table_entropy
    "entropy_given",
}
"""Events that a match of people who play it to its end does not have; other tests have them told."""


def test_every_event_is_told(matches: dict[tuple[str, str], Seen]) -> None:
    """Every event that the rules have, and every one of the table's own, comes to a spectator."""
    told = {event.WhichOneof("event") for seen in matches.values() for event in seen.events}
    kinds = {kind.name for kind in events_pb2.TableEvent.DESCRIPTOR.oneofs_by_name["event"].fields}
    assert kinds - told == ELSEWHERE
    assert {name_on_the_wire(kind) for kind in get_args(gr.Event)} <= kinds


def name_on_the_wire(kind: type) -> str:
    """Return the field of a TableEvent that carries an event of the rules."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def test_every_option_is_changed_in_some_match() -> None:
    """No option's other values are left out."""
    changed = {
        name
        for preset, options in MATCHES.values()
        for name, value in ((name, gr.preset(preset).replace(**options).option(name)) for name in OPTION_NAMES)
        if value != gr.preset(preset).option(name)
    }
    assert set(OPTION_NAMES) - changed == set()


def test_whoever_answers_nothing_still_plays_by_the_rules(matches: dict[tuple[str, str], Seen]) -> None:
    """Where nobody answers the clock plays every seat: its events are marked, but for what closes a window (R36)."""
    for (name, way), seen in matches.items():
        if way != "silent":
            continue
        by_clock = [event for event in seen.events if event.by_clock]
        played = [event for event in seen.events if event.HasField("played")]
        assert len(played) > 30, name
        assert {event.WhichOneof("event") for event in by_clock} >= {"played", "passed"}, name
        assert all(event.by_clock for event in played), name
