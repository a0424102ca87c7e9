"""The methods of SessionService about bots: their accounts and their tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji.session.v1 import session_pb2 as pb
from gouji_server.accounts.bots import (
    DEFAULT_SCOPES,
    SCOPES,
    IdUsed,
    MadeTooFast,
    NoSuchBot,
    TooManyBots,
    TooManyTokens,
)
from gouji_server.api.account_messages import own_account
from gouji_server.api.errors import limited
from gouji_server.api.pages import DEFAULT_PAGE, MAX_PAGE
from gouji_server.api.timestamps import timestamp
from gouji_server.api.validation import Shape
from gouji_server.tables import Refused, refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    import grpc

    from gouji_server.accounts.bots import Bots, BotToken
    from gouji_server.api.calls import Call, Calls
    from gouji_server.api.pages import Pages
    from gouji_server.tables import Clock

_WORD_OF = {pb.BotScope.Value(f"BOT_SCOPE_{word.upper()}"): word for word in SCOPES}
_SCOPE_OF = {word: number for number, word in _WORD_OF.items()}
_ID = (("request_id", "request_id"),)


class BotMethods:
    """Makes, lists and ends bots and what they sign in with."""

    def __init__(self, bots: Bots, pages: Pages, clock: Clock) -> None:
        self._bots = bots
        self._pages = pages
        self._clock = clock

    def handlers(self, calls: Calls) -> dict[str, grpc.RpcMethodHandler[bytes, bytes]]:
        """Return the handlers by method name."""
        return {
            "CreateBotAccount": calls.unary("CreateBotAccount", pb.CreateBotAccountRequest, self.create, logged=_ID),
            "ListBotAccounts": calls.unary("ListBotAccounts", pb.ListBotAccountsRequest, self.list),
            "DeleteBotAccount": calls.unary("DeleteBotAccount", pb.DeleteBotAccountRequest, self.delete),
            # The request id of a token is left out of the logs: with it, and the account, the token is given again.
            "CreateBotToken": calls.unary("CreateBotToken", pb.CreateBotTokenRequest, self.create_token),
            "ListBotTokens": calls.unary("ListBotTokens", pb.ListBotTokensRequest, self.list_tokens),
            "RevokeBotToken": calls.unary("RevokeBotToken", pb.RevokeBotTokenRequest, self.revoke_token),
        }

    async def create(self, request: pb.CreateBotAccountRequest, call: Call) -> pb.CreateBotAccountResponse:
        """Make a bot's account."""
        name = request.display_name.strip()
        Shape().request_id(request.request_id).display_name(name, "display_name").settle()
        try:
            made = await self._bots.create(call.caller.account, name, request.request_id)
        except (TooManyBots, MadeTooFast, IdUsed) as error:
            raise _refused(error) from error
        return pb.CreateBotAccountResponse(account=own_account(made))

    async def list(self, request: pb.ListBotAccountsRequest, call: Call) -> pb.ListBotAccountsResponse:
        """List the caller's bots."""
        shape = Shape().page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        question = ("ListBotAccounts", call.caller.account)
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        bots = await self._bots.owned_by(call.caller.account)
        page, following = self._pages.cut(question, bots, position, request.page_size)
        return pb.ListBotAccountsResponse(accounts=[own_account(bot) for bot in page], next_page_token=following)

    async def delete(self, request: pb.DeleteBotAccountRequest, call: Call) -> pb.DeleteBotAccountResponse:
        """Delete a bot's account."""
        Shape().name(request.name, "accounts").settle()
        try:
            await self._bots.delete(call.caller.account, request.name)
        except NoSuchBot as error:
            raise _no_bot() from error
        return pb.DeleteBotAccountResponse()

    async def create_token(self, request: pb.CreateBotTokenRequest, call: Call) -> pb.CreateBotTokenResponse:
        """Make a token of a bot."""
        description = request.description.strip()
        shape = Shape().request_id(request.request_id).name(request.parent, "accounts", "parent")
        shape.title(description, "description")
        expires = None
        if request.HasField("expire_time"):
            expires = float(request.expire_time.seconds)
            if expires <= self._clock.now() or expires > MAX_TIME:
                shape.bad("expire_time", "wanted: a time to come, or none", "应为将来的时间，或留空")
        scopes = _words(request.scopes, shape)
        shape.settle()
        try:
            made, secret = await self._bots.create_token(
                call.caller.account,
                request.parent,
                scopes=scopes,
                description=description,
                expires=expires,
                request_id=request.request_id,
            )
        except (NoSuchBot, TooManyTokens, MadeTooFast, IdUsed) as error:
            raise _refused(error) from error
        return pb.CreateBotTokenResponse(bot_token=_bot_token(made), token=secret)

    async def list_tokens(self, request: pb.ListBotTokensRequest, call: Call) -> pb.ListBotTokensResponse:
        """List the tokens of a bot."""
        shape = Shape().name(request.parent, "accounts", "parent").page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        question = ("ListBotTokens", call.caller.account, request.parent)
        position = self._pages.continued(question, request.page_token, shape)
        shape.settle()
        try:
            found = await self._bots.tokens(call.caller.account, request.parent)
        except NoSuchBot as error:
            raise _no_bot() from error
        page, following = self._pages.cut(question, found, position, request.page_size)
        return pb.ListBotTokensResponse(bot_tokens=[_bot_token(token) for token in page], next_page_token=following)

    async def revoke_token(self, request: pb.RevokeBotTokenRequest, call: Call) -> pb.RevokeBotTokenResponse:
        """Make a token void."""
        Shape().name(request.name, "tokens").settle()
        try:
            await self._bots.revoke_token(call.caller.account, request.name)
        except NoSuchBot as error:
            raise _no_bot() from error
        return pb.RevokeBotTokenResponse()


