"""One table, as its players and spectators use it."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc

import gouji_bots
import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import chat_pb2, table_pb2
from gouji_client import wire
from gouji_client.arguments import read_action, real_cards, seat_number, text_of, true_or_false, well_formed
from gouji_client.calls import new_request_id
from gouji_client.errors import GoujiError, Refused
from gouji_client.status import error_of_command
from gouji_client.talk import chat_request, scope_of
from gouji_client.view import felt_from_wire, view_of_snapshot

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from gouji.table.v1.table_pb2_grpc import TableServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.lobby import Lobby
    from gouji_client.session import Session
    from gouji_client.story import Update
    from gouji_client.stream import PlayStream
    from gouji_client.view import FeltHand, TableView


@dataclass(frozen=True, slots=True)
class LegalPlays:
    """What the server would accept from a seat: for which decision, which verbs, and which plays, weakest first."""

    decision: int
    verbs: tuple[gr.Verb, ...]
    plays: tuple[gr.Play, ...]


class Table:
    """A table: `updates()` to follow it, `act()` to play, `view` for what is known now. Made by `Client.table`."""

    def __init__(
        self,
        name: str,
        *,
        stub: TableServiceAsyncStub,
        session: Session,
        calls: Calls,
        stream: PlayStream,
        lobby: Lobby,
    ) -> None:
        self.name = name
        self._stub = stub
        self._session = session
        self._calls = calls
        self._stream = stream
        self._lobby = lobby

    @property
    def view(self) -> TableView:
        """The newest view of a table that is followed. Raises `GoujiError` if it is not, or nothing came in yet."""
        view = self._stream.newest_view(self.name)
        if view is None:
            raise GoujiError(f"nothing is known of {self.name} yet: iterate over its updates(), or await its follow()")
        return view

    @property
    def is_followed(self) -> bool:
        """Whether there is a `view`."""
        return self._stream.newest_view(self.name) is not None

    async def updates(self) -> AsyncGenerator[Update, None]:
        """Follow the table: `async for update in table.updates()`.

        The first update starts from the table as it is; then every step comes once, in order and without a gap, over
        lost connections and server restarts, but for a few marked `restart`: there the server, or this reader, was too
        far behind and starts anew from a snapshot. The iteration ends when the table is closed. It raises `Refused` if
        the table cannot be followed, `ServerUnreachable` when the server does not come back, `SignInFailed`,
        `ProtocolBroken`. Leaving the loop leaves the table followed: `unfollow()` stops that.
        """
        story = self._stream.follow(self.name)
        feed = story.open_feed()
        try:
            async for update in feed:
                yield update
        finally:
            story.close_feed(feed)

    async def follow(self) -> TableView:
        """Follow the table without iterating: keep `view` up to date from now on, and return it once there is one."""
        return await self.until(lambda view: True)

    def unfollow(self) -> None:
        """Stop following; iterations over the table end."""
        self._stream.leave(self.name)

    async def until(self, condition: Callable[[TableView], bool]) -> TableView:
        """Wait until the table is as wanted and return that view: `await table.until(lambda view: view.asked)`.

        Raises `GoujiError` if the table is closed before it ever is, and whatever `updates()` raises.
        """
        async with aclosing(self.updates()) as updates:
            async for update in updates:
                if condition(update.view):
                    return update.view
        raise GoujiError(f"{self.name} was closed before it came to that")

    # ── playing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def act(
        self, action: gr.Action | str, cards: Sequence[gr.Card] | None = None, *, decision: int | None = None
    ) -> int:
        """Answer the open question and return the table's `n` after it.

        `action` may be written as in a record: `"play 5555"`, `"pass"`, `"burn ss7788"`. Without `cards` the real cards
        of the play are drawn at random from those held, so that their suits tell nothing. Without `decision` it
        answers the question of the newest view.

        Raises `Refused` with the rule that the action breaks, or when nothing is asked (any more); one that is `stale`
        says that the question had been answered already, by the clock or by an earlier try. Raises `BadInput` for what
        is no action, and for cards that are not those of the action.
        """
        self._stream.check_open()
        wanted = _read(action)
        if decision is None:
            decision = self._open_decision()
        message = self._action_message(wanted, cards)
        with well_formed("an action"):
            request = table_pb2.SubmitActionRequest(
                request_id=new_request_id(), table=self.name, decision=decision, action=message
            )
        return await self._stream.act(request)

    def _open_decision(self) -> int:
        """Return the number of the open question; raise what the server says where there is none."""
        view = self.view
        if view.info.state == lobby_pb2.TABLE_STATE_FROZEN:
            raise _not_now("TABLE_FROZEN", "the server stopped this table", "服务器已停止这张桌子")
        if view.over:
            raise _not_now("TABLE_CLOSED", "the match is over and the table is closed", "牌局已结束，牌桌已经关闭")
        if not view.decision and view.info.state == lobby_pb2.TABLE_STATE_WAITING:
            raise _not_now("MATCH_NOT_STARTED", "the match has not begun", "牌局尚未开始")
        if not view.decision:
            raise _not_now("NO_DEAL", "nothing is asked: no deal is running", "没有正在打的盘，无须回答")
        return view.decision

    async def get_view(self) -> TableView:
        """Ask the server for the table as it is now, without following it."""
        request = table_pb2.GetViewRequest(
            table=self.name,
            join_code=self._stream.join_codes.get(self.name, ""),
            share_link=self._stream.share_links.get(self.name, ""),
        )
        answer = await self._calls.signed(self._session, self._stub.GetView, request)
        return view_of_snapshot(answer.view)

    async def legal_plays(self) -> LegalPlays:
        """Ask the server what it would accept from this seat now. `view.to_seat_view().legal_actions()` asks nobody."""
        request = table_pb2.ListLegalPlaysRequest(table=self.name, page_size=500)
        plays: list[gr.Play] = []
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListLegalPlays, request)
            plays.extend(wire.play_from_wire(play) for play in answer.plays)
            if not answer.next_page_token:
                return LegalPlays(answer.decision, tuple(map(wire.verb_from_wire, answer.verbs)), tuple(plays))
            request.page_token = answer.next_page_token

    async def check(self, action: gr.Action | str, cards: Sequence[gr.Card] | None = None) -> None:
        """Ask the server whether it would accept an action now; raise the `Refused` that it would answer with."""
        message = self._action_message(_read(action), cards)
        request = table_pb2.CheckPlayRequest(table=self.name, action=message)
        answer = await self._calls.signed(self._session, self._stub.CheckPlay, request)
        if not answer.accepted:
            raise error_of_command(answer.error)

    async def ask_count(self, seat: int) -> int | None:
        """Ask a seat, in turn or out of it, how many cards it holds (R80); return the number, None for more than ten.

        All hear it, as a `count_told` event. Raises `Refused` where the rules have no such asking.
        """
        request = table_pb2.AskCountRequest(request_id=new_request_id(), table=self.name, seat=seat_number(seat))
        answer = await self._calls.signed(self._session, self._stub.AskCount, request)
        return answer.count if answer.HasField("count") else None

    async def feel(self) -> FeltHand:
        """Feel the opposite's hand, in turn or out of it (R82): how many cards it holds, in buckets of six.

        Nobody else learns it; that it was felt everybody does. `view.felt` holds it until the next deal. Raises
        `Refused` where the rules have no feeling, or when the chances of this deal are used up.
        """
        request = table_pb2.FeelRequest(request_id=new_request_id(), table=self.name)
        return felt_from_wire((await self._calls.signed(self._session, self._stub.Feel, request)).felt)

    async def vote_dissolution(self, *, agrees: bool = True) -> int:
        """Speak for ending the match, or against it (R17); return the table's `n` after it.

        It ends when all people at the table are for it. Built-in bots go with the people: where they hold the five
        other seats, this one vote ends the match at once.
        """
        said = true_or_false(agrees, "agrees")
        request = table_pb2.VoteDissolutionRequest(request_id=new_request_id(), table=self.name, agrees=said)
        return (await self._calls.signed(self._session, self._stub.VoteDissolution, request)).version

    async def set_autopilot(self, *, on: bool = True) -> int:
        """Have the server's built-in bot play one's seat, or take it back; return the table's `n` after it.

        The server does it by itself for who is away or lets the clock run out; `view.on_autopilot(seat)` tells.
        """
        said = true_or_false(on, "on")
        request = table_pb2.SetAutopilotRequest(request_id=new_request_id(), table=self.name, on=said)
        return (await self._calls.signed(self._session, self._stub.SetAutopilot, request)).version

    async def take_back(self) -> int:
        """Play one's seat oneself again, in the middle of a question too; return the table's `n` after it."""
        return await self.set_autopilot(on=False)

    async def set_auto_decline(self, *, on: bool = True, always: bool = False) -> int:
        """Have the server decline for one in the burn windows to come, or no longer; return the table's `n`.

        It lasts for this deal, or `always` for the match. Nobody else can tell; `view.auto_decline` does. A window that
        is open already is not touched, and one may still answer oneself before the server does.
        """
        request = table_pb2.SetAutoDeclineRequest(
            request_id=new_request_id(),
            table=self.name,
            on=true_or_false(on, "on"),
            always=true_or_false(always, "always"),
        )
        return (await self._calls.signed(self._session, self._stub.SetAutoDecline, request)).version

    async def grant_peek(self, ally: int, *, on: bool = True) -> int:
        """Let an ally look at one's hand as long as the rules allow it in this deal (挑牌, R81), or no longer.

        Returns the table's `n`. The ally finds the hand in its `view.peeked`; nobody else can tell. Raises `Refused`
        where the rules have no looking, or for an enemy's seat.
        """
        said = true_or_false(on, "on")
        request = table_pb2.GrantPeekRequest(
            request_id=new_request_id(), table=self.name, ally=seat_number(ally), on=said
        )
        return (await self._calls.signed(self._session, self._stub.GrantPeek, request)).version

    async def hint(self) -> table_pb2.GetHintResponse:
        """Ask what the server's bot `simple` would do in one's place: for which `decision`, and which `action`.

        Nobody else can tell. Raises `Refused` where nothing is asked of this seat, or the table gives no hints.
        """
        request = table_pb2.GetHintRequest(table=self.name)
        return await self._calls.signed(self._session, self._stub.GetHint, request)

    # ── talking ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def say(
        self,
        text: str = "",
        *,
        emote: str = "",
        phrase: str = "",
        scope: str = "table",
        at: int | None = None,
    ) -> chat_pb2.ChatMessage:
        """Say a line of text, an emote (`thumbs_up`, `egg` …) or a phrase, by its id; return it as others hear it.

        `scope` says who hears it: the `table`, one's `team` (where the table allows it), or `spectators`, for people
        without a seat. `at` is the seat at which an emote is thrown. Raises `Refused`, `BadInput`.
        """
        code = self._stream.join_codes.get(self.name, "")
        with well_formed("what is said"):
            request = chat_request(self.name, text, emote, phrase, scope, at, code)
        return (await self._calls.signed(self._session, self._stub.SendChat, request)).message

    async def messages(self, scope: str = "table") -> list[chat_pb2.ChatMessage]:
        """Return what was said lately in a scope, the oldest first, as far as one may hear it."""
        found: list[chat_pb2.ChatMessage] = []
        code = self._stream.join_codes.get(self.name, "")
        request = chat_pb2.ListChatMessagesRequest(table=self.name, scope=scope_of(scope), join_code=code)
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListChatMessages, request)
            found.extend(answer.messages)
            if not answer.next_page_token:
                return found[::-1]
            request.page_token = answer.next_page_token

    async def listen(self) -> AsyncGenerator[chat_pb2.ChatMessage, None]:
        """Hear what is said at the table: `async for message in table.listen()`. It does not end by itself.

        The table is followed from then on; where it was not before, the last things said come first.
        """
        self._stream.follow(self.name)
        async with aclosing(self._stream.ears.listen(self.name)) as heard:
            async for message in heard:
                yield message

    async def phrases(self) -> list[chat_pb2.Phrase]:
        """Return the quick phrases, in both languages."""
        request = chat_pb2.ListPhrasesRequest(page_size=100)
        answer = await self._calls.signed(self._session, self._stub.ListPhrases, request)
        return list(answer.phrases)

    async def report(self, message: chat_pb2.ChatMessage, reason: str = "") -> None:
        """Report something said to the server's operator, who gets it with what was said around it."""
        code = self._stream.join_codes.get(self.name, "")
        request = chat_pb2.ReportMessageRequest(
            table=self.name,
            scope=message.scope,
            message=message.id,
            reason=text_of(reason, "a reason"),
            join_code=code,
        )
        await self._calls.signed(self._session, self._stub.ReportMessage, request)

    async def set_ready(self, *, ready: bool = True) -> None:
        """Say that one is ready. When six seats are taken and ready the match begins at once."""
        await self._lobby.set_ready(self.name, ready=ready)

    def _action_message(self, action: gr.Action, cards: Sequence[gr.Card] | None) -> table_pb2.Action:
        try:
            if cards is None:
                cards = gouji_bots.choose_cards(self._own_hand(), action, self._calls.rng)
            return wire.action_to_wire(action, real_cards(cards))
        except gr.RuleViolation as error:
            raise _refused_by_rule(error) from error

    def _own_hand(self) -> tuple[gr.Card, ...]:
        view = self.view
        if view.seat is None:
            text = "you have no seat at this table"
            raise Refused(grpc.StatusCode.PERMISSION_DENIED, "NOT_SEATED", text_en=text, text_zh="你不在这张桌上")
        return view.hand


def _read(action: gr.Action | str) -> gr.Action:
    try:
        return read_action(action)
    except gr.RuleViolation as error:
        raise _refused_by_rule(error) from error


def _not_now(reason: str, text_en: str, text_zh: str) -> Refused:
    return Refused(grpc.StatusCode.FAILED_PRECONDITION, reason, text_en=text_en, text_zh=text_zh)


def _refused_by_rule(error: gr.RuleViolation) -> Refused:
    """Return what the server would answer to an action that breaks a rule."""
    return Refused(
        grpc.StatusCode.FAILED_PRECONDITION,
        error.code,
        rule=error.rule,
        text_en=error.text_en,
        text_zh=error.text_zh,
    )
