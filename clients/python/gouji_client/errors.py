"""What can go wrong, as the caller sees it.

Everything the client raises on purpose is a `GoujiError`; its text is written for people.

    GoujiError
    ├── ServerUnreachable    nothing answers, or the server went away and did not come back in time
    ├── BadInput             what was passed in cannot be used: no action, no address, no seat …
    ├── SignInFailed         the server does not know these credentials, or the session cannot be renewed
    ├── NotSignedIn          a call was made before `sign_in`
    ├── Refused              the server understood and said no: an illegal action, a full table, a stale decision …
    ├── ServerFailed         the server met a fault of its own, or does not know the call
    ├── ProtocolBroken       the server sent something that its own contract forbids
    ├── UnsafeConnection     secrets would go out in the clear to another machine
    ├── CredentialsError     a credentials file cannot be used
    ├── BotFailed            a bot's own code raised an error and was not to be excused (`on_error="raise"`)
    └── ClientClosed         the client was closed while, or before, this was asked
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from collections.abc import Mapping


class GoujiError(Exception):
    """Base of everything the client raises on purpose.

    `text_zh` says it in Chinese; it is empty where there is no such text.
    """

    text_zh: str = ""


class ServerUnreachable(GoujiError):
    """Nothing answers at the address, or the connection was lost for longer than the client's patience.

    `address` is where the client looked; `detail` is what the transport said, `detail_zh` the same in Chinese.
    """

    def __init__(self, address: str, detail: str, detail_zh: str = "") -> None:
        self.address = address
        self.detail = detail
        self.text_zh = f"{address} 没有够级服务器应答：{detail_zh or detail}"
        super().__init__(f"no Gouji server answers at {address}: {detail}")


class BadInput(GoujiError, ValueError):
    """What was passed in cannot be used: no action, no address, no seat, no such policy … Nothing was sent.

    It is a ValueError too.
    """


class SignInFailed(GoujiError):
    """The server does not accept the credentials, or a session can no longer be renewed."""


class NotSignedIn(GoujiError):
    """The call needs an account: `client.sign_in(name)` comes first."""

    def __init__(self) -> None:
        super().__init__("sign in first, with client.sign_in(name)")


class Refused(GoujiError):
    """The server understood the request and refused it; nothing changed.

    `code` is the gRPC status, `reason` a machine-readable word such as `STALE_DECISION` or `DOES_NOT_BEAT`, `rule` the
    number of the rule that an action breaks (`R12`; empty when it is no matter of the rules), `text_en` and `text_zh`
    are for people, `metadata` holds more facts by name. `retry_delay`: seconds after which the same command may be
    tried again, where the server told it; else 0.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        *,
        rule: str = "",
        text_en: str = "",
        text_zh: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_delay: float = 0.0,
    ) -> None:
        self.code = code
        self.reason = reason
        self.retry_delay = retry_delay
        self.rule = rule
        self.text_en = text_en
        self.text_zh = text_zh
        self.metadata: Mapping[str, str] = MappingProxyType(dict(metadata or {}))
        super().__init__(f"{reason or code.name}: {text_en or code.name}" + (f" ({rule})" if rule else ""))

    @property
    def stale(self) -> bool:
        """Whether the table had already moved on: the question was answered by the clock, or by an earlier try."""
        return self.code is grpc.StatusCode.ABORTED

    @property
    def temporary(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self.code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)


class ServerFailed(GoujiError):
    """The server met a fault of its own, or does not offer the call. `code` is the gRPC status."""

    def __init__(self, code: grpc.StatusCode, detail: str) -> None:
        self.code = code
        self.detail = detail
        super().__init__(f"the server failed ({code.name}): {detail or 'no reason given'}")


class ProtocolBroken(GoujiError):
    """The server sent what its contract forbids, and went on doing so after the client started anew."""


class UnsafeConnection(GoujiError):
    """Cleartext to another machine: pass `tls=True`, or `insecure=True` if the network between is trusted."""


class CredentialsError(GoujiError):
    """A credentials file is missing, damaged, readable by others, or belongs to another server."""

    def __init__(self, text_en: str, text_zh: str = "") -> None:
        self.text_zh = text_zh
        super().__init__(text_en)


class BotFailed(GoujiError):
    """A bot's own code failed. The error it raised is the cause (`__cause__`)."""

    def __init__(self, text_en: str, text_zh: str = "") -> None:
        self.text_zh = text_zh
        super().__init__(text_en)


class ClientClosed(GoujiError):
    """The client is closed: make a new one with `connect`."""

    def __init__(self) -> None:
        super().__init__("the client is closed: connect anew")
