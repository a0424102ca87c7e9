"""The account that is signed in, and what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.session.v1 import session_pb2
from gouji_client.arguments import resource_name

if TYPE_CHECKING:
    from gouji.session.v1.session_pb2_grpc import SessionServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.credentials import Credentials
    from gouji_client.session import Session


class Accounts:
    """What an account may do about itself: `client.accounts`.

    Every call raises `Refused` with the server's reason, `BadInput`, `ServerUnreachable`, `NotSignedIn`, `SignInFailed`
    or `ClientClosed`.
    """

    def __init__(self, stub: SessionServiceAsyncStub, session: Session, calls: Calls) -> None:
        self._stub = stub
        self._session = session
        self._calls = calls

    async def me(self) -> session_pb2.Account:
        """Return the account that is signed in, as the server knows it now."""
        request = session_pb2.GetAccountRequest(name="accounts/me")
        return (await self._calls.signed(self._session, self._stub.GetAccount, request)).account

    # ── sessions ──

    async def sessions(self) -> list[session_pb2.OpenSession]:
        """Return where the account is signed in, the session that was used last first."""
        found: list[session_pb2.OpenSession] = []
        request = session_pb2.ListSessionsRequest()
        while True:
            answer = await self._calls.signed(self._session, self._stub.ListSessions, request)
            found.extend(answer.sessions)
            if not answer.next_page_token:
                return found
            request.page_token = answer.next_page_token

    async def revoke_session(self, session: str) -> None:
        """End a session, `sessions/…`, at once. A device that it was on cannot come back by its secret."""
        request = session_pb2.RevokeSessionRequest(name=resource_name(session, "sessions"))
        await self._calls.signed(self._session, self._stub.RevokeSession, request)

    async def sign_out_everywhere(self, *, keep_this: bool = True) -> int:
        """End all other sessions, or this one too; return how many. Devices may come back by their secret."""
        request = session_pb2.SignOutEverywhereRequest(keep_this_session=keep_this)
        answer = await self._calls.signed(self._session, self._stub.SignOutEverywhere, request)
        if not keep_this:
            self._session.forget()
        return answer.ended_sessions

    async def replace_device_secret(self) -> Credentials:
        """End all other sessions and make every device secret void; return credentials with the only one that is good.

        For when a device, or a file of credentials, was lost. Keep what is returned: nothing else comes back.
        """
        request = session_pb2.SignOutEverywhereRequest(keep_this_session=True, replace_device_secrets=True)
        answer = await self._calls.signed(self._session, self._stub.SignOutEverywhere, request)
        return self._session.replace_secret(answer.device_secret)
