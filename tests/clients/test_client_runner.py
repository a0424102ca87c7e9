"""Running bots: to the end, whatever their code does."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from typing import TYPE_CHECKING, Any

import pytest

import gouji_rules as gr
from gouji.table.v1 import events_pb2
from gouji_client import Bot, BotFailed, Manners, NewTable, PolicyBot, Refused, connect, play_match, run_bot
from gouji_client.result import ResultKeeper
from gouji_client.testing import Busy, DropStream, FakeServer, StaleDecision
from gouji_rules.match import draw_lot
from tests.clients.manual_clock import EagerClock
from tests.clients.watching import AT_ONCE

if TYPE_CHECKING:
    from pathlib import Path

    from gouji_client import DealSummary, MatchResult


class Lowest(Bot):
    """Plays the first legal action."""

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Return the first legal action."""
        return view.legal_actions()[0]


async def play(bot: Bot, *, manners: Manners | None = None, **settings: Any) -> tuple[FakeServer, MatchResult]:
    """Play a bot at a fake server and return both."""
    async with FakeServer(**{"seed": 5, **settings}) as server:
        result = await run_bot(server.address, bot, table=server.table, manners=manners, backoff=AT_ONCE)
    return server, result


async def test_a_bot_of_two_lines_plays_a_match() -> None:
    """A class with a `choose` is enough: it is signed in, seated, played to the end, and told the result."""
    server, result = await play(Lowest(), deals=2)
    assert server.over
    assert (result.table, result.seat, result.faults) == (server.table, 0, 0)
    assert result.complete
    assert [deal.deal for deal in result.deals] == [1, 2]
    assert tuple(deal.record for deal in result.deals) == server.records
    assert result.scores == server.scores
    assert result.own_score == server.scores[0]
    assert result.won == (server.scores[0] > server.scores[1])
    assert result.close_reason == events_pb2.CLOSE_REASON_MATCH_OVER


async def test_the_records_are_accepted_by_the_checker(tmp_path: Path) -> None:
    """The records of a match can be written as files, which the checker accepts."""
    _, result = await play(PolicyBot("random", seed=1), deals=2)
    paths = result.write_records(tmp_path / "records")
    assert [path.name for path in paths] == ["deal-1.toml", "deal-2.toml"]
    for path in paths:
        assert not list(gr.check_record(path.read_text(encoding="utf-8")))


async def test_hooks_hear_everything_in_order() -> None:
    """`on_event` gets every event once and in order, `on_deal_end` every deal with its places."""

    class Listener(Lowest):
        """Writes down what it hears."""

        def __init__(self) -> None:
            self.numbers: list[int] = []
            self.deals: list[DealSummary] = []

        def on_event(self, event: events_pb2.TableEvent) -> None:
            """Write it down."""
            self.numbers.append(event.n)

        def on_deal_end(self, deal: DealSummary) -> None:
            """Write it down."""
            self.deals.append(deal)

    bot = Listener()
    server, result = await play(bot, deals=2, faults=[DropStream(at=40)])
    assert bot.numbers == list(range(bot.numbers[0], server.version + 1))
    assert tuple(bot.deals) == result.deals
    assert sorted(bot.deals[0].places) == list(range(6))


class Async(Lowest):
    """Chooses with `async`."""

    async def choose(self, view: gr.SeatView) -> gr.Action:  # type: ignore[override]
        """Return the first legal action, later."""
        await asyncio.sleep(0)
        return view.legal_actions()[0]


class Text(Lowest):
    """Answers in words."""

    def choose(self, view: gr.SeatView) -> str:  # type: ignore[override]
        """Return the first legal action as text."""
        return gr.format_action(view.legal_actions()[0])


@pytest.mark.parametrize("bot", [Async(), Text()], ids=["async", "text"])
@pytest.mark.parametrize("time_limit", [None, 60.0])
async def test_choose_may_be_async_or_answer_in_words(bot: Bot, time_limit: float | None) -> None:
    """An async `choose` and one that returns text make the same match as a plain one, limited in time or not."""
    plain, _ = await play(Lowest())
    other, result = await play(bot, manners=Manners(time_limit=time_limit))
    assert other.answers == plain.answers
    assert result.faults == 0


class Broken(Lowest):
    """Fails in the third choice, in the way given."""

    def __init__(self, how: str) -> None:
        self.how = how
        self.asked = 0

    def choose(self, view: gr.SeatView) -> gr.Action:
        """Return the first legal action, but for the third time."""
        self.asked += 1
        if self.asked != 3:
            return view.legal_actions()[0]
        if self.how == "raises":
            raise KeyError("a slip")
        if self.how == "illegal":
            return gr.play_action(gr.parse_play("bbbbssss"))
        if self.how == "no action":
            return None  # type: ignore[return-value]
        return "no sense"  # type: ignore[return-value]


