"""Parties of allies: kept in memory, entered by a code."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji_server.tables import Refused
from gouji_server.tables.join_codes import draw_code

if TYPE_CHECKING:
    from gouji_server.tables.clock import Entropy

MOST_PARTIES = 10_000
"""Parties at once. Beyond: the one that was made longest ago is no more."""
MOST_MEMBERS = 3


@dataclass(slots=True)
class Party:
    """Members in order, the leader first; ``ticket`` the newest one's id, empty for none."""

    id: str
    code: str
    members: list[str]
    ticket: str = ""


class Parties:
    """All parties of this server."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._parties: OrderedDict[str, Party] = OrderedDict()
        self._by_code: dict[str, str] = {}
        self._of: dict[str, str] = {}

    def get(self, party: str, account: str) -> Party:
        """Return a party of somebody's. Raises Refused NOT_FOUND for any other."""
        found = self._parties.get(party)
        if found is None or account not in found.members:
            raise party_not_found()
        return found

    def create(self, party: str, account: str) -> Party:
        """Make a party with a leader; again under the same id it is the same one. Raises Refused."""
        found = self._parties.get(party)
        if found is not None and account in found.members:
            return found
        self._check_free(account)
        code = draw_code(self._entropy, self._by_code.__contains__)
        made = self._parties[party] = Party(party, code, [account])
        self._by_code[code] = party
        self._of[account] = party
        if len(self._parties) > MOST_PARTIES:
            self._end(next(iter(self._parties.values())))
        return made

    def find(self, code: str) -> Party:
        """Return the party that a code opens. Raises Refused NOT_FOUND."""
        found = self._parties.get(self._by_code.get(code, ""))
        if found is None:
            raise party_not_found()
        return found

    def join(self, party: Party, account: str) -> None:
        """Enter a party; being in it already is no error. Raises Refused."""
        if account in party.members:
            return
        self._check_free(account)
        if len(party.members) >= MOST_MEMBERS:
            raise Refused(code_pb2.FAILED_PRECONDITION, "PARTY_FULL", "the party has three members", "队伍已满三人")
        party.members.append(account)
        self._of[account] = party.id

    def leave(self, party: Party, account: str) -> None:
        """Leave a party; without its leader it is no more."""
        if party.members[0] == account:
            self._end(party)
        else:
            party.members.remove(account)
            del self._of[account]

    def _end(self, party: Party) -> None:
        del self._parties[party.id]
        del self._by_code[party.code]
        for member in party.members:
            self._of.pop(member, None)

    def _check_free(self, account: str) -> None:
        if account in self._of:
            raise Refused(
                code_pb2.FAILED_PRECONDITION,
                "IN_A_PARTY",
                "you are in a party: leave it first",
                "你已在队伍中：请先离开",
            )


def party_not_found() -> Refused:
    """Refuse a party that is not the caller's, whether there is one or not."""
    return Refused(code_pb2.NOT_FOUND, "PARTY_NOT_FOUND", "there is no such party of yours", "你没有这个队伍")
