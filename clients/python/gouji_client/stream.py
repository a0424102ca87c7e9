"""The one `Play` stream of a client: kept open, resumed and renewed over every kind of interruption."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import grpc
import grpc.aio

from gouji.table.v1 import table_pb2
from gouji_client.backoff import Waits
from gouji_client.calls import authorization, new_request_id
from gouji_client.ending import Ending
from gouji_client.errors import ClientClosed, GoujiError, NotSignedIn, Refused, ServerUnreachable
from gouji_client.link import Link
from gouji_client.pending import Pending, PendingActions
from gouji_client.status import LOST, error_of_call, error_of_command, retry_delay
from gouji_client.story import Story
from gouji_client.talk import Ears

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from gouji.table.v1.table_pb2_grpc import TableServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.entropy import EntropyGiver
    from gouji_client.session import Session
    from gouji_client.view import TableView

log = logging.getLogger(__name__)

_LASTING = 5.0
"""Seconds after which a connection counts as a success though it brought nothing new: the table was quiet."""


class PlayStream:
    """Follows tables and sends actions over one stream, which it opens when first needed.

    When the stream breaks it is opened again after a wait; every table is then asked for from the place reached, and
    every action without a result is sent again with the same request id, so that it is carried out once. After
    `calls.backoff.patience` seconds without success all readers and senders get `ServerUnreachable`; a later call
    tries anew. A stream on which nothing, not even a heartbeat, was heard for `silence` seconds is taken for broken.
    """

    def __init__(
        self,
        stub: TableServiceAsyncStub,
        session: Session,
        calls: Calls,
        silence: float,
        giver: EntropyGiver | None = None,
    ) -> None:
        self._stub = stub
        self._giver = giver
        self._session = session
        self._calls = calls
        self._silence = silence
        self._stories: dict[str, Story] = {}
        self._actions = PendingActions()
        self._subscribing: dict[str, str] = {}
        self.ears = Ears()
        self.join_codes: dict[str, str] = {}
        """By which codes private tables are followed without a seat."""
        self.share_links: dict[str, str] = {}
        """And by which share links."""
        self._link: Link | None = None
        self._runner: asyncio.Task[None] | None = None
        self._chores: set[asyncio.Task[None]] = set()
        self._closed = False

    def follow(self, table: str) -> Story:
        """Return the story of a table, followed from now on if it was not yet. Raises `NotSignedIn`, `ClientClosed`."""
        self._ensure_running()
        story = self._stories.get(table)
        if story is None or story.failure is not None:
            story = self._stories[table] = Story(table, self._new_waits())
            self._subscribe(story)
        return story

    def newest_view(self, table: str) -> TableView | None:
        """Return the newest view of a followed table; None if it is not followed, or nothing came in yet."""
        story = self._stories.get(table)
        return story.view if story else None

    def leave(self, table: str) -> None:
        """Stop following a table. Not following it is no error."""
        story = self._stories.pop(table, None)
        if story is None:
            return
        story.finish()
        if self._link is not None:
            request = table_pb2.Unsubscribe(request_id=new_request_id(), table=table)
            self._link.send(table_pb2.PlayRequest(unsubscribe=request))

    async def act(self, request: table_pb2.SubmitActionRequest) -> int:
        """Carry out an action and return the table's `n` after it.

        Raises `Refused`, or `ServerUnreachable` when patience is at its end: then it may or may not have been done.
        """
        self._ensure_running()
        pending = self._actions.add(request, self._new_waits())
        if self._link is not None:
            self._link.send(pending.message)
        try:
            return await pending.version
        finally:
            self._actions.drop(request.request_id)

    async def close(self) -> None:
        """End the stream and everything that waits for it (`ClientClosed`)."""
        self._closed = True
        tasks = [*self._chores, *([self._runner] if self._runner else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._end_all(ClientClosed())

    # ── keeping the stream open ──────────────────────────────────────────────────────────────────────────────────────

    def check_open(self) -> None:
        """Raise `ClientClosed` if the stream was closed for good."""
        if self._closed:
            raise ClientClosed

    def _ensure_running(self) -> None:
        self.check_open()
        if not self._session.signed_in:
            raise NotSignedIn
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run(), name="gouji play stream")

    async def _run(self) -> None:
        try:
            await self._keep_open()
        except GoujiError as error:
            self._end_all(error)
        except Exception as error:
            log.exception("the play stream met a fault of the client itself")
            failure = GoujiError(f"the client itself failed: {error!r}")
            failure.__cause__ = error
            self._end_all(failure)

    async def _keep_open(self) -> None:
        waits = self._new_waits()
        fresh = ""
        while True:
            link = Link(self._calls.clock, await self._session.access_token())
            error = await self._one_connection(link, waits)
            if link.has_lasted(_LASTING):
                waits.succeeded()
            if error is not None and error.code() is grpc.StatusCode.UNAUTHENTICATED:
                # A token that lapsed is nothing to wait for; one that was fresh is.
                if link.token == fresh and not await waits.pause():
                    raise error_of_call(error, self._calls.address) from error
                fresh = await self._session.renew(lapsed=link.token)
                continue
            if error is not None and not _passing(error):
                raise error_of_call(error, self._calls.address) from error
            said = (error.details() or error.code().name) if error else "the stream ended"
            log.info("the play stream to %s was interrupted: %s", self._calls.address, said)
            if not await waits.pause(at_least=retry_delay(error) if error else 0.0):
                raise ServerUnreachable(self._calls.address, said) from error

    async def _one_connection(self, link: Link, waits: Waits) -> grpc.aio.AioRpcError | None:
        """Open the stream, use it until it ends, and return how it ended (None: without an error)."""
        call = self._stub.Play(metadata=authorization(link.token))
        self._open(link)
        parts: list[asyncio.Task[grpc.aio.AioRpcError | None]] = [
            asyncio.create_task(self._read(call, link, waits)),
            asyncio.create_task(link.write_to(call)),
            asyncio.create_task(link.until_silent(self._silence)),
            asyncio.create_task(self._renew_in_band(link)),
        ]
        try:
            done, _ = await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
            return next(part for part in parts if part in done).result()
        finally:
            self._link = None
            for part in parts:
                part.cancel()
            await asyncio.gather(*parts, return_exceptions=True)
            call.cancel()

    def _open(self, link: Link) -> None:
        """Ask again for all tables from where they were left, then send again what has no result yet."""
        self._link = link
        self._subscribing.clear()
        for story in self._stories.values():
            if not story.over:
                self._subscribe(story)
        for pending in self._actions:
            link.send(pending.message)

    async def _read(
        self, call: grpc.aio.StreamStreamCall[table_pb2.PlayRequest, table_pb2.PlayResponse], link: Link, waits: Waits
    ) -> grpc.aio.AioRpcError | None:
        ending = Ending(call)
        try:
            async for message in call:
                link.heard()
                if self._take(message):
                    waits.succeeded()
        except grpc.aio.AioRpcError as error:
            return await ending.error(error)
        return None

    async def _renew_in_band(self, link: Link) -> None:
        """Extend the stream's life with a fresh token whenever the old one is near its end. Never returns."""
        while True:
            await self._calls.clock.sleep(max(self._session.seconds_to_renewal(), 1.0))
            try:
                token = await self._session.access_token()
            except GoujiError as error:
                # The stream lives on until the old token lapses; then opening it again reports what is wrong.
                log.warning("the access token could not be renewed: %s", error)
                continue
            if token != link.token:
                link.token = token
                renew = table_pb2.RenewToken(request_id=new_request_id(), access_token=token)
                link.send(table_pb2.PlayRequest(renew=renew))

    # ── what comes in ────────────────────────────────────────────────────────────────────────────────────────────────

    def _take(self, message: table_pb2.PlayResponse) -> bool:
        """Take a message in; return whether it brought anything that was not known."""
        news = False
        # Updates first: who waits for an action's result finds the step it made in the view already.
        for update in message.updates:
            story = self._stories.get(update.table)
            if story is None:
                continue
            before = story.view.at if story.view else None
            if not story.take(update):
                log.info("%s is asked for anew", update.table)
                self._subscribe(story)
            else:
                self._give_entropy(update, story)
            news = news or (story.view is not None and story.view.at != before)
        self.ears.take(message.chat)
        for result in message.results:
            if result.request_id in self._subscribing:
                self._subscribed(self._subscribing.pop(result.request_id), result)
            elif pending := self._actions.get(result.request_id):
                self._acted(pending, result)
                news = True
        return news

    def _give_entropy(self, update: table_pb2.TableUpdate, story: Story) -> None:
        """Answer a promise of a deal: seats have a second or so to give entropy for it."""
        if self._giver is not None and story.view is not None and not story.over:
            deal = self._giver.asked(update, story.view.info)
            if deal:
                self._add_chore(self._giver.give(story.table, deal))

    def _subscribe(self, story: Story) -> None:
        if self._link is None:
            return  # opening the stream subscribes
        request_id = new_request_id()
        self._subscribing[request_id] = story.table
        request = table_pb2.Subscribe(
            request_id=request_id,
            table=story.table,
            after=story.after,
            join_code=self.join_codes.get(story.table, ""),
            share_link=self.share_links.get(story.table, ""),
        )
        self._link.send(table_pb2.PlayRequest(subscribe=request))

    def _subscribed(self, table: str, result: table_pb2.CommandResult) -> None:
        story = self._stories.get(table)
        if story is None:
            return
        if not result.HasField("error"):
            story.waits.succeeded()
            return
        refused = error_of_command(result.error)
        if refused.temporary:
            self._later(story.waits, refused, lambda: self._subscribe(story), story.fail)
        else:
            story.fail(refused)

    def _acted(self, pending: Pending, result: table_pb2.CommandResult) -> None:
        if not result.HasField("error"):
            pending.succeed(result.version)
            return
        refused = error_of_command(result.error)
        if refused.temporary:
            self._later(pending.waits, refused, lambda: self._resend(pending), pending.fail)
        else:
            pending.fail(refused)

    def _resend(self, pending: Pending) -> None:
        if self._link is not None and not pending.version.done():
            self._link.send(pending.message)

    def _later(
        self, waits: Waits, refused: Refused, again: Callable[[], None], give_up: Callable[[GoujiError], None]
    ) -> None:
        """Try again after a wait, or give up with what the server said last."""

        async def wait_and_try() -> None:
            if await waits.pause(at_least=refused.retry_delay):
                again()
            else:
                give_up(refused)

        self._add_chore(wait_and_try())

    def _add_chore(self, work: Coroutine[Any, Any, None]) -> None:
        chore = asyncio.create_task(work)
        self._chores.add(chore)
        chore.add_done_callback(self._chores.discard)

    def _new_waits(self) -> Waits:
        return Waits(self._calls.backoff, self._calls.clock, self._calls.rng)

    def _end_all(self, failure: GoujiError) -> None:
        for story in self._stories.values():
            story.fail(failure)
        self._actions.fail_all(failure)


def _passing(error: grpc.aio.AioRpcError) -> bool:
    """Whether a stream that ended so may be opened again later."""
    limited = error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and retry_delay(error) > 0
    return error.code() in LOST or limited
