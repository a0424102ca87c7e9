"""The client without `async`: for notebooks, scripts and the interactive prompt.

    import gouji_client.sync as gouji

    with gouji.connect("127.0.0.1:50151") as client:
        client.sign_in("Mei")
        table = client.new_table(fill="simple")
        table.set_ready()
        while True:
            view = table.until(lambda view: view.asked or view.over)
            if view.over:
                break
            table.act(view.to_seat_view().legal_actions()[0])

Everything runs in one background thread; each call here waits for its result. What may be raised is the same as in the
async client. Works where an event loop is running already, as in a notebook.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar, Unpack

from gouji.lobby.v1 import lobby_pb2
from gouji_client import client as _client
from gouji_client import runner as _runner
from gouji_client.background import BackgroundLoop
from gouji_client.lobby import NewTable, free_seats
from gouji_client.sync_accounts import Accounts
from gouji_client.sync_matchmaking import Matchmaking
from gouji_client.sync_replays import Replays
from gouji_client.sync_sharing import Sharing

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType
    from typing import Self

    import gouji_rules as gr
    from gouji.rules.v1 import rules_pb2
    from gouji.session.v1 import session_pb2
    from gouji.table.v1 import chat_pb2, table_pb2
    from gouji_client.arguments import TableLike
    from gouji_client.bot import Bot
    from gouji_client.client import ConnectOptions
    from gouji_client.credentials import Credentials
    from gouji_client.result import MatchResult
    from gouji_client.story import Update
    from gouji_client.table import LegalPlays
    from gouji_client.table import Table as AsyncTable
    from gouji_client.table_changes import TableChanges
    from gouji_client.table_list import TableWishes
    from gouji_client.view import FeltHand, TableView

T = TypeVar("T")

_loop = BackgroundLoop()


def connect(address: str, **options: Unpack[ConnectOptions]) -> Client:
    """Connect to a server; see `gouji_client.connect`. Use it in `with`, or call `close()` at the end."""

    async def connected() -> _client.Client:
        return await _client.connect(address, **options)

    return Client(_loop.run(connected()))


def run_bot(
    address: str,
    bot: Bot,
    *,
    table: TableLike | NewTable | None = None,
    join_code: str = "",
    seat: int | None = None,
    fill: str | None = None,
    keep: str | os.PathLike[str] | None = None,
    token: str | None = None,
    manners: _runner.Manners | None = None,
    **options: Unpack[ConnectOptions],
) -> MatchResult:
    """Play a bot to the end of a match; see `gouji_client.run_bot`."""
    return _loop.run(
        _runner.run_bot(
            address,
            bot,
            table=table,
            join_code=join_code,
            seat=seat,
            fill=fill,
            keep=keep,
            token=token,
            manners=manners,
            **options,
        )
    )


class running(Generic[T]):  # noqa: N801 - used like a function
    """Run something async beside: `with running(FakeServer(seed=7)) as server: …`."""

    def __init__(self, manager: AbstractAsyncContextManager[T]) -> None:
        self._manager = manager
        self._closer = 0

    def __enter__(self) -> T:
        async def enter() -> T:
            return await self._manager.__aenter__()

        entered = _loop.run(enter())
        self._closer = _loop.close_at_exit(self._leave)
        return entered

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _loop.forget(self._closer)
        _loop.run(self._leave())

    async def _leave(self) -> None:
        await self._manager.__aexit__(None, None, None)


class Client:
    """A connection to one server as one account; see `gouji_client.Client`."""

    def __init__(self, client: _client.Client) -> None:
        self._client = client
        self._closer = _loop.close_at_exit(client.close)
        self.lobby = Lobby(client)
        """Finding, making and filling tables."""
        self.matchmaking = Matchmaking(client.matchmaking, _loop)
        """Finding people to play with."""
        self.replays = Replays(client.replays, _loop)
        self.sharing = Sharing(client.sharing, _loop)
        """Matches that are over."""
        self.accounts = Accounts(client.accounts, _loop)
        """The account that is signed in, and what belongs to it."""

    @property
    def address(self) -> str:
        """Where the server is."""
        return self._client.address

    @property
    def account(self) -> session_pb2.Account:
        """The account signed in. Raises `NotSignedIn`."""
        return self._client.account

    @property
    def credentials(self) -> Credentials:
        """What makes a later client come back as this account. Raises `NotSignedIn`."""
        return self._client.credentials

    def server_info(self) -> session_pb2.GetServerInfoResponse:
        """Ask the server for its version, its time, and the least versions of clients that it takes."""
        return _loop.run(self._client.server_info())

    def sign_in(
        self,
        name: str = "",
        *,
        credentials: Credentials | None = None,
        keep: str | os.PathLike[str] | None = None,
    ) -> Credentials:
        """Sign in as a new guest, or come back; see `gouji_client.Client.sign_in`."""
        return _loop.run(self._client.sign_in(name, credentials=credentials, keep=keep))

    def sign_in_with_password(
        self, login_name: str, password: str, *, keep: str | os.PathLike[str] | None = None
    ) -> Credentials:
        """Come back by name and password; see `gouji_client.Client.sign_in_with_password`."""
        return _loop.run(self._client.sign_in_with_password(login_name, password, keep=keep))

    def sign_in_as_bot(self, token: str) -> None:
        """Sign in as the bot's account whose token it is; see `gouji_client.Client.sign_in_as_bot`."""
        _loop.run(self._client.sign_in_as_bot(token))

    def sign_out(self) -> None:
        """End the session on the server."""
        _loop.run(self._client.sign_out())

    def table(self, name: TableLike, *, join_code: str = "", share_link: str = "") -> Table:
        """Return the table `tables/{table}`. Who watches a private table without a seat gives its join code."""
        return Table(self._client.table(name, join_code=join_code, share_link=share_link))

    def new_table(self, new: NewTable | None = None, *, fill: str | None = None) -> Table:
        """Make a table, sit down at it, and put the built-in policy `fill` into its free seats, if given."""
        made = self.lobby.create(new)
        for seat in free_seats(made) if fill else []:
            self.lobby.add_bot(made.name, fill or "", seat)
        return self.table(made.name)

    def pause_between(self, shortest: float, longest: float) -> None:
        """Wait a random time between two bounds in seconds; none at all if both are 0."""
        _loop.run(self._client.pause_between(shortest, longest))

    def close(self) -> None:
        """Close the connection. Twice is no error."""
        _loop.forget(self._closer)
        _loop.run(self._client.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Lobby:
    """The lobby of a server; see `gouji_client.Lobby`."""

    def __init__(self, client: _client.Client) -> None:
        self._lobby = client.lobby

    def rule_sets(self) -> list[rules_pb2.RuleSet]:
        """Return the rule sets that tables can be made with."""
        return _loop.run(self._lobby.rule_sets())

    def tables(self, **wishes: Unpack[TableWishes]) -> list[lobby_pb2.Table]:
        """Return the open tables that are as asked for, newest first."""

        async def all_of_them() -> list[lobby_pb2.Table]:
            return [table async for table in self._lobby.tables(**wishes)]

        return _loop.run(all_of_them())

    def watch_tables(self, **wishes: Unpack[TableWishes]) -> Iterator[list[lobby_pb2.Table]]:
        """Iterate over the list of open tables as it changes: `for tables in lobby.watch_tables()`."""
        return _loop.iterate(self._lobby.watch_tables(**wishes))

    def get(self, table: TableLike, *, join_code: str = "", share_link: str = "") -> lobby_pb2.Table:
        """Return a table by its name; a private one also needs a seat there, or its join code."""
        return _loop.run(self._lobby.get(table, join_code=join_code, share_link=share_link))

    def find(self, join_code: str) -> lobby_pb2.Table:
        """Return the private table that a join code opens."""
        return _loop.run(self._lobby.find(join_code))

    def join_code(self, table: TableLike) -> str:
        """Return the join code of a private table at which one sits, or which one owns."""
        return _loop.run(self._lobby.join_code(table))

    def reset_join_code(self, table: TableLike) -> str:
        """Have another join code drawn for one's own private table, and return it."""
        return _loop.run(self._lobby.reset_join_code(table))

    def create(self, new: NewTable | None = None) -> lobby_pb2.Table:
        """Make a table and take a seat at it."""
        return _loop.run(self._lobby.create(new))

    def join(self, table: TableLike, seat: int | None = None, *, join_code: str = "") -> int:
        """Take a free seat and return it; a private table wants its join code."""
        return _loop.run(self._lobby.join(table, seat, join_code=join_code))

    def leave(self, table: TableLike) -> None:
        """Give the seat up, before the match begins."""
        _loop.run(self._lobby.leave(table))

    def set_ready(self, table: TableLike, *, ready: bool = True) -> None:
        """Say that one is ready."""
        _loop.run(self._lobby.set_ready(table, ready=ready))

    def choose_opposite(self, table: TableLike, seat: int) -> int:
        """Choose the one at a seat as one's opposite, where the rules have it so (R9); return one's own seat then."""
        return _loop.run(self._lobby.choose_opposite(table, seat))

    def update(self, table: TableLike, **changes: Unpack[TableChanges]) -> lobby_pb2.Table:
        """Change what one's own table is like while it waits: `update(table, deals=5, time="blitz")`; return it."""
        return _loop.run(self._lobby.update(table, **changes))

    def kick(self, table: TableLike, seat: int, *, account: str = "", ban: bool = False) -> None:
        """Take a seat of one's own table, while it waits, from who sits there; with `ban` for good."""
        _loop.run(self._lobby.kick(table, seat, account=account, ban=ban))

    def rematch(self, table: TableLike) -> tuple[lobby_pb2.Table, int]:
        """Play the match of a table that is over again; return the table for it, and one's seat there."""
        return _loop.run(self._lobby.rematch(table))

    def add_bot(self, table: TableLike, policy: str = "simple", seat: int | None = None) -> int:
        """Put a built-in bot in a free seat of one's own table and return the seat."""
        return _loop.run(self._lobby.add_bot(table, policy, seat))


class Table:
    """A table; see `gouji_client.Table`."""

    def __init__(self, table: AsyncTable) -> None:
        self._table = table

    @property
    def name(self) -> str:
        """`tables/{table}`."""
        return self._table.name

    @property
    def view(self) -> TableView:
        """The newest view. The first time it starts to follow the table and waits for it."""
        return _loop.run(self._newest())

    async def _newest(self) -> TableView:
        return self._table.view if self._table.is_followed else await self._table.follow()

    def updates(self) -> Iterator[Update]:
        """Follow the table: `for update in table.updates()`."""
        return _loop.iterate(self._table.updates())

    @property
    def is_followed(self) -> bool:
        """Whether the table is followed, so that `view` asks nobody."""

        async def look() -> bool:
            return self._table.is_followed

        return _loop.run(look())

    def follow(self) -> TableView:
        """Follow the table without iterating: keep `view` up to date from now on, and return it once there is one."""
        return _loop.run(self._table.follow())

    def unfollow(self) -> None:
        """Stop following."""

        async def leave() -> None:
            self._table.unfollow()

        _loop.run(leave())

    def until(self, condition: Callable[[TableView], bool]) -> TableView:
        """Wait until the table is as wanted and return that view. `condition` runs in the background thread."""
        return _loop.run(self._table.until(condition))

    def act(
        self, action: gr.Action | str, cards: Sequence[gr.Card] | None = None, *, decision: int | None = None
    ) -> int:
        """Answer the open question: `table.act("play 5555")`; returns the table's `n` after it."""

        async def answer() -> int:
            await self._newest()
            return await self._table.act(action, cards, decision=decision)

        return _loop.run(answer())

    def check(self, action: gr.Action | str, cards: Sequence[gr.Card] | None = None) -> None:
        """Ask the server whether it would accept an action; raise the `Refused` that it would answer with."""

        async def ask() -> None:
            await self._newest()
            await self._table.check(action, cards)

        _loop.run(ask())

    def ask_count(self, seat: int) -> int | None:
        """Ask a seat how many cards it holds (R80); return the number, None for more than ten. All hear it."""
        return _loop.run(self._table.ask_count(seat))

    def feel(self) -> FeltHand:
        """Feel the opposite's hand (R82): the least and the most cards that it holds. Nobody else learns it."""
        return _loop.run(self._table.feel())

    def vote_dissolution(self, *, agrees: bool = True) -> int:
        """Speak for ending the match, or against it (R17); return the table's `n` after it.

        Built-in bots go with the people: where they hold the five other seats, this one vote ends the match at once.
        """
        return _loop.run(self._table.vote_dissolution(agrees=agrees))

    def set_autopilot(self, *, on: bool = True) -> int:
        """Have the server's built-in bot play one's seat, or take it back; return the table's `n` after it."""
        return _loop.run(self._table.set_autopilot(on=on))

    def take_back(self) -> int:
        """Play one's seat oneself again; return the table's `n` after it."""
        return _loop.run(self._table.take_back())

    def set_auto_decline(self, *, on: bool = True, always: bool = False) -> int:
        """Have the server decline for one in the burn windows to come, or no longer; return the table's `n`."""
        return _loop.run(self._table.set_auto_decline(on=on, always=always))

    def grant_peek(self, ally: int, *, on: bool = True) -> int:
        """Let an ally look at one's hand as long as the rules allow it (R81), or no longer; return the table's `n`."""
        return _loop.run(self._table.grant_peek(ally, on=on))

    def hint(self) -> table_pb2.GetHintResponse:
        """Ask what the server's bot `simple` would do in one's place: for which `decision`, and which `action`."""
        return _loop.run(self._table.hint())

    def say(
        self,
        text: str = "",
        *,
        emote: str = "",
        phrase: str = "",
        scope: str = "table",
        at: int | None = None,
    ) -> chat_pb2.ChatMessage:
        """Say a line of text, an emote or a quick phrase to the `table`, one's `team` or the `spectators`."""
        return _loop.run(self._table.say(text, emote=emote, phrase=phrase, scope=scope, at=at))

    def messages(self, scope: str = "table") -> list[chat_pb2.ChatMessage]:
        """Return what was said lately in a scope, the oldest first."""
        return _loop.run(self._table.messages(scope))

    def listen(self) -> Iterator[chat_pb2.ChatMessage]:
        """Hear what is said at the table: `for message in table.listen()`. It does not end by itself."""
        return _loop.iterate(self._table.listen())

    def phrases(self) -> list[chat_pb2.Phrase]:
        """Return the quick phrases, in both languages."""
        return _loop.run(self._table.phrases())

    def report(self, message: chat_pb2.ChatMessage, reason: str = "") -> None:
        """Report something said to the server's operator."""
        _loop.run(self._table.report(message, reason))

    def get_view(self) -> TableView:
        """Ask the server for the table as it is now, without following it."""
        return _loop.run(self._table.get_view())

    def legal_plays(self) -> LegalPlays:
        """Ask the server what it would accept from this seat now."""
        return _loop.run(self._table.legal_plays())

    def set_ready(self, *, ready: bool = True) -> None:
        """Say that one is ready. When six seats are taken and ready the match begins at once."""
        _loop.run(self._table.set_ready(ready=ready))
