"""Tries at join codes: so few that nobody finds a private table by guessing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji_server.api.errors import limited
from gouji_server.rate_limits import TokenBuckets
from gouji_server.tables.join_codes import read_code

if TYPE_CHECKING:
    from gouji_server.api.calls import Call
    from gouji_server.config import Config
    from gouji_server.tables import Clock


class CodeTries:
    """Counts tries for each account and each address, right ones as well as wrong: a count must not tell which."""

    def __init__(self, config: Config, clock: Clock) -> None:
        burst, minute = config.join_code_burst, config.join_codes_per_minute
        self._accounts = TokenBuckets(clock, burst, minute / 60)
        many = config.join_code_address_factor
        self._addresses = TokenBuckets(clock, burst * many, minute * many / 60)

    def take(self, account: str, call: Call, said: str) -> str:
        """Count a try; return the code as tables keep it, empty where what was said is none. Raises Refused."""
        if not said:
            return ""
        self.count(account, call)
        return read_code(said) or ""

    def count(self, account: str, call: Call) -> None:
        """Count a try, at a share link too. Raises Refused."""
        # Where the address has no try left the account's is not given back: it errs on the side of the table.
        wait = max(self._accounts.take(account), self._addresses.take(call.address))
        if wait:
            raise limited(
                "TOO_MANY_JOIN_CODES",
                "too many join codes or share links were tried from this account or address",
                "此账号或地址尝试入桌码或分享链接过于频繁",
                retry_seconds=wait,
            )
