"""The Python client of a Gouji server: an async SDK, a sync façade (`gouji_client.sync`) and a bot runner.

    from gouji_client import Bot, run_bot

    class Lowest(Bot):
        def choose(self, view):
            return view.legal_actions()[0]

    result = await run_bot("127.0.0.1:50151", Lowest(), fill="simple")

`connect` gives full control: signing in, the lobby, following tables over lost connections, playing by hand.
`gouji_client.testing` has a server for the tests of bots. docs/write-a-bot-in-python.md begins at the beginning.
"""

from gouji_client.accounts import Accounts
from gouji_client.backoff import Backoff
from gouji_client.bot import Bot, PolicyBot
from gouji_client.channel import TLS
from gouji_client.client import Client, connect
from gouji_client.credentials import Credentials
from gouji_client.errors import (
    BadInput,
    BotFailed,
    ClientClosed,
    CredentialsError,
    GoujiError,
    NotSignedIn,
    ProtocolBroken,
    Refused,
    ServerFailed,
    ServerUnreachable,
    SignInFailed,
    UnsafeConnection,
)
from gouji_client.lobby import Lobby, NewTable
from gouji_client.replays import Replays, ReplayStep
from gouji_client.result import DealSummary, MatchResult
from gouji_client.runner import Manners, play_match, run_bot
from gouji_client.sharing import NewShareLink, Sharing
from gouji_client.story import Update
from gouji_client.table import LegalPlays, Table
from gouji_client.view import FeltHand, TableView

__all__ = [
    "TLS",
    "Accounts",
    "Backoff",
    "BadInput",
    "Bot",
    "BotFailed",
    "Client",
    "ClientClosed",
    "Credentials",
    "CredentialsError",
    "DealSummary",
    "FeltHand",
    "GoujiError",
    "LegalPlays",
    "Lobby",
    "Manners",
    "MatchResult",
    "NewShareLink",
    "NewTable",
    "NotSignedIn",
    "PolicyBot",
    "ProtocolBroken",
    "Refused",
    "ReplayStep",
    "Replays",
    "ServerFailed",
    "ServerUnreachable",
    "Sharing",
    "SignInFailed",
    "Table",
    "TableView",
    "UnsafeConnection",
    "Update",
    "connect",
    "play_match",
    "run_bot",
]
