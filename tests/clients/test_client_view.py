"""The view that the client builds from the wire, beside the one that the rules themselves make."""

from __future__ import annotations

import random
from contextlib import aclosing

import pytest

import gouji_bots
import gouji_rules as gr
from gouji_client import GoujiError, TableView, connect
from gouji_client.testing import FakeServer, Resync
from gouji_rules.presets import COLUMNS
from tests.clients.watching import AT_ONCE, sit_down

UNTOLD = {"pending", "yielder", "shown", "burns", "stifled", "slam", "only_kill", "must_hold_four", "counter_burn"}
"""What the wire does not tell, as `public_from_wire` says; the last three belong to questions, which are compared, and
to burns, while they go on."""


def assert_same_view(told: gr.SeatView, true: gr.SeatView) -> None:
    """Hold a view from the wire to the one that the rules make, field by field."""
    assert (told.rules, told.seat, told.hand, told.cards, told.answered) == (
        true.rules,
        true.seat,
        true.hand,
        true.cards,
        true.answered,
    )
    differing = {
        name: (getattr(told.public, name), getattr(true.public, name))
        for name in gr.PublicState.__slots__
        if name not in UNTOLD and getattr(told.public, name) != getattr(true.public, name)
    }
    assert differing == {}
    assert true.public.burner < 0 or told.public.counter_burn == true.public.counter_burn
    assert told.question == true.question
    assert list(told.legal_actions()) == list(true.legal_actions())


@pytest.mark.parametrize("policy", ["random", "simple"])
@pytest.mark.parametrize("seed", range(4))
async def test_the_view_from_the_wire_is_the_view_of_the_rules(seed: int, policy: str) -> None:
    """Whenever the seat is asked, its view has every fact that the rules' own view has, and the same legal actions.

    Half of the views come from steps, half from a snapshot in the middle of the deal.
    """
    rng = random.Random(seed)
    asked = 0
    server = FakeServer(seed=seed, seats=[seed % 6], opponents=policy, faults=[Resync(at=60), Resync(at=61, steps=4)])
    async with server, connect(server.address, backoff=AT_ONCE, rng=rng) as client:
        table = await sit_down(client, server.table)
        async with aclosing(table.updates()) as updates:
            async for update in updates:
                if update.view.at != table.view.at or not update.view.asked:
                    continue
                deal = server._table.deal
                assert deal is not None
                view = update.view.to_seat_view()
                assert_same_view(view, deal.view(view.seat))
                asked += 1
                await table.act(gouji_bots.policies[policy](view, rng), decision=update.view.decision)
    assert asked > 10


def like(preset: str) -> gr.RuleSet:
    """Return qingdao with the options of a preset."""
    options = {("return" if field == "return_" else field): value for field, value in COLUMNS[preset].items()}
    options.pop("seating", None)
    if preset == "competition":
        options["tribute"] = ()
    return gr.preset("qingdao").replace(**options)


@pytest.mark.parametrize("policy", ["random", "simple"])
@pytest.mark.parametrize("preset", [name for name in COLUMNS if name != "qingdao"])
async def test_the_view_is_that_of_the_rules_by_every_rule_set(preset: str, policy: str) -> None:
    """Calls, buying, tribute, opening, kills and threes held: a client knows of them what the rules' own view knows."""
    rng = random.Random(7)
    asked = 0
    server = FakeServer(
        seed=3, seats=[2], opponents=policy, deals=2, rules=like(preset), faults=[Resync(at=50), Resync(at=90)]
    )
    async with server, connect(server.address, backoff=AT_ONCE, rng=rng) as client:
        table = await sit_down(client, server.table)
        async with aclosing(table.updates()) as updates:
            async for update in updates:
                if update.view.at != table.view.at or not update.view.asked:
                    continue
                deal = server._table.deal
                assert deal is not None
                view = update.view.to_seat_view()
                assert_same_view(view, deal.view(view.seat))
                asked += 1
                await table.act(gouji_bots.policies[policy](view, rng), decision=update.view.decision)
    assert asked > 10


