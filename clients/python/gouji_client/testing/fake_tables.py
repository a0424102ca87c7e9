"""The fake server's table service: streams and calls about its tables."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

import grpc

import gouji_rules as gr
from gouji.table.v1 import state_pb2, table_pb2
from gouji_client.testing import faults
from gouji_client.testing.following import Following, StreamEnds, Troubles, broken, draining
from gouji_client.testing.refusals import Refusal, stale, too_many_calls, unauthenticated
from gouji_client.testing.told import play_message
from gouji_rules import actions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from gouji_client.testing.fake_session import FakeAccounts
    from gouji_client.testing.fake_table import FakeTable
    from gouji_client.testing.hall import Hall

_Asked: TypeAlias = (
    table_pb2.AskCountRequest
    | table_pb2.FeelRequest
    | table_pb2.VoteDissolutionRequest
    | table_pb2.SetAutopilotRequest
    | table_pb2.SetAutoDeclineRequest
)
_Told = TypeVar(
    "_Told",
    table_pb2.AskCountResponse,
    table_pb2.FeelResponse,
    table_pb2.VoteDissolutionResponse,
    table_pb2.SetAutopilotResponse,
    table_pb2.SetAutoDeclineResponse,
)

_PLAIN = {
    gr.verb_of(action): action
    for action in (
        *(gr.PASS, gr.YIELD, gr.WIND, gr.DECLINE, gr.NO, gr.REVOLT, gr.KEEP_HEAD, gr.DROP_HEAD),
        *(actions.CALL_OPEN, actions.CALL_BLIND, actions.REFUSE, actions.ACCEPT, actions.WAIVE, actions.SWAP),
    )
}


def action_of(message: table_pb2.Action) -> tuple[gr.Action, tuple[gr.Card, ...] | None]:
    """Return an action and its real cards (None if it takes none). Raises `Refusal`."""
    try:
        verb = gr.Verb(message.verb)
        if verb in actions.WITH_CARDS:
            cards = tuple(gr.Card(card) for card in message.cards)
            return gr.Action(verb << actions.VERB_SHIFT | gr.play_of_cards(cards)), cards
        if message.cards:
            raise ValueError(f"{verb.name} takes no cards")
        if verb == gr.Verb.SHOW:
            return gr.show_action(message.suit - 1), None
        return _PLAIN[verb], None
    except gr.RuleViolation as error:
        raise Refusal.by_rule(error) from error
    except (ValueError, KeyError) as error:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "BAD_ACTION", f"no such action: {error}", "无此动作") from error


class FakeTables:
    """Serves the tables. `wake_all` has every stream look for news. Faults happen at the first table alone."""

    def __init__(self, accounts: FakeAccounts, hall: Hall, troubles: Troubles, heartbeat: float | None) -> None:
        self._accounts = accounts
        self._hall = hall
        self._troubles = troubles
        self._heartbeat = heartbeat
        self._streams: set[_Stream] = set()
        self._done: dict[tuple[str, str], tuple[bytes, int]] = {}
        self._said: dict[tuple[str, str, str], tuple[bytes, object]] = {}
        self._busy: dict[int, list[faults.Busy]] = {}
        self.streams_opened = 0
        """How many Play and WatchTable streams were opened."""
        self.renewals = 0
        """How often a token was renewed on a stream."""

    def wake_all(self) -> None:
        """Have every stream look for news."""
        for stream in self._streams:
            stream.wake.set()

    def end_all(self) -> None:
        """Break every stream: the server stops."""
        for stream in self._streams:
            stream.ends = True
            stream.wake.set()

    # ── streams ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def play(
        self, requests: AsyncIterator[table_pb2.PlayRequest], token: str
    ) -> AsyncIterator[table_pb2.PlayResponse]:
        """See `TableService.Play`."""
        stream = self._open(token)
        reader = asyncio.create_task(self._read(requests, stream))
        try:
            async for updates, results in self._tell(stream):
                beat = None if updates or results else table_pb2.Heartbeat()
                yield table_pb2.PlayResponse(updates=updates, results=results, heartbeat=beat)
        finally:
            reader.cancel()
            self._streams.discard(stream)

    async def watch_table(
        self, request: table_pb2.WatchTableRequest, token: str
    ) -> AsyncIterator[table_pb2.WatchTableResponse]:
        """See `TableService.WatchTable`."""
        stream = self._open(token)
        after = request.after if request.HasField("after") else None
        stream.follow(request.table, self._following(stream, request.table, request.join_code, after))
        try:
            async for updates, _ in self._tell(stream):
                beat = None if updates else table_pb2.Heartbeat()
                yield table_pb2.WatchTableResponse(updates=updates, heartbeat=beat)
                if any(event.HasField("table_closed") for update in updates for event in update.events):
                    return
        finally:
            self._streams.discard(stream)

    def _open(self, token: str) -> _Stream:
        account = self._accounts.account_of(token)
        if self._troubles.refusals > 0:
            self._troubles.refusals -= 1
            raise draining(self._troubles.retry_after)
        self.streams_opened += 1
        stream = _Stream(account.name, token)
        self._streams.add(stream)
        return stream

    def _following(self, stream: _Stream, name: str, code: str, after: table_pb2.Place | None) -> Following:
        table = self._hall.shown(name, stream.account, code)
        if table.seat_of(stream.account) is None and not table.info.spectators_allowed:
            text = "this table may not be watched"
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "NO_SPECTATORS", text, "这张桌子不许旁观")
        troubles = self._troubles if table is self._hall.first else Troubles(faults.FaultScript(()), asyncio.sleep)
        return Following(table, stream.account, after, troubles, self._accounts)

    async def _tell(
        self, stream: _Stream
    ) -> AsyncIterator[tuple[list[table_pb2.TableUpdate], list[table_pb2.CommandResult]]]:
        """Yield what a stream is to be sent, message by message; nothing twice means a heartbeat is due."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(stream.wake.wait(), self._heartbeat)
            woken = stream.wake.is_set()
            stream.wake.clear()
            if stream.failure is not None:
                raise stream.failure
            if stream.ends:
                raise broken()
            if self._accounts.expires(stream.token) == 0.0:
                raise unauthenticated()
            try:
                for following in list(stream.followings.values()):
                    async for update in following.updates():
                        yield [update], []
            except StreamEnds:
                return
            results, stream.results = stream.results, []
            if results or not woken:
                yield [], results

    async def _read(self, requests: AsyncIterator[table_pb2.PlayRequest], stream: _Stream) -> None:
        try:
            await self._read_all(requests, stream)
        except Exception as error:  # noqa: BLE001 - a fault of this server itself: the stream ends with it
            stream.failure = error
            stream.wake.set()

    async def _read_all(self, requests: AsyncIterator[table_pb2.PlayRequest], stream: _Stream) -> None:
        async for request in requests:
            command = getattr(request, request.WhichOneof("command") or "act")
            try:
                version = self._carry_out(request, stream)
            except Refusal as refusal:
                stream.results.append(
                    table_pb2.CommandResult(request_id=command.request_id, error=refusal.command_error())
                )
            else:
                stream.results.append(table_pb2.CommandResult(request_id=command.request_id, version=version))
            stream.wake.set()

    def _carry_out(self, request: table_pb2.PlayRequest, stream: _Stream) -> int:
        """Carry a command of a stream out and return its version. Raises `Refusal`."""
        if request.HasField("subscribe"):
            said = request.subscribe
            after = said.after if said.HasField("after") else None
            stream.follow(said.table, self._following(stream, said.table, said.join_code, after))
            return self._hall.get(said.table).n
        if request.HasField("unsubscribe"):
            stream.followings.pop(request.unsubscribe.table, None)
            return self._hall.get(request.unsubscribe.table).n
        if request.HasField("renew"):
            if self._accounts.account_of(request.renew.access_token).name != stream.account:
                raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "OTHER_ACCOUNT", "another account's token", "他人令牌")
            stream.token = request.renew.access_token
            self.renewals += 1
            return 0
        return self._act(request.act, stream.account, stream)

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def submit_action(self, request: table_pb2.SubmitActionRequest, token: str) -> table_pb2.SubmitActionResponse:
        """See `TableService.SubmitAction`."""
        account = self._accounts.account_of(token)
        return table_pb2.SubmitActionResponse(version=self._act(request, account.name, None))

    async def get_view(self, request: table_pb2.GetViewRequest, token: str) -> table_pb2.GetViewResponse:
        """See `TableService.GetView`."""
        account = self._accounts.account_of(token)
        table = self._hall.shown(request.table, account.name, request.join_code)
        seat = table.seat_of(account.name)
        if seat is None and not table.info.spectators_allowed:
            text = "this table may not be watched"
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "NO_SPECTATORS", text, "这张桌子不许旁观")
        view = table.steps[-1].snapshot_for(seat, table_pb2.SNAPSHOT_REASON_REQUESTED)
        return table_pb2.GetViewResponse(view=view)

    async def list_legal_plays(
        self, request: table_pb2.ListLegalPlaysRequest, token: str
    ) -> table_pb2.ListLegalPlaysResponse:
        """See `TableService.ListLegalPlays`."""
        table, _ = self._seat(token, request.table)
        if table.deal is None or table.over:
            return table_pb2.ListLegalPlaysResponse()
        table, view = self._seat_view(token, request.table)
        try:
            legal = view.legal_actions()
        except gr.RuleViolation as error:
            raise Refusal.by_rule(error) from error
        plays: Sequence[gr.Action] = legal.plays
        begin = int(request.page_token or 0)
        end = begin + (request.page_size or 100)
        verbs = sorted({*map(gr.verb_of, legal.plain), *(map(gr.verb_of, plays[:1]))})
        return table_pb2.ListLegalPlaysResponse(
            verbs=[state_pb2.Verb.ValueType(verb) for verb in verbs],
            plays=[
                play_message(gr.play_of(action), gouji=gr.is_gouji(view.rules, gr.play_of(action)))
                for action in plays[begin:end]
            ],
            next_page_token=str(end) if end < len(plays) else "",
            decision=table.decision,
            total_size=len(plays),
        )

    async def check_play(self, request: table_pb2.CheckPlayRequest, token: str) -> table_pb2.CheckPlayResponse:
        """See `TableService.CheckPlay`."""
        _, view = self._seat_view(token, request.table)
        try:
            action, _ = action_of(request.action)
            view.check(action)
        except gr.RuleViolation as error:
            return table_pb2.CheckPlayResponse(error=Refusal.by_rule(error).command_error())
        except Refusal as refusal:
            return table_pb2.CheckPlayResponse(error=refusal.command_error())
        return table_pb2.CheckPlayResponse(accepted=True)

    async def ask_count(self, request: table_pb2.AskCountRequest, token: str) -> table_pb2.AskCountResponse:
        """See `TableService.AskCount`."""
        table, asker = self._seat(token, request.table)

        def ask() -> table_pb2.AskCountResponse:
            version, count = table.ask_count(asker, request.seat)
            return table_pb2.AskCountResponse(version=version, count=count)

        return self._once(token, request, ask)

    async def feel(self, request: table_pb2.FeelRequest, token: str) -> table_pb2.FeelResponse:
        """See `TableService.Feel`."""
        table, seat = self._seat(token, request.table)

        def feel() -> table_pb2.FeelResponse:
            version, felt = table.feel(seat)
            return table_pb2.FeelResponse(version=version, felt=felt)

        return self._once(token, request, feel)

    async def contribute_entropy(
        self, request: table_pb2.ContributeEntropyRequest, token: str
    ) -> table_pb2.ContributeEntropyResponse:
        """See `TableService.ContributeEntropy`: deals come of the seed alone here, so none is promised."""
        self._seat_view(token, request.table)
        text = "no such deal is promised: it has begun, or its time has not come"
        raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "NO_PROMISE", text, "没有承诺这一盘", rule="R3")

    def _once(self, token: str, request: _Asked, ask: Callable[[], _Told]) -> _Told:
        """Answer a request id as the first time, or ask. Raises `Refusal` for another body under a known id."""
        key = (self._accounts.account_of(token).name, type(request).__name__, request.request_id)
        if key not in self._said:
            self._said[key] = (_body(request), ask())
        known, answer = self._said[key]
        if known != _body(request):
            raise _used()
        return cast("_Told", answer)

    async def vote_dissolution(
        self, request: table_pb2.VoteDissolutionRequest, token: str
    ) -> table_pb2.VoteDissolutionResponse:
        """See `TableService.VoteDissolution`."""
        table, seat = self._seat(token, request.table)

        def vote() -> table_pb2.VoteDissolutionResponse:
            version = table.vote_dissolution(seat, agrees=request.agrees)
            return table_pb2.VoteDissolutionResponse(version=version)

        return self._once(token, request, vote)

    async def set_autopilot(self, request: table_pb2.SetAutopilotRequest, token: str) -> table_pb2.SetAutopilotResponse:
        """See `TableService.SetAutopilot`. Here the bot answers at once."""
        table, seat = self._seat(token, request.table)

        def pilot() -> table_pb2.SetAutopilotResponse:
            return table_pb2.SetAutopilotResponse(version=table.set_autopilot(seat, on=request.on))

        return self._once(token, request, pilot)

    async def set_auto_decline(
        self, request: table_pb2.SetAutoDeclineRequest, token: str
    ) -> table_pb2.SetAutoDeclineResponse:
        """See `TableService.SetAutoDecline`. Here the server declines at once."""
        table, seat = self._seat(token, request.table)

        def decline() -> table_pb2.SetAutoDeclineResponse:
            version = table.set_auto_decline(seat, on=request.on, always=request.always)
            return table_pb2.SetAutoDeclineResponse(version=version)

        return self._once(token, request, decline)

    # ── acting ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _act(self, request: table_pb2.SubmitActionRequest, account: str, stream: _Stream | None) -> int:
        table = self._hall.shown(request.table, account)
        seat = table.seat_of(account)
        if seat is None:
            raise _not_seated()
        key, body = (account, request.request_id), _body(request)
        if key in self._done:
            known, version = self._done[key]
            if known != body:
                raise _used()
            return version
        fault = self._fault_of_answer(seat, request.decision) if table is self._hall.first else None
        action, cards = action_of(request.action)
        version = table.answer(seat, request.decision, action, cards)
        self._done[key] = (body, version)
        if isinstance(fault, faults.LoseResult) and stream is not None:
            stream.ends = True
        return version

    def _fault_of_answer(self, seat: int, decision: int) -> faults.AnswerFault | None:
        """Return the fault that happens to an answer after it is carried out; raise those that happen before."""
        table = self._hall.first
        if decision != table.decision:
            return None
        fault = self._troubles.script.due_to_answer(seat, table.n)
        if isinstance(fault, faults.Busy):
            self._busy[seat] = [fault] * fault.times
        if busy := self._busy.get(seat):
            if wait := busy.pop().retry_after:
                raise too_many_calls(wait)
            raise Refusal(grpc.StatusCode.UNAVAILABLE, "NOT_DURABLE", "try again with the same request id", "请重试")
        if isinstance(fault, faults.StaleDecision):
            table.default(seat)
            raise stale()
        return fault

    def _seat(self, token: str, name: str) -> tuple[FakeTable, int]:
        """Return a table and the caller's seat there. Raises `Refusal`."""
        account = self._accounts.account_of(token).name
        table = self._hall.shown(name, account)
        seat = table.seat_of(account)
        if seat is None:
            raise _not_seated()
        return table, seat

    def _seat_view(self, token: str, name: str) -> tuple[FakeTable, gr.SeatView]:
        """Return a table and what the caller's seat sees there. Raises `Refusal`."""
        table, seat = self._seat(token, name)
        if table.deal is None:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_NOT_STARTED", "no deal runs", "牌局尚未开始")
        return table, table.deal.view(seat)


class _Stream:
    """One open stream. `ends`: it breaks, whatever was still to be told on it."""

    def __init__(self, account: str, token: str) -> None:
        self.account = account
        self.token = token
        self.wake = asyncio.Event()
        self.results: list[table_pb2.CommandResult] = []
        self.followings: dict[str, Following] = {}
        self.ends = False
        self.failure: Exception | None = None

    def follow(self, table: str, following: Following) -> None:
        """Read a table, from a place or anew."""
        self.followings[table] = following
        self.wake.set()


def _not_seated() -> Refusal:
    return Refusal(grpc.StatusCode.PERMISSION_DENIED, "NOT_SEATED", "you have no seat here", "你不在这张桌上")


def _used() -> Refusal:
    return Refusal(grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_USED", "used with another body", "请求号已用过")


def _body(request: table_pb2.SubmitActionRequest | _Asked) -> bytes:
    """Return what must be the same when a request id comes again."""
    body = type(request).FromString(request.SerializeToString())
    body.request_id = ""
    return body.SerializeToString(deterministic=True)
