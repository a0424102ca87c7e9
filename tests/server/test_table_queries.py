"""What a seat may ask about its own hand: legal plays in pages, and checks with reasons."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

import gouji_rules as gr
from gouji_server.tables import Refused, TableSpec
from tests.server.players import House, live_deal, person, play_on, request

if TYPE_CHECKING:
    from gouji.table.v1 import table_pb2
    from gouji_server.tables import TableHandle


async def playing(seed: int = 0, kind: gr.Kind = gr.Kind.LEAD) -> tuple[House, TableHandle, int]:
    """Come to a question of a kind; return a seat that is asked."""
    at = House(seed=seed)
    await at.tables.start()
    handle = await at.match(TableSpec(deals=2))
    await play_on(at, handle, random.Random(seed), moves=6)
    while live_deal(at, handle).public.kind != kind:
        assert await play_on(at, handle, random.Random(seed), moves=1)
    return at, handle, next(seat for seat in range(6) if live_deal(at, handle).is_asked(seat))


def action(verb: gr.Verb, cards: bytes | tuple[int, ...] = ()) -> table_pb2.Action:
    """Make an action."""
    return request("", 1, verb, cards, request_id="x").action


async def test_legal_plays_are_those_of_the_engine_in_pages() -> None:
    """Page after page gives every legal play once; the total, the verbs and the decision are told with each."""
    at, handle, seat = await playing()
    legal = [gr.play_of(a) for a in live_deal(at, handle).legal_actions(seat) if gr.play_of(a)]
    assert len(legal) > 120
    found, token = [], ""
    while True:
        page = await handle.legal_plays(person(seat), 50, token)
        found += [(p.rank, p.naturals, p.twos, p.small_jokers, p.big_jokers) for p in page.plays]
        assert page.total_size == len(legal)
        assert [int(verb) for verb in page.verbs] == [gr.Verb.PLAY]
        token = page.next_page_token
        if not token:
            break
        assert len(page.plays) == 50
    assert len(found) == len(set(found)) == len(legal)
    assert len((await handle.legal_plays(person(seat), 0, "")).plays) == 100


async def test_a_seat_that_is_not_asked_has_no_legal_plays() -> None:
    """Who is not asked gets an empty list, who has no seat is refused."""
    _, handle, seat = await playing()
    page = await handle.legal_plays(person((seat + 1) % 6), 0, "")
    assert (list(page.plays), list(page.verbs), page.total_size) == ([], [], 0)
    with pytest.raises(Refused, match="NOT_SEATED"):
        await handle.legal_plays(person(9), 0, "")


async def test_a_page_token_lapses_with_its_question() -> None:
    """A token of an earlier question is ABORTED, a made-up one or a bad size INVALID_ARGUMENT."""
    at, handle, seat = await playing()
    token = (await handle.legal_plays(person(seat), 5, "")).next_page_token
    assert token
    for size, bad in ((0, "x"), (0, "MS4tMQ=="), (-1, ""), (501, "")):
        with pytest.raises(Refused) as raised:
            await handle.legal_plays(person(seat), size, bad)
        assert raised.value.code in (3, 10)
    await play_on(at, handle, random.Random(1), moves=1)
    with pytest.raises(Refused) as raised:
        await handle.legal_plays(person(seat), 5, token)
    assert (raised.value.code, raised.value.reason) == (10, "STALE_DECISION")


@pytest.mark.parametrize("kind", [gr.Kind.LEAD, gr.Kind.FOLLOW, gr.Kind.WINDOW])
async def test_a_check_says_what_the_table_would(kind: gr.Kind) -> None:
    """For every seat and many actions the check agrees with the engine, changes nothing, and names the rule."""
    at, handle, _ = await playing(2, kind)
    deal = live_deal(at, handle)
    before = await handle.view(person(0))
    for seat in range(6):
        hand = bytes(deal.cards(seat))
        for verb in (gr.Verb.PLAY, gr.Verb.BURN, gr.Verb.PASS, gr.Verb.DECLINE, gr.Verb.WIND, gr.Verb.YIELD):
            for size in range(1, 6) if verb in (gr.Verb.PLAY, gr.Verb.BURN) else (0,):
                cards = hand[-size:] if size else b""
                checked = await handle.check(person(seat), action(verb, cards))
                assert checked.accepted == _would(deal, seat, verb, cards)
                assert checked.accepted != checked.HasField("error")
                if not checked.accepted:
                    assert checked.error.rule.startswith("R")
                    assert checked.error.text.zh
    assert await handle.view(person(0)) == before


def _would(deal: gr.Deal, seat: int, verb: gr.Verb, cards: bytes) -> bool:
    plain = {gr.Verb.PASS: gr.PASS, gr.Verb.DECLINE: gr.DECLINE, gr.Verb.WIND: gr.WIND, gr.Verb.YIELD: gr.YIELD}
    try:
        if verb in plain:
            deal.verify(seat, plain[verb])
        else:
            play = gr.play_of_cards(cards)
            deal.verify(seat, gr.play_action(play) if verb == gr.Verb.PLAY else gr.burn_action(play), cards)
    except gr.RuleViolation:
        return False
    return True


async def test_a_check_tells_the_meaning_and_compares_card_by_card() -> None:
    """R10, R12: the play that the cards make is told, and how it compares with the top play, beating it or not."""
    at, handle, seat = await playing(3, gr.Kind.FOLLOW)
    deal = live_deal(at, handle)
    size = gr.size(deal.public.top)
    cards = next(
        bytes(held[:size])
        for rank in range(12)
        if len(held := [c for c in deal.cards(seat) if gr.rank_of(c) == rank]) >= size
    )
    checked = await handle.check(person(seat), action(gr.Verb.PLAY, cards))
    assert checked.play.naturals == size
    assert checked.explanation.en
    assert checked.explanation.zh
    why = gr.explain(deal.rules, deal.public.top, gr.play_of_cards(cards))
    assert checked.rule == (checked.error.rule or why.rule)
    assert [(c.top - 1, tuple(rank - 1 for rank in c.answer), c.stronger) for c in checked.covers] == [
        (cover.top, cover.answer, cover.stronger) for cover in why.covers
    ]
    no_play = await handle.check(person(seat), action(gr.Verb.PLAY, (1, 2)))
    assert not no_play.HasField("play")
    assert no_play.rule == "R10"
    assert (no_play.error.code, no_play.error.rule) == (3, "R10")


async def test_a_check_of_a_lead_says_what_the_play_is() -> None:
    """R13: with nothing on the table the explanation is what the play is; nothing is compared."""
    at, handle, seat = await playing(3, gr.Kind.LEAD)
    checked = await handle.check(person(seat), action(gr.Verb.PLAY, bytes(live_deal(at, handle).cards(seat)[:1])))
    assert checked.accepted
    assert "(" not in checked.explanation.en
    assert "gouji play" in checked.explanation.en
    assert "够级牌" in checked.explanation.zh
    assert (checked.rule, len(checked.covers)) == ("", 0)


async def test_a_check_without_a_question_or_a_shape_is_answered_or_refused() -> None:
    """Before the match and after it nothing is accepted; a bad shape is refused like a command's; so is a stranger."""
    at = House()
    await at.tables.start()
    handle = await at.new_table(TableSpec(deals=1))
    assert (await handle.check(person(0), action(gr.Verb.PASS))).error.reason == "MATCH_NOT_STARTED"
    with pytest.raises(Refused, match="BAD_ACTION"):
        await handle.check(person(0), action(gr.Verb.PLAY))
    with pytest.raises(Refused, match="NOT_SEATED"):
        await handle.check(person(9), action(gr.Verb.PASS))
    for number in range(6):
        await handle.set_ready(person(number), True, "r")
    await play_on(at, handle, random.Random(0))
    assert (await handle.check(person(0), action(gr.Verb.PASS))).error.reason == "TABLE_CLOSED"
    assert (await handle.legal_plays(person(0), 0, "")).decision == 0
