"""Runs a bot through a match: signs it in, seats it, plays it to the end."""

from __future__ import annotations

import logging
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Unpack, get_args

import gouji_rules as gr
from gouji.lobby.v1 import lobby_pb2
from gouji_client.arguments import is_number, read_action, table_name
from gouji_client.client import ConnectOptions, connect
from gouji_client.errors import BadInput, BotFailed, Refused
from gouji_client.lobby import NewTable, free_seats, seat_of
from gouji_client.result import MatchResult, ResultKeeper
from gouji_client.thinking import within
from gouji_rules.errors import Wording

if TYPE_CHECKING:
    import os

    from gouji_client.arguments import TableLike
    from gouji_client.bot import Bot
    from gouji_client.client import Client
    from gouji_client.story import Update
    from gouji_client.table import Table
    from gouji_client.view import TableView

log = logging.getLogger(__name__)

_TOO_LATE = Wording("its choose took too long", "它的 choose 用时过长")
_MOST_TRACED = 10
"""Causes that a bot's failures are traced for; a text that differs each time is no reason to fill a log."""

OnError = Literal["default", "raise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a bot is run.

    `on_error`: when `choose` fails, takes too long, or returns what is not legal, play the `"default"` action of an
    expired clock in its place (and count a fault), or `"raise"` `BotFailed`. `time_limit`: seconds for one `choose`,
    which is then run in a thread of its own; None: no limit. `delay`: bounds in seconds of a random wait before every
    answer, whatever the bot holds, so that its haste tells nothing.
    """

    on_error: OnError = "default"
    time_limit: float | None = None
    delay: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise BadInput(f"on_error is {' or '.join(map(repr, get_args(OnError)))}, not {self.on_error!r}")
        if self.time_limit is not None and not (is_number(self.time_limit) and self.time_limit > 0):
            raise BadInput(f"time_limit is more than 0 seconds, or None, not {self.time_limit!r}")
        delay: object = self.delay
        two = isinstance(delay, (tuple, list)) and len(delay) == 2 and all(map(is_number, delay))
        if not two or not 0 <= self.delay[0] <= self.delay[1]:
            raise BadInput(f"delay is two bounds in seconds, such as (0.5, 1.5), not {self.delay!r}")


async def run_bot(
    address: str,
    bot: Bot,
    *,
    table: TableLike | NewTable | None = None,
    join_code: str = "",
    seat: int | None = None,
    fill: str | None = None,
    keep: str | os.PathLike[str] | None = None,
    token: str | None = None,
    manners: Manners | None = None,
    **options: Unpack[ConnectOptions],
) -> MatchResult:
    """Sign a bot in, seat it, play it to the end of the match, and return what came of it.

    `table` is a table or its name, a `NewTable` to be made, or None for the first table with a free seat, or a new one
    if there is none; `join_code` opens it where it is private. `seat` is the seat wanted. `fill` puts a built-in policy
    into the free seats of a table it made. `keep` names a file with credentials, so that a bot started again comes back
    as itself and goes on where it was. `token` is a bot's token: it plays under the name of that bot's account.
    `options` are those of `connect`.

    Raises what `connect`, `sign_in` and `updates` raise; `Refused` if it cannot be seated; `BotFailed` by `manners`.
    """
    _check_bot(bot)
    async with connect(address, **options) as client:
        if token is not None:
            await client.sign_in_as_bot(token)
        else:
            await client.sign_in(bot.display_name, keep=keep)
        return await play_match(client, bot, table=table, join_code=join_code, seat=seat, fill=fill, manners=manners)


async def play_match(
    client: Client,
    bot: Bot,
    *,
    table: TableLike | NewTable | None = None,
    join_code: str = "",
    seat: int | None = None,
    fill: str | None = None,
    manners: Manners | None = None,
) -> MatchResult:
    """Do what `run_bot` does with a client that is signed in already."""
    _check_bot(bot)
    found = await _take_seat(client, table, join_code, seat, fill)
    if found.state == lobby_pb2.TABLE_STATE_WAITING:
        await client.lobby.set_ready(found.name)
    return await Player(client.table(found.name), bot, manners or Manners(), client).play()


def _check_bot(bot: object) -> None:
    if isinstance(bot, type):
        raise BadInput(f"{bot.__name__} is a class and no bot: make one, {bot.__name__}()")
    if not callable(getattr(bot, "choose", None)):
        raise BadInput(f"{bot!r} is no bot: a bot is a Bot with a choose(self, view)")


async def _take_seat(
    client: Client, table: TableLike | NewTable | None, join_code: str, seat: int | None, fill: str | None
) -> lobby_pb2.Table:
    """Return the table at which the client sits now."""
    if table is not None and not isinstance(table, NewTable):
        return await _join(client, table_name(table), seat, join_code)
    if table is None:
        async for open_table in client.lobby.tables(state=lobby_pb2.TABLE_STATE_WAITING, with_free_seat=True):
            try:
                return await _join(client, open_table.name, seat)
            except Refused as refused:
                log.info("%s could not be joined: %s", open_table.name, refused)
        table = NewTable()
    if not table.with_seat:
        raise BadInput("a bot plays in a seat: a NewTable with with_seat=False has none for it")
    made = await client.lobby.create(table if seat is None else replace(table, seat=seat))
    if fill:
        for free in free_seats(made):
            await client.lobby.add_bot(made.name, fill, free)
    return made


async def _join(client: Client, table: str, seat: int | None, join_code: str = "") -> lobby_pb2.Table:
    found = await client.lobby.get(table, join_code=join_code)
    if seat_of(found, client.account.name) is None:
        await client.lobby.join(table, seat, join_code=join_code)
    return found


class Player:
    """Plays one seat of one table with a bot."""

    def __init__(self, table: Table, bot: Bot, manners: Manners, client: Client) -> None:
        self._table = table
        self._bot = bot
        self._manners = manners
        self._client = client
        self._result = ResultKeeper()
        self._answered = -1
        self._taking_back = False
        self._faults = 0
        self._traced: set[str] = set()

    async def play(self) -> MatchResult:
        """Play until the table is closed."""
        async with aclosing(self._table.updates()) as updates:
            async for update in updates:
                await self._hear(update)
                await self._stay_in_play(update)
                # Only the newest view is worth an answer: while more waits to be read, an older question is answered.
                if update.view.at == self._table.view.at and update.view.asked:
                    await self._answer(update.view)
        view = self._table.view
        return self._result.result(view.name, view.seat, view.scores, view.info.deals, self._faults)

    async def _hear(self, update: Update) -> None:
        for event in update.events:
            ended = self._result.hear(event)
            try:
                self._bot.on_event(event)
                if ended is not None:
                    self._bot.on_deal_end(ended)
            except Exception as error:  # noqa: BLE001 - the author's code may raise anything
                self._fault(Wording(f"a hook failed: {error!r}", f"回调出错：{error!r}"), error, raised=True)

    async def _stay_in_play(self, update: Update) -> None:
        """Take the seat back where the server plays it: the bot is here, and was only slow, or away for a while."""
        view = update.view
        if view.seat is None or view.over or not view.on_autopilot(view.seat):
            self._taking_back = False
        elif not self._taking_back:
            self._taking_back = True
            log.info("%s: the server plays its seat; taking it back", self._bot.display_name)
            try:
                await self._table.take_back()
            except Refused as refused:  # the match may be over by now
                log.info("%s could not take its seat back: %s", self._bot.display_name, refused)

    async def _answer(self, view: TableView) -> None:
        if view.decision == self._answered:
            return  # on its way, and told again before its result
        self._answered = view.decision
        seat_view = view.to_seat_view()
        action = await self._choose(seat_view)
        await self._client.pause_between(*self._manners.delay)
        try:
            await self._table.act(action, decision=view.decision)
        except Refused as refused:
            if refused.stale or refused.reason == "ALREADY_ANSWERED":
                log.info("%s: the question had been answered already", self._bot.display_name)
                return
            default = seat_view.default_action()
            self._fault(
                Wording(f"the server refused its action: {refused}", f"服务器拒绝了它的动作：{refused.text_zh}"),
                refused,
            )
            if action == default:
                raise
            await self._table.act(default, decision=view.decision)

    async def _choose(self, view: gr.SeatView) -> gr.Action:
        """Return the bot's choice if it is legal, else what `manners` say."""
        legal = view.legal_actions()
        if len(legal) == 1 and not self._bot.ask_forced:
            return legal[0]
        try:
            chosen: gr.Action | str = await within(self._manners.time_limit, self._bot.choose, view)
            action = read_action(chosen, legal="view.legal_actions()")
            view.check(action)
        except gr.RuleViolation as error:
            self._fault(
                Wording(
                    f"it chose what {error.rule} forbids: {error.text_en}",
                    f"它的选择不合 {error.rule}：{error.text_zh}",
                ),
                error,
            )
        except BadInput as error:
            self._fault(
                Wording(f"its choose returned what is no action: {error}", f"它的 choose 返回的不是动作：{error}"),
                error,
            )
        except Exception as error:  # noqa: BLE001 - the author's code may raise anything
            late = isinstance(error, TimeoutError) and self._manners.time_limit is not None
            what = Wording(f"its choose failed: {error!r}", f"它的 choose 出错：{error!r}")
            self._fault(_TOO_LATE if late else what, error, raised=not late)
        else:
            return action
        return view.default_action()

    def _fault(self, said: Wording, error: Exception, *, raised: bool = False) -> None:
        """Note that the bot failed; raise if that is how it should be run.

        It is told in a line; what the author's code `raised` is told with where, once for each cause.
        """
        self._faults += 1
        what = said.en
        if self._manners.on_error == "raise":
            name, table = self._bot.display_name, self._table.name
            raise BotFailed(f"{name} at {table}: {what}", f"{name}（{table}）：{said.zh}") from error
        traced = error if raised and what not in self._traced and len(self._traced) < _MOST_TRACED else None
        if traced is not None:
            self._traced.add(what)
        log.error("bot %s at %s: %s", self._bot.display_name, self._table.name, what, exc_info=traced)
