"""A table, as the API speaks to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from gouji.lobby.v1 import lobby_pb2
from gouji.table.v1 import table_pb2
from gouji_server.tables import (
    deciding,
    deciding_absence,
    deciding_lobby,
    deciding_peek,
    grants,
    hinting,
    refusals,
    seat_queries,
)
from gouji_server.tables.messages import Change, Look, Move
from gouji_server.tables.promise import decide_entropy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gouji.table.v1 import chat_pb2
    from gouji_server.tables import inputs
    from gouji_server.tables.actor import Actor
    from gouji_server.tables.deciding import Caller
    from gouji_server.tables.grants import Grant
    from gouji_server.tables.outbox import Outbox
    from gouji_server.tables.registry import Tables
    from gouji_server.tables.requests import Answer
    from gouji_server.tables.story import Story
    from gouji_server.tables.table import TableState

T = TypeVar("T")

REASON_REQUESTED = table_pb2.SNAPSHOT_REASON_REQUESTED


class TableHandle:
    """See the module. It may be kept: a table that sleeps is woken by the next call. Every method raises Refused."""

    __slots__ = ("_tables", "name")

    def __init__(self, tables: Tables, name: str) -> None:
        self._tables = tables
        self.name = name

    # ── the lobby ──

    async def shown(self, caller: Caller, code: str = "", grant: Grant | None = None) -> lobby_pb2.Table:
        """Return the lobby facts, not to be changed, to who may know them: a private table wants a seat, its code, or
        a share link."""
        listed = self._tables.shown(self.name, caller.account)
        if listed is not None and not listed.private:
            awake = self._tables.actor_awake(self.name)
            if awake is not None:
                awake.heard(caller.account)
            return listed
        actor = self._tables.actor(self.name)

        def read(story: Story) -> lobby_pb2.Table:
            _check_admitted(story.state, caller, code, grant)
            return actor.followers.info(story, caller.account)

        return await self._look(caller, read)

    async def info(self) -> lobby_pb2.Table:
        """Return the lobby facts; shared, so not to be changed."""
        listed = self._tables.listed(self.name)
        return listed if listed is not None else await self._look(None, lambda story: story.state.info())

    async def join(
        self, caller: Caller, seat: int | None, request_id: str, code: str = ""
    ) -> tuple[lobby_pb2.Table, int]:
        """Take a seat (None: the lowest free one); return table and seat. A private table wants its join code."""
        return await self._change(
            caller, lambda state, now: deciding.decide_join(state, caller, seat, request_id, now, code)
        )

    async def joined(self, caller: Caller, request_id: str) -> tuple[lobby_pb2.Table, int] | None:
        """Return what the caller was answered when it took any seat under a request id, None if it did not."""

        def read(story: Story) -> tuple[lobby_pb2.Table, int] | None:
            known = deciding.known_join(story.state, caller, request_id)
            return None if known is None else (lobby_pb2.Table.FromString(known.table), known.seat)

        return await self._look(caller, read)

    async def join_code(self, caller: Caller) -> str:
        """Return a private table's join code, to its owner and to who sits there."""
        return await self._look(caller, lambda story: deciding_lobby.join_code(story.state, caller.account))

    async def reset_join_code(self, caller: Caller, request_id: str) -> str:
        """Have another join code drawn for the caller's table; return it."""
        drawn = self._tables.new_code()
        answer = await self._said(
            caller, lambda state, now: deciding_lobby.decide_reset_code(state, caller, drawn, request_id, now)
        )
        return answer.code

    async def leave(self, caller: Caller, request_id: str) -> lobby_pb2.Table:
        """Give the seat up."""
        table, _ = await self._change(caller, lambda state, now: deciding.decide_leave(state, caller, request_id, now))
        return table

    async def set_ready(self, caller: Caller, ready: bool, request_id: str) -> lobby_pb2.Table:
        """Be ready, or not any more."""
        table, _ = await self._change(
            caller, lambda state, now: deciding.decide_ready(state, caller, ready, request_id, now)
        )
        return table

    async def add_bot(
        self, caller: Caller, policy: str, seat: int | None, request_id: str
    ) -> tuple[lobby_pb2.Table, int]:
        """Seat a built-in bot (seat None: the lowest free one); return the table and the seat."""
        policies = self._tables.policies
        return await self._change(
            caller, lambda state, now: deciding.decide_bot(state, caller, policy, policies, seat, request_id, now)
        )

    async def choose_opposite(self, caller: Caller, seat: int, request_id: str) -> tuple[lobby_pb2.Table, int]:
        """Choose the one at a seat as the caller's opposite (R9); return the table and the caller's seat now."""
        return await self._change(
            caller, lambda state, now: deciding.decide_opposite(state, caller, seat, request_id, now)
        )

    async def update(
        self, caller: Caller, changes: Mapping[str, object], request_id: str
    ) -> tuple[lobby_pb2.Table, str]:
        """Change what the table is like (`inputs.TableUpdated`); return it, and its join code if it became private."""
        drawn = self._tables.new_code() if changes.get("private") else ""
        answer = await self._said(
            caller, lambda state, now: deciding_lobby.decide_update(state, caller, changes, drawn, request_id, now)
        )
        return lobby_pb2.Table.FromString(answer.table), answer.code

    async def kick(self, caller: Caller, seat: int, account: str, ban: bool, request_id: str) -> lobby_pb2.Table:
        """Take a seat from who sits there, if it is `account` (empty: whoever it is)."""
        table, _ = await self._change(
            caller, lambda state, now: deciding_lobby.decide_kick(state, caller, seat, account, ban, request_id, now)
        )
        return table

    # ── playing ──

    async def act(self, caller: Caller, request: table_pb2.SubmitActionRequest) -> int:
        """Answer a question; return the table's n once the answer is durable."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._actor_heard(caller, of_hand=True).post(Move(caller.account, request, future=future))
        return await future

    def act_on_stream(self, caller: Caller, request: table_pb2.SubmitActionRequest, outbox: Outbox) -> None:
        """Answer a question; the result goes into the outbox, in the same message as the step if it can."""
        outbox.expect()
        metrics = self._tables.metrics
        move = Move(caller.account, request, outbox=outbox, metrics=metrics)
        try:
            self._actor_heard(caller, of_hand=True).post(move)
        except refusals.Refused as refused:
            move.tell(refused)

    async def ask_count(self, caller: Caller, seat: int, request_id: str) -> tuple[int, int | None]:
        """Ask a seat how many cards it holds (R80); return the table's n and the count told, None for more than ten."""
        answer = await self._said(
            caller, lambda state, now: deciding.decide_ask(state, caller.account, seat, request_id, now)
        )
        return answer.version, answer.told

    async def feel(self, caller: Caller, request_id: str) -> tuple[int, tuple[int, int]]:
        """Feel the opposite's hand (R82); return the table's n, and the least and most cards that it holds."""
        answer = await self._said(
            caller, lambda state, now: deciding.decide_feel(state, caller.account, request_id, now)
        )
        return answer.version, answer.felt

    async def contribute_entropy(self, caller: Caller, deal: int, entropy: bytes, request_id: str) -> int:
        """Give entropy for a deal that is promised (R3); return the table's n."""
        answer = await self._said(
            caller, lambda state, now: decide_entropy(state, caller.account, deal, entropy, request_id, now)
        )
        return answer.version

    async def vote_dissolution(self, caller: Caller, agrees: bool, request_id: str) -> int:
        """Speak for ending the match, or against it (R17); return the table's n."""
        answer = await self._said(
            caller, lambda state, now: deciding.decide_vote(state, caller.account, agrees, request_id, now)
        )
        return answer.version

    async def set_autopilot(self, caller: Caller, on: bool, request_id: str) -> int:
        """Have a bot play the caller's seat, or take it back; return the table's n."""
        answer = await self._said(
            caller, lambda state, now: deciding_absence.decide_autopilot(state, caller.account, on, request_id, now)
        )
        return answer.version

    async def set_auto_decline(self, caller: Caller, on: bool, always: bool, request_id: str) -> int:
        """Have the caller's seat declined for in burn windows, or no longer; return the table's n."""
        answer = await self._said(
            caller,
            lambda state, now: deciding_absence.decide_auto_decline(state, caller.account, on, always, request_id, now),
            of_hand=True,
        )
        return answer.version

    async def grant_peek(self, caller: Caller, ally: int, on: bool, request_id: str) -> int:
        """Let an ally look at one's hand (R81), or no longer; return the table's n."""
        answer = await self._said(
            caller,
            lambda state, now: deciding_peek.decide_peek(state, caller.account, ally, on, request_id, now),
            of_hand=True,
        )
        return answer.version

    async def hint(self, caller: Caller) -> tuple[int, table_pb2.Action]:
        """Return which decision the caller's seat has to make, and what a built-in bot would answer."""
        asked = await self._look(caller, lambda story: hinting.position(story.state, caller.account), of_hand=True)
        choice = await self._tables.hint(asked.view)
        return asked.decision, hinting.action_of(choice)

    async def may_share(self, caller: Caller) -> bool:
        """Raise Refused for who may not share the table: others than its owner and who sits there. Return whether it is
        the owner."""
        return await self._look(caller, lambda story: deciding_lobby.check_sharing(story.state, caller.account))

    # ── talking ──

    async def say(self, caller: Caller, said: chat_pb2.SendChatRequest, code: str = "") -> chat_pb2.ChatMessage:
        """Say something; return it as others hear it."""
        actor = self._tables.actor(self.name)

        def read(story: Story) -> chat_pb2.ChatMessage:
            _check_admitted(story.state, caller, code)
            return actor.followers.say(story.state, caller, said)

        return await self._look(caller, read)

    async def heard(
        self, caller: Caller, scope: chat_pb2.ChatScope.ValueType, code: str = ""
    ) -> list[chat_pb2.ChatMessage]:
        """Return what was said lately in a scope, as far as the caller may hear it, the oldest first."""
        actor = self._tables.actor(self.name)
        now_ms = self._tables.now_ms()

        def read(story: Story) -> list[chat_pb2.ChatMessage]:
            _check_admitted(story.state, caller, code)
            heard = actor.followers.chat.of_scope(story.state, caller.account, scope, now_ms)
            return [said.message for said in heard]

        return await self._look(caller, read)

    # ── watching ──

    async def subscribe(
        self,
        caller: Caller,
        after: table_pb2.Place | None,
        outbox: Outbox,
        request_id: str = "",
        code: str = "",
        hidden: frozenset[str] = frozenset(),
        grant: Grant | None = None,
    ) -> int:
        """Follow the table on a stream: the tail after a place, else a snapshot, then steps; return the table's n.

        Without a seat a private table wants its join code, or a share link. What `hidden` accounts say does not come.

        With a request id the command's result goes into the outbox with them. A stream that follows the table already
        begins anew.
        """
        actor = self._actor_heard(caller)
        subscription = actor.followers.follower(caller.account, outbox)
        subscription.hidden = hidden

        def follow(story: Story) -> int:
            if request_id:
                deciding.check_request_id(request_id)
            _check_admitted(story.state, caller, code, grant)
            subscription.invited = story.state.invites(caller.account, code)
            if not subscription.invited and grants.opens(grant):
                subscription.invited, subscription.grant = True, grant
            n = actor.followers.follow(story, subscription, after)
            if request_id:
                outbox.put_result(request_id, n)
            return n

        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        actor.post(Look(follow, future))
        return await future

    def unsubscribe(self, outbox: Outbox) -> None:
        """Follow the table no more on a stream; no error if it did not."""
        subscription = outbox.follower(self.name)
        if subscription is not None:
            subscription.detach()
            outbox.unfollow(subscription)

    async def view(self, caller: Caller, code: str = "", grant: Grant | None = None) -> bytes:
        """Return a snapshot as a TableUpdate. Without a seat a private table wants its join code, or a share link."""

        actor = self._tables.actor(self.name)

        def read(story: Story) -> bytes:
            _check_admitted(story.state, caller, code, grant)
            seat = story.state.seats.seat_of(caller.account)
            if seat < 0 and not story.state.spectators:
                raise refusals.no_spectators()
            return actor.followers.snapshot(story, seat, REASON_REQUESTED)

        return await self._look(caller, read)

    async def legal_plays(self, caller: Caller, page_size: int, page_token: str) -> table_pb2.ListLegalPlaysResponse:
        """Return a page of the plays that the caller's seat could make."""
        return await self._look(
            caller,
            lambda story: seat_queries.legal_plays(story.state, caller.account, page_size, page_token),
            of_hand=True,
        )

    async def check(self, caller: Caller, action: table_pb2.Action) -> table_pb2.CheckPlayResponse:
        """Say whether an action would be accepted from the caller's seat, and why not."""
        return await self._look(
            caller, lambda story: seat_queries.check(story.state, caller.account, action), of_hand=True
        )

    # ── inside ──

    def _actor_heard(self, caller: Caller | None, *, of_hand: bool = False) -> Actor:
        """Return the table's actor, which notes who called: people without a stream are not away while they call."""
        actor = self._tables.actor(self.name)
        if caller is not None:
            actor.heard(caller.account, of_hand=of_hand)
        return actor

    async def _look(self, caller: Caller | None, read: Callable[[Story], T], *, of_hand: bool = False) -> T:
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._actor_heard(caller, of_hand=of_hand).post(Look(read, future))
        return await future

    async def _said(
        self, caller: Caller, decide: Callable[[TableState, int], inputs.Input | Answer], *, of_hand: bool = False
    ) -> Answer:
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._actor_heard(caller, of_hand=of_hand).post(Change(decide, future))
        return await future

    async def _change(
        self, caller: Caller, decide: Callable[[TableState, int], inputs.Input | Answer]
    ) -> tuple[lobby_pb2.Table, int]:
        answer = await self._said(caller, decide)
        return lobby_pb2.Table.FromString(answer.table), answer.seat


def _check_admitted(state: TableState, caller: Caller, code: str, grant: Grant | None = None) -> None:
    """Raise Refused for who may not know of a private table."""
    if not grants.opens(grant) and not state.admits(caller.account, code):
        raise refusals.TableNotFound
