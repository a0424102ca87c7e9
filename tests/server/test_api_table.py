"""TableService over real connections: playing, watching, asking."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import events_pb2, state_pb2, table_pb2
from gouji_rules.records import check_record
from tests.server.raw_client import RawClient, new_id, refusal
from tests.server.raw_seat import PlayStream, Seat, Story, action, begun, play_match, seated

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.server.running import Running

CODE = grpc.StatusCode


async def six(running: Running) -> list[RawClient]:
    return [await running.player(f"p{number}") for number in range(6)]


async def at_a_table(running: Running, **options: Any) -> list[Seat]:
    """Begin a match of six people, whose streams nobody reads."""
    return await begun(await running.player("owner"), await six(running), **options)


async def asked(seats: list[Seat], kind: int | None = None) -> Seat:
    """Return a seat that is asked and has `seen` it; with a kind of question, once one of that kind is open."""
    while True:
        stories = [await seat.look() for seat in seats]
        mover = next(seat for seat, story in zip(seats, stories, strict=True) if story.asked)
        assert mover.seen.state is not None
        if kind is None or mover.seen.state.question.kind == kind:
            return mover
        await move(mover)


async def move(mover: Seat) -> table_pb2.SubmitActionResponse:
    """Answer the question seen, by a unary call."""
    answer: table_pb2.SubmitActionResponse = await mover.client.call(await mover.next_request(mover.seen))
    return answer


async def view(client: RawClient, table: str) -> table_pb2.TableUpdate:
    answer: table_pb2.GetViewResponse = await client.call(table_pb2.GetViewRequest(table=table))
    return answer.view


async def test_a_match_over_streams(running_server: Running) -> None:
    """Six streams play a match to its end; each is told the same events without a gap, and the records check."""
    seats = await play_match(await running_server.player("owner"), await six(running_server), deals=2)
    first = seats[0].story
    assert first.closed
    for seat in seats[1:]:
        common = seat.story.events.keys() & first.events.keys()
        assert len(common) > 100
        assert all(seat.story.events[n] == first.events[n] for n in common)
    revealed = [event.deal_revealed for event in first.of_kind("deal_revealed") if event.deal_revealed.record]
    assert [deal.deal for deal in revealed] == [1, 2]
    for deal in revealed:
        assert check_record(deal.record) == []


async def test_watching_ends_well_after_the_table_is_closed(running_server: Running) -> None:
    """A spectator gets a snapshot, then every event, and the stream ends with OK after TableClosed."""
    owner = await running_server.player("owner")
    seats = await begun(owner, await six(running_server))
    call = owner.watch(seats[0].table)
    story = Story()
    story.take((await call.read()).updates[0])
    assert story.snapshots == [table_pb2.SNAPSHOT_REASON_FIRST]
    await asyncio.gather(*(seat.play() for seat in seats))
    while (response := await call.read()) is not grpc.aio.EOF:
        for update in response.updates:
            assert not update.HasField("seat")
            story.take(update)
    assert await call.code() is CODE.OK
    assert story.closed
    assert story.of_kind("table_closed")[0].table_closed.reason == events_pb2.CLOSE_REASON_MATCH_OVER


async def test_a_place_gets_the_tail_alone(running_server: Running) -> None:
    """Who comes back with the place reached gets what came since, by either kind of stream, and no snapshot."""
    seats = await at_a_table(running_server)
    for _ in range(10):
        mover = await asked(seats)
        other = next(seat for seat in seats if seat is not mover)
        place = other.seen.place
        assert place is not None
        version = (await move(mover)).version
        if version == place.n:
            continue  # an answer in a window: nothing is told to others
        stream = PlayStream(other.client)
        stream.stories[other.table].place = place
        await stream.subscribe(other.table, place)
        reached = stream.stories[other.table]
        assert reached.place is not None
        assert (reached.snapshots, reached.place.n) == ([], version)
        call = other.client.watch(other.table, place)
        story = Story()
        story.place = place
        while story.place.n < version:
            for update in (await call.read()).updates:
                story.take(update)
        assert story.snapshots == []
        stream.call.cancel()
        call.cancel()


async def test_an_unknown_place_gets_a_snapshot(running_server: Running) -> None:
    """A place of another epoch, or ahead of the table, is answered by a snapshot that says so."""
    seats = await at_a_table(running_server)
    place = (await seats[0].look()).place
    assert place is not None
    for wrong in (
        table_pb2.Place(epoch=place.epoch + 1, n=place.n, p=place.p),
        table_pb2.Place(epoch=place.epoch, n=place.n + 100, p=place.p),
        table_pb2.Place(epoch=-1, n=-1, p=-1),
    ):
        stream = PlayStream(seats[0].client)
        await stream.subscribe(seats[0].table, wrong)
        assert stream.stories[seats[0].table].snapshots == [table_pb2.SNAPSHOT_REASON_UNKNOWN_PLACE]


async def test_a_unary_answer_is_as_good_as_a_streamed_one(running_server: Running) -> None:
    """SubmitAction carries the action out once; its retries by call and by stream get the same version."""
    seats = await at_a_table(running_server)
    mover = await asked(seats)
    request = await mover.next_request(mover.seen)
    first = await mover.client.call(request)
    after = await view(mover.client, mover.table)
    assert first == await mover.client.call(request)
    retried = await PlayStream(mover.client).act(request)
    assert (retried.version, retried.HasField("error")) == (first.version, False)
    assert await view(mover.client, mover.table) == after


async def test_refused_actions_change_nothing(running_server: Running) -> None:
    """Every kind of refused action has its status with reason, rule and texts, by call and by stream alike."""
    seats = await at_a_table(running_server)
    mover = await asked(seats, state_pb2.QUESTION_KIND_LEAD)
    good = await mover.next_request(mover.seen)
    assert mover.seen.seat is not None
    idle = seats[(mover.seen.seat.seat + 1) % 6]
    stranger = await running_server.player("stranger")
    before = [await view(seat.client, seat.table) for seat in seats]

    def changed(**changes: Any) -> table_pb2.SubmitActionRequest:
        request = table_pb2.SubmitActionRequest(request_id=new_id())
        request.MergeFrom(table_pb2.SubmitActionRequest(table=good.table, decision=good.decision, action=good.action))
        for name, value in changes.items():
            if name == "action":
                request.action.CopyFrom(value)
            else:
                setattr(request, name, value)
        return request

    foreign = next(card for card in range(1, 55) if card not in mover.seen.seat.hand)
    cases: list[tuple[RawClient, table_pb2.SubmitActionRequest, grpc.StatusCode, str, str]] = [
        (mover.client, changed(request_id=""), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(request_id="a b"), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(0)), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(99)), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_PLAY)), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_PLAY, [0])), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_PLAY, [55])), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_PLAY, [1] * 217)), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_PLAY, [1, 2])), CODE.INVALID_ARGUMENT, "NOT_A_PLAY", "R10"),
        (mover.client, changed(action=action(state_pb2.VERB_PASS, [1])), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_PASS, suit=1)), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_SHOW)), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(action=action(state_pb2.VERB_PASS)), CODE.FAILED_PRECONDITION, "", "R20"),
        (mover.client, changed(action=action(state_pb2.VERB_PLAY, [foreign])), CODE.FAILED_PRECONDITION, "", ""),
        (mover.client, changed(decision=0), CODE.INVALID_ARGUMENT, "", ""),
        (mover.client, changed(decision=1), CODE.ABORTED, "STALE_DECISION", ""),
        (mover.client, changed(decision=good.decision + 1), CODE.ABORTED, "STALE_DECISION", ""),
        (mover.client, changed(expected_version=1), CODE.ABORTED, "STALE_VERSION", ""),
        (mover.client, changed(expected_version=-1), CODE.INVALID_ARGUMENT, "BAD_REQUEST", ""),
        (mover.client, changed(decision=-1), CODE.INVALID_ARGUMENT, "BAD_REQUEST", ""),
        (mover.client, changed(table="tables/aaaaaaaaaaaaaaaa"), CODE.NOT_FOUND, "TABLE_NOT_FOUND", ""),
        (idle.client, changed(), CODE.FAILED_PRECONDITION, "", ""),
        (stranger, changed(), CODE.PERMISSION_DENIED, "NOT_SEATED", ""),
    ]
    streams = {client.account: PlayStream(client) for client in (mover.client, idle.client, stranger)}
    for client, request, code, reason, rule in cases:
        failed = await refusal(client.call(request))
        assert failed.code is code, (request, failed)
        assert failed.domain == "gouji"
        assert set(failed.texts) == {"en-US", "zh-CN"}
        assert failed.reason.isupper()
        if reason:
            assert failed.reason == reason
        if rule:
            assert failed.metadata["rule"] == rule
        if code is CODE.INVALID_ARGUMENT and not rule:
            assert failed.fields, request
        stream = streams[client.account]
        if request.request_id:
            error = (await stream.act(request)).error
        else:
            await stream.send(act=request)
            while not stream.unnamed:
                await stream.read()
            error = stream.unnamed.pop().error
        assert (error.code, error.reason, error.text.en) == (code.value[0], failed.reason, failed.texts["en-US"])
    assert [await view(seat.client, seat.table) for seat in seats] == before
    await mover.client.call(good)


async def test_a_request_id_is_for_one_body(running_server: Running) -> None:
    """The id of an accepted action with another body is ALREADY_EXISTS; with the same body it is the same answer."""
    seats = await at_a_table(running_server)
    mover = await asked(seats)
    request = await mover.next_request(mover.seen)
    await mover.client.call(request)
    other = table_pb2.SubmitActionRequest()
    other.CopyFrom(request)
    other.decision += 1
    failed = await refusal(mover.client.call(other))
    assert (failed.code, failed.reason) == (CODE.ALREADY_EXISTS, "REQUEST_ID_USED")


async def test_checking_agrees_with_playing_and_changes_nothing(running_server: Running) -> None:
    """CheckPlay says beforehand what SubmitAction answers, with the rule broken, and leaves the table alone."""
    seats = await at_a_table(running_server)
    for _ in range(25):
        mover = await asked(seats)
        good = await mover.next_request(mover.seen)
        before = await view(mover.client, mover.table)
        for tried in (good.action, action(state_pb2.VERB_PASS), action(state_pb2.VERB_PLAY, [54] * 5)):
            checked = await mover.client.call(table_pb2.CheckPlayRequest(table=mover.table, action=tried))
            assert checked.accepted != checked.HasField("error")
            if not checked.accepted:
                request = table_pb2.SubmitActionRequest(
                    request_id=new_id(), table=mover.table, decision=good.decision, action=tried
                )
                failed = await refusal(mover.client.call(request))
                assert checked.error.code == failed.code.value[0]
                assert (checked.error.reason, checked.error.rule) == (failed.reason, failed.metadata.get("rule", ""))
            if tried.verb in (state_pb2.VERB_PLAY, state_pb2.VERB_BURN):
                play = checked.play
                assert play.naturals + play.twos + play.small_jokers + play.big_jokers == len(tried.cards)
        assert (await mover.client.call(table_pb2.CheckPlayRequest(table=mover.table, action=good.action))).accepted
        assert await view(mover.client, mover.table) == before
        await mover.client.call(good)


async def test_a_check_of_bad_shape_is_refused(running_server: Running) -> None:
    """An action that is none cannot be checked: INVALID_ARGUMENT with the field named."""
    seats = await at_a_table(running_server)
    request = table_pb2.CheckPlayRequest(table=seats[0].table, action=action(state_pb2.VERB_PLAY))
    failed = await refusal(seats[0].client.call(request))
    assert failed.code is CODE.INVALID_ARGUMENT
    assert failed.fields


async def test_legal_plays_come_in_pages(running_server: Running) -> None:
    """Pages of any size put together are the whole list, and say how long it is."""
    seats = await at_a_table(running_server)
    mover = await asked(seats, state_pb2.QUESTION_KIND_LEAD)

    async def page(size: int, token: str = "") -> table_pb2.ListLegalPlaysResponse:
        request = table_pb2.ListLegalPlaysRequest(table=mover.table, page_size=size, page_token=token)
        answer: table_pb2.ListLegalPlaysResponse = await mover.client.call(request)
        return answer

    async def all_pages(size: int) -> list[table_pb2.ListLegalPlaysResponse]:
        pages = [await page(size)]
        while pages[-1].next_page_token:
            pages.append(await page(size, pages[-1].next_page_token))
        return pages

    small, large = await all_pages(29), await all_pages(500)
    plays = [play for one in large for play in one.plays]
    assert [play for one in small for play in one.plays] == plays
    assert {one.total_size for one in small + large} == {len(plays)}
    assert {one.decision for one in small} == {mover.seen.decision}
    assert {len(one.plays) for one in small[:-1]} == {29}
    assert len((await page(0)).plays) == min(100, len(plays))

    for size in (-1, 501):
        failed = await refusal(page(size))
        assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, ("page_size",))
    for token in ("x", "e30=", small[0].next_page_token + "A", "\u00e9", "9" * 999):
        failed = await refusal(page(29, token))
        assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, ("page_token",))
    await move(mover)
    failed = await refusal(page(29, small[0].next_page_token))
    assert failed.code is CODE.ABORTED


async def test_only_seats_ask_about_plays(running_server: Running) -> None:
    """Legal plays and checks are for seats: a spectator is refused, and so is everyone at a table that is not there."""
    seats = await at_a_table(running_server)
    stranger = await running_server.player("stranger")
    for table, code in ((seats[0].table, CODE.PERMISSION_DENIED), ("tables/aaaaaaaaaaaaaaaa", CODE.NOT_FOUND)):
        for request in (
            table_pb2.ListLegalPlaysRequest(table=table),
            table_pb2.CheckPlayRequest(table=table, action=action(state_pb2.VERB_PASS)),
        ):
            assert (await refusal(stranger.call(request))).code is code


async def test_who_is_not_asked_sees_no_plays(running_server: Running) -> None:
    """A seat that is not asked has no verbs and no plays open, and learns the number of the question all the same."""
    seats = await at_a_table(running_server)
    mover = await asked(seats, state_pb2.QUESTION_KIND_LEAD)
    assert mover.seen.seat is not None
    idle = seats[(mover.seen.seat.seat + 1) % 6]
    answer = await idle.client.call(table_pb2.ListLegalPlaysRequest(table=idle.table))
    assert answer == table_pb2.ListLegalPlaysResponse(decision=mover.seen.decision)


async def test_a_view_is_what_a_new_stream_is_told(running_server: Running) -> None:
    """GetView equals the snapshot of a fresh subscription, for a seat and for a spectator, but for its reason."""
    seats = await at_a_table(running_server)
    for _ in range(10):
        mover = await asked(seats)
        await move(mover)
    for client in (seats[0].client, await running_server.player("spectator")):
        call = client.watch(seats[0].table)
        told = (await call.read()).updates[0]
        seen = await view(client, seats[0].table)
        assert seen.snapshot.reason == table_pb2.SNAPSHOT_REASON_REQUESTED
        seen.snapshot.reason = told.snapshot.reason
        assert seen == told
        assert seen.HasField("seat") == (client is seats[0].client)


async def test_a_table_without_spectators(running_server: Running) -> None:
    """Where nobody may watch, a stranger is refused by every way of watching, and a seat is not."""
    seats = await at_a_table(running_server, no_spectators=True)
    table = seats[0].table
    stranger = await running_server.player("stranger")
    watch = stranger.watch(table)
    for failed in (await refusal(view(stranger, table)), await refusal(watch.read())):
        assert (failed.code, failed.reason) == (CODE.PERMISSION_DENIED, "NO_SPECTATORS")
    result = await PlayStream(stranger).subscribe(table)
    assert result.error.code == CODE.PERMISSION_DENIED.value[0]
    await view(seats[0].client, table)


@pytest.mark.parametrize(
    "request_",
    [
        table_pb2.SubmitActionRequest(),
        table_pb2.GetViewRequest(table="x"),
        table_pb2.ListLegalPlaysRequest(table="tables/"),
        table_pb2.CheckPlayRequest(table="accounts/a"),
    ],
    ids=lambda request: type(request).__name__,
)
async def test_a_table_has_a_name(running_server: Running, request_: Any) -> None:
    """What is no table's name at all is INVALID_ARGUMENT with the field named."""
    failed = await refusal((await running_server.player()).call(request_))
    assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, ("table",))