MAX_TIME = 253_402_300_799.0
"""Unix seconds: the last that a Timestamp may say."""


def _words(scopes: Sequence[pb.BotScope.ValueType], shape: Shape) -> tuple[str, ...]:
    if not scopes:
        return DEFAULT_SCOPES
    known = {_WORD_OF[scope] for scope in scopes if scope in _WORD_OF}
    if len(known) != len(scopes):
        shape.bad("scopes", "wanted: BotScopes, each once", "应为各不相同的 BotScope")
    return tuple(known)


def _bot_token(token: BotToken) -> pb.BotToken:
    return pb.BotToken(
        name=token.name,
        description=token.description,
        scopes=[_SCOPE_OF[word] for word in token.scopes if word in _SCOPE_OF],
        create_time=timestamp(token.created),
        expire_time=None if token.expires is None else timestamp(token.expires),
        last_use_time=None if token.used is None else timestamp(token.used),
    )


def _refused(error: Exception) -> Refused:
    if isinstance(error, MadeTooFast):
        return limited(
            "BOTS_MADE_TOO_FAST",
            "too many bots and tokens were made lately: try again in a moment",
            "近期创建的机器人和令牌过多：请稍后再试",
            error.wait,
        )
    if isinstance(error, IdUsed):
        return refusals.used_id()
    if isinstance(error, NoSuchBot):
        return _no_bot()
    if isinstance(error, TooManyBots):
        return limited(
            "TOO_MANY_BOTS", "you have as many bots as you may: delete one first", "机器人数量已达上限：请先删除一个"
        )
    return limited(
        "TOO_MANY_BOT_TOKENS",
        "the bot has as many tokens as it may: revoke one first",
        "令牌数量已达上限：请先撤销一个",
    )


def _no_bot() -> Refused:
    return Refused(
        code_pb2.NOT_FOUND,
        "BOT_NOT_FOUND",
        "you have no such bot, or it no such token",
        "你没有此机器人，或其没有此令牌",
    )