@pytest.mark.parametrize("how", ["raises", "illegal", "no action", "no sense"])
async def test_a_failing_choose_costs_the_default_action_and_no_more(
    how: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An error is logged with the bot's name, the default action is played for it, and the match goes on."""
    with caplog.at_level(logging.ERROR, logger="gouji_client"):
        server, result = await play(Broken(how))
    assert server.over
    assert result.faults == 1
    errors = [record for record in caplog.records if record.name == "gouji_client.runner"]
    assert len(errors) == 1
    assert "Broken" in errors[0].getMessage()
    assert server.table in errors[0].getMessage()


@pytest.mark.parametrize(("answer", "traces"), [(None, 0), ("no sense", 0), ("play bbbbssss", 0), (KeyError("x"), 1)])
async def test_a_bot_that_always_fails_is_told_in_lines(
    answer: object, traces: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Each fault is one line; where the author's code raised, the same cause is traced once."""

    class Hopeless(Bot):
        """Fails in every decision."""

        ask_forced = True

        def choose(self, view: gr.SeatView) -> Any:
            """Return what is no action, or raise."""
            if isinstance(answer, Exception):
                raise answer
            return answer

    with caplog.at_level(logging.ERROR, logger="gouji_client"):
        _, result = await play(Hopeless())
    told = [record for record in caplog.records if record.name == "gouji_client.runner"]
    assert len(told) == result.faults > 3
    assert sum(bool(record.exc_info) for record in told) == traces
    assert all("\n" not in record.getMessage() for record in told)


@pytest.mark.parametrize("how", ["raises", "illegal", "no action", "no sense"])
async def test_a_failing_choose_can_be_made_to_raise(how: str) -> None:
    """With `on_error="raise"` the author sees the error at once, with its cause."""
    with pytest.raises(BotFailed, match="Broken at tables/fake") as caught:
        await play(Broken(how), manners=Manners(on_error="raise"))
    assert caught.value.__cause__ is not None
    if how == "raises":
        assert isinstance(caught.value.__cause__, KeyError)


async def test_a_failing_hook_is_a_fault_and_no_end() -> None:
    """An error in `on_event` is counted and logged; the match goes on."""

    class Deaf(Lowest):
        """Cannot hear passes."""

        def on_event(self, event: events_pb2.TableEvent) -> None:
            """Fail on the first pass."""
            if event.HasField("passed") and not hasattr(self, "failed"):
                self.failed = True
                raise RuntimeError("deaf")

    server, result = await play(Deaf())
    assert server.over
    assert result.faults == 1


async def test_a_bot_without_choose_is_told_so() -> None:
    """A subclass that forgot `choose` gets an error with its own name."""

    class Empty(Bot):
        """Forgot something."""

    with pytest.raises(BotFailed) as caught:
        await play(Empty(), manners=Manners(on_error="raise"))
    assert "Empty has no choose" in str(caught.value.__cause__)


async def test_a_choose_that_never_ends_is_cut_off() -> None:
    """With a time limit a hanging `choose` costs the default action; the match goes on without it."""
    release = threading.Event()

    class Hangs(Lowest):
        """Hangs in its second choice."""

        asked = 0

        def choose(self, view: gr.SeatView) -> gr.Action:
            """Return the first legal action, or never."""
            self.asked += 1
            if self.asked == 2:
                release.wait()
            return view.legal_actions()[0]

    try:
        server, result = await play(Hangs(), manners=Manners(time_limit=0.2))
    finally:
        release.set()
    assert server.over
    assert result.faults >= 1


async def test_forced_answers_are_given_without_asking() -> None:
    """`choose` is called only where there is a choice, unless the bot wants to be asked always."""

    class Counts(Lowest):
        """Counts its questions."""

        def __init__(self, *, always: bool) -> None:
            self.ask_forced = always
            self.options: list[int] = []

        def choose(self, view: gr.SeatView) -> gr.Action:
            """Return the first legal action and note how many there were."""
            self.options.append(len(view.legal_actions()))
            return view.legal_actions()[0]

    some, every = Counts(always=False), Counts(always=True)
    first, _ = await play(some)
    second, _ = await play(every)
    assert first.answers == second.answers, "forced answers are given all the same"
    assert min(some.options) > 1
    assert some.options == [count for count in every.options if count > 1]
    assert 1 in every.options


async def test_every_answer_waits_for_a_random_while() -> None:
    """The delay is drawn anew for every answer within its bounds, forced ones included."""
    waits: list[tuple[float, float]] = []

    async with FakeServer(seed=5) as server, connect(server.address, backoff=AT_ONCE) as client:

        async def pause_between(shortest: float, longest: float) -> None:
            waits.append((shortest, longest))

        client.pause_between = pause_between  # type: ignore[method-assign]
        await client.sign_in("Bot")
        await play_match(client, Lowest(), table=server.table, manners=Manners(delay=(1.0, 2.0)))
    mine = [text for seat, text in server.answers if seat == 0]
    assert waits == [(1.0, 2.0)] * len(mine)


async def test_a_stale_answer_is_no_fault_of_the_bot() -> None:
    """When the clock was faster, or the server busy, the bot goes on with the next question."""
    server, result = await play(Lowest(), faults=[StaleDecision(at=40), Busy(at=60)])
    assert server.over
    assert result.faults == 0


async def test_answers_that_are_too_many_wait_as_long_as_they_are_told() -> None:
    """The wait that a limit tells on a stream is kept to, each time anew, and the same answer is given then."""
    clock = EagerClock(limit=100)
    async with FakeServer(seed=5, faults=[Busy(at=60, seat=0, times=3, retry_after=7.5)]) as server:
        options: dict[str, Any] = {"backoff": AT_ONCE, "clock": clock, "silence": 5000}
        result = await run_bot(server.address, Lowest(), table=server.table, **options)
    assert (server.over, result.faults) == (True, 0)
    assert clock.slept.count(7.5) == 3


async def test_a_bot_started_again_goes_on_where_it_was(tmp_path: Path) -> None:
    """With `keep` a bot that crashed comes back as itself, into its seat, and plays on."""

    class Crashes(Lowest):
        """Dies in its fifth choice."""

        asked = 0

        def choose(self, view: gr.SeatView) -> gr.Action:
            """Return the first legal action, or die."""
            self.asked += 1
            if self.asked == 5:
                raise SystemExit("killed")
            return view.legal_actions()[0]

    keep = tmp_path / "bot.json"
    quiet, _ = await play(Lowest())
    async with FakeServer(seed=5) as server:
        with pytest.raises(SystemExit):
            await run_bot(server.address, Crashes(), table=server.table, keep=keep, backoff=AT_ONCE)
        result = await run_bot(server.address, Lowest(), table=server.table, keep=keep, backoff=AT_ONCE)
        assert server.sign_ins == 2
    assert server.over
    assert result.seat == 0
    assert server.answers == quiet.answers


async def test_a_bot_finds_a_table_or_makes_one() -> None:
    """Without a table the bot takes the first free seat; with none it makes a table; a closed one is refused."""
    async with FakeServer(seed=5, seats=[4]) as server:
        found = await run_bot(server.address, Lowest(), backoff=AT_ONCE)
        assert (found.table, found.seat) == (server.table, 4)
        with pytest.raises(Refused, match="TABLE_CLOSED"):
            await run_bot(server.address, Lowest(), table=server.table, backoff=AT_ONCE)
    async with FakeServer(seed=5, seats=[0, 3]) as server:
        made = await run_bot(server.address, Lowest(), table=NewTable(deals=1), seat=3, fill="random", backoff=AT_ONCE)
        assert (made.seat, made.complete, len(made.deals)) == (3, True, 1)


async def test_six_bots_play_each_other() -> None:
    """Six clients at one table all see the same story to its end."""
    async with FakeServer(seed=5, seats=range(6)) as server:
        results = await asyncio.gather(
            *(
                run_bot(server.address, PolicyBot("simple", seed=seat), table=server.table, seat=seat, backoff=AT_ONCE)
                for seat in range(6)
            )
        )
    assert [result.seat for result in results] == list(range(6))
    assert {result.deals for result in results} == {results[0].deals}
    assert all(result.complete for result in results)
    assert len({result.won for result in results if result.seat in (0, 2, 4)}) == 1


async def test_r64_a_tied_match_is_won_by_lot() -> None:
    """R64: a match that ends level has a winner where the rules draw a lot, the same that the engine draws; and is a
    draw where they do not."""
    won = set()
    level = gr.preset("qingdao").replace(points=(0,) * 6)
    for seed in range(8):
        server, result = await play(Lowest(), seed=seed, rules=level.replace(tie_by_lot=True))
        deal = gr.read_record(server.records[-1])
        assert deal.seed is not None
        assert result.scores == (0, 0)
        assert result.lot == result.winner == draw_lot(deal.seed, (0, 1))
        assert result.won == (result.winner == 0)
        won.add(result.won)
    assert won == {True, False}
    _, result = await play(Lowest(), rules=level)
    assert (result.lot, result.winner, result.won) == (None, None, False)


def test_r64_a_lot_among_six_gives_the_match_to_a_seat() -> None:
    """R64: in individual play the lot names a seat, and nobody else of those that are level has won."""
    keeper = ResultKeeper()
    keeper.hear(events_pb2.TableEvent(lot_drawn=events_pb2.LotDrawn(team=4)))
    keeper.hear(events_pb2.TableEvent(match_ended=events_pb2.MatchEnded(scores=(2, 0, 2, 0, 2, 0))))
    results = [keeper.result("tables/t", seat, (), 1, 0) for seat in (*range(6), None)]
    assert [result.won for result in results] == [False, False, False, False, True, False, False]


def test_an_unknown_policy_is_said() -> None:
    """A policy that is not built in is refused with those that are."""
    with pytest.raises(ValueError, match="random, simple"):
        PolicyBot("genius")


def test_a_policy_bot_repeats_itself() -> None:
    """The same seed makes the same choices on the same views."""
    deal = gr.Deal.start(gr.preset("qingdao"), bytes(32))
    view = deal.view(0)
    first, second = PolicyBot("random", seed=3), PolicyBot("random", seed=3)
    assert [first.choose(view) for _ in range(20)] == [second.choose(view) for _ in range(20)]
    assert first.display_name == "random"
    assert random.Random(3).random() == random.Random(3).random()


def heard(*deals: int, reason: Any = events_pb2.MATCH_END_REASON_DEALS, sweep: bool = False) -> MatchResult:
    """Return the result of a match of five deals of which these were heard; the last of them may be a sweep."""
    keeper = ResultKeeper()
    for deal in deals:
        ended = events_pb2.DealEnded(places=range(6), scores=(1, -1), sweep=sweep and deal == deals[-1])
        keeper.hear(events_pb2.TableEvent(deal_ended=ended))
        keeper.hear(events_pb2.TableEvent(deal_revealed=events_pb2.DealRevealed(deal=deal, record="x")))
    if reason == events_pb2.MATCH_END_REASON_DISSOLVED:  # the deal in which it happened has no record
        keeper.hear(events_pb2.TableEvent(deal_revealed=events_pb2.DealRevealed(deal=len(deals) + 1)))
    keeper.hear(events_pb2.TableEvent(match_ended=events_pb2.MatchEnded(scores=(1, -1), reason=reason)))
    return keeper.result("tables/t", 0, (), 5, 0)


def test_a_match_may_be_complete_before_its_last_deal() -> None:
    """A sweep (R76) or an agreement (R17) ends a match early: it is complete with all deals that were played, and not
    with one of them missing."""
    sweep, dissolved = events_pb2.MATCH_END_REASON_SWEEP, events_pb2.MATCH_END_REASON_DISSOLVED
    assert heard(1, 2, 3, 4, 5).complete
    assert not heard(1, 2, 3).complete
    assert heard(1, 2, reason=sweep, sweep=True).complete
    assert not heard(1, 2, reason=sweep).complete  # the sweep itself was missed
    assert not heard(2, 3, reason=sweep, sweep=True).complete
    assert heard(1, 2, reason=dissolved).complete
    assert heard(reason=dissolved).complete
    assert not heard(2, reason=dissolved).complete


async def test_a_bot_that_is_played_for_takes_its_seat_back() -> None:
    """Where the server began to play its seat, as for one that is slow, a bot that is there goes on by itself."""
    heard: list[tuple[bool, int]] = []

    class Slow(Lowest):
        """Is played for from the beginning of a deal on, and listens."""

        def on_event(self, event: events_pb2.TableEvent) -> None:
            """Note who plays the seat."""
            if event.HasField("deal_started"):
                server.play_for(0)
            if event.HasField("autopilot_changed"):
                heard.append((event.autopilot_changed.on, event.autopilot_changed.reason))

    async with FakeServer(seed=5, deals=2) as server:
        result = await run_bot(server.address, Slow(), table=server.table, backoff=AT_ONCE)
    assert heard == [(True, events_pb2.AUTOPILOT_REASON_EXPIRIES), (False, events_pb2.AUTOPILOT_REASON_TAKEN_BACK)]
    assert result.faults == 0