async def test_watching_needs_a_name(running_server: Running) -> None:
    """WatchTable names the field as the unary calls do."""
    client = await running_server.player()
    call = client.watch("x")
    failed = await refusal(call.read())
    assert (failed.code, failed.fields) == (CODE.INVALID_ARGUMENT, ("table",))


async def test_built_in_bots_play(running_server: Running) -> None:
    """Five built-in bots and a person play a match to its end."""
    person = await running_server.player()
    table = (await person.call(lobby_pb2.CreateTableRequest(request_id=new_id(), deals=1))).table.name
    for _ in range(5):
        await person.call(lobby_pb2.AddBotRequest(request_id=new_id(), name=table))
    await person.call(lobby_pb2.SetReadyRequest(request_id=new_id(), name=table, ready=True))
    seat = Seat(person, table, seed=1)
    await seat.follow()
    playing = asyncio.create_task(seat.play())
    while not playing.done():
        running_server.clock.advance(0)
        await asyncio.sleep(0)
    await playing
    assert seat.story.closed


async def test_streams_of_an_account_are_bounded(start_server: Callable[..., Running]) -> None:
    """Past the limit a stream is refused and those open go on; when one ends there is room again."""
    async with start_server(max_streams_per_account=2) as running:
        owner = await running.player("owner")
        table = await seated(owner, [])
        streams = [PlayStream(owner) for _ in range(2)]
        for stream in streams:
            await stream.subscribe(table)
        watch = owner.watch(table)
        failed = await refusal(watch.read())
        assert (failed.code, failed.reason) == (CODE.RESOURCE_EXHAUSTED, "TOO_MANY_STREAMS")
        other = await running.player("other")
        await PlayStream(other).subscribe(table)
        await streams[0].send(unsubscribe=table_pb2.Unsubscribe(request_id=new_id(), table=table))
        await streams[0].call.done_writing()
        assert await streams[0].end() is CODE.OK
        await PlayStream(owner).subscribe(table)


async def test_the_server_holds_so_many_streams(start_server: Callable[..., Running]) -> None:
    """When the server is full a new stream is refused with a time to come back."""
    async with start_server(max_streams=1) as running:
        one, two = await running.player(), await running.player()
        table = await seated(one, [])
        await PlayStream(one).subscribe(table)
        failed = await refusal(PlayStream(two).read())
        assert (failed.code, failed.reason) == (CODE.RESOURCE_EXHAUSTED, "SERVER_FULL")
        assert failed.retry
