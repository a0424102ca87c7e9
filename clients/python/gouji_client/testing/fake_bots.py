"""The fake server's bots: accounts that belong to others, and their tokens."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import grpc

from gouji.session.v1 import session_pb2
from gouji_client.testing.refusals import Refusal, check_name

if TYPE_CHECKING:
    from collections.abc import Callable

_USUAL = (session_pb2.BOT_SCOPE_PLAY, session_pb2.BOT_SCOPE_LOBBY, session_pb2.BOT_SCOPE_WATCH)


class FakeBots:
    """Bots by name, and tokens by secret. `new_account` makes an account; `end` ends what a bot's token has begun."""

    def __init__(self, new_account: Callable[[str, str], session_pb2.Account], end: Callable[[str], None]) -> None:
        self._new_account = new_account
        self._end = end
        self._bots: dict[str, session_pb2.Account] = {}
        self._tokens: dict[str, session_pb2.BotToken] = {}
        self._made: dict[tuple[str, str], session_pb2.CreateBotAccountResponse] = {}
        self._made_tokens: dict[tuple[str, str], session_pb2.CreateBotTokenResponse] = {}

    def by_secret(self, secret: str) -> session_pb2.BotToken:
        """Return the token that a secret is of. Raises `Refusal`."""
        try:
            return self._tokens[secret]
        except KeyError:
            raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID", "unknown token", "令牌无效") from None

    def scopes_of(self, token: str) -> frozenset[session_pb2.BotScope.ValueType]:
        """Return what a token, by its name, is good for."""
        return frozenset(scope for held in self._tokens.values() if held.name == token for scope in held.scopes)

    def create(self, owner: str, request: session_pb2.CreateBotAccountRequest) -> session_pb2.CreateBotAccountResponse:
        """See `SessionService.CreateBotAccount`."""
        known = self._made.get((owner, request.request_id))
        if known is None:
            check_name(request.display_name)
            account = self._new_account(request.display_name, owner)
            self._bots[account.name] = account
            known = self._made[owner, request.request_id] = session_pb2.CreateBotAccountResponse(account=account)
        return known

    def of(self, owner: str) -> list[session_pb2.Account]:
        """Return the bots of an account, the newest first."""
        return [bot for bot in reversed(self._bots.values()) if bot.owner == owner]

    def delete(self, owner: str, name: str) -> None:
        """See `SessionService.DeleteBotAccount`."""
        self._own(owner, name)
        del self._bots[name]
        for token in self.tokens_of(name):
            self._drop(token.name)

    def create_token(
        self, owner: str, request: session_pb2.CreateBotTokenRequest
    ) -> session_pb2.CreateBotTokenResponse:
        """See `SessionService.CreateBotToken`."""
        self._own(owner, request.parent)
        known = self._made_tokens.get((request.parent, request.request_id))
        if known is None:
            token = session_pb2.BotToken(
                name=f"{request.parent}/tokens/{secrets.token_hex(8)}",
                description=request.description,
                scopes=request.scopes or _USUAL,
            )
            if request.HasField("expire_time"):
                token.expire_time.CopyFrom(request.expire_time)
            secret = f"gouji-bot-{secrets.token_urlsafe(24)}"
            self._tokens[secret] = token
            known = session_pb2.CreateBotTokenResponse(bot_token=token, token=secret)
            self._made_tokens[request.parent, request.request_id] = known
        return known

    def list_tokens(self, owner: str, bot: str) -> list[session_pb2.BotToken]:
        """See `SessionService.ListBotTokens`."""
        self._own(owner, bot)
        return self.tokens_of(bot)

    def tokens_of(self, bot: str) -> list[session_pb2.BotToken]:
        """Return the tokens of a bot, the newest first."""
        return [token for token in reversed(self._tokens.values()) if token.name.startswith(f"{bot}/tokens/")]

    def revoke_token(self, owner: str, name: str) -> None:
        """See `SessionService.RevokeBotToken`."""
        self._own(owner, name.partition("/tokens/")[0])
        self._drop(name)

    def _drop(self, name: str) -> None:
        self._tokens = {secret: token for secret, token in self._tokens.items() if token.name != name}
        self._end(name)

    def _own(self, owner: str, name: str) -> None:
        if name not in self._bots or self._bots[name].owner != owner:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "BOT_NOT_FOUND", "you have no such bot", "你没有此机器人")