@pytest.mark.parametrize("refusing", ["may_refuse", "free", "must_match"])
async def test_the_view_before_a_deal_is_the_view_of_the_rules(refusing: str) -> None:
    """R70-R73: asked about tribute and returns, a seat knows what is owed, what moved and what was refused."""
    rules = gr.preset("qingdao").replace(
        **{"return": refusing}, tribute=("loser",), sweep_tribute="by_place", tribute_refusable=refusing == "free"
    )
    rng = random.Random(1)
    kinds = set()
    server = FakeServer(seed=2, seats=range(1), deals=7, rules=rules, faults=[Resync(at=150)])
    async with server, connect(server.address, backoff=AT_ONCE, rng=rng) as client:
        table = await sit_down(client, server.table)
        async with aclosing(table.updates()) as updates:
            async for update in updates:
                if update.view.at != table.view.at or not update.view.asked:
                    continue
                deal = server._table.deal
                assert deal is not None
                view = update.view.to_seat_view()
                assert_same_view(view, deal.view(view.seat))
                kinds.add(deal.public.kind)
                policy = "random" if deal.public.phase != gr.Phase.PLAY else "simple"
                action = gouji_bots.policies[policy](view, rng)
                assert gouji_bots.simple_policy(view, rng) in view.legal_actions()
                await table.act(action, decision=update.view.decision)
    assert kinds & {gr.Kind.RETURN, gr.Kind.REFUSE, gr.Kind.ACCEPT, gr.Kind.WAIVE}


async def test_a_spectator_sees_no_hand_and_has_no_seats_view() -> None:
    """Who has no seat gets public facts alone, and a clear error when asking for a seat's view."""
    async with (
        FakeServer(seed=3) as server,
        connect(server.address, backoff=AT_ONCE) as player,
        connect(server.address, backoff=AT_ONCE) as watcher,
    ):
        await watcher.sign_in("watcher")
        watched = watcher.table(server.table)
        view = await watched.follow()
        with pytest.raises(GoujiError, match="no seat"):
            view.to_seat_view()
        table = await sit_down(player, server.table)
        mine = await table.until(lambda view: view.asked)
        seen = await watched.until(lambda view: view.at.n == mine.at.n)
        assert (seen.seat, seen.hand, seen.asked, seen.at.p) == (None, (), False, 0)
        assert seen.state == mine.state
        assert seen.plays == mine.plays
        assert mine.hand


async def test_before_the_first_deal_there_is_a_table_and_no_deal() -> None:
    """A table that waits for players has lobby facts and nothing to play on; asking for a view says so."""
    async with FakeServer(seats=[0, 1]) as server, connect(server.address, backoff=AT_ONCE) as client:
        table = await sit_down(client, server.table)
        view = await table.until(lambda view: view.info.players[0].ready)
        assert (view.asked, view.over, view.plays, view.scores, view.decision) == (False, False, [], (), 0)
        with pytest.raises(GoujiError, match="no deal"):
            view.to_seat_view()


async def test_a_seat_given_up_is_gone_from_the_view() -> None:
    """After leaving, the client is a spectator again and knows it."""
    async with FakeServer(seats=[0, 1]) as server, connect(server.address, backoff=AT_ONCE) as client:
        table = await sit_down(client, server.table)
        assert (await table.until(lambda view: view.seat == 0)).info.players[0].display_name == "tester"
        await client.lobby.leave(table.name)
        view = await table.until(lambda view: not view.info.players[0].account)
        assert view.seat is None


async def test_an_older_view_keeps_its_plays() -> None:
    """Views are values: one that was kept does not change when the game goes on."""
    async with FakeServer(seed=3) as server, connect(server.address, backoff=AT_ONCE) as client:
        table = await sit_down(client, server.table)
        views: list[TableView] = []
        while not views or len(views[-1].plays) < 20:
            views.append(await table.until(lambda view: view.asked))
            await table.act(views[-1].to_seat_view().default_action())
        kept = [(view, view.plays, view.to_seat_view()) for view in views]
        await table.until(lambda view: view.asked or view.over)
        counts = [len(view.plays) for view in views]
        assert counts == sorted(counts)
        assert counts[0] == 0
        for view, plays, seat_view in kept:
            assert view.plays == plays == views[-1].plays[: len(plays)]
            assert_same_view(view.to_seat_view(), seat_view)
