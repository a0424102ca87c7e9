"""Giving entropy of one's own for deals that are promised, so that the server cannot have chosen the cards (R3)."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from gouji.table.v1 import table_pb2
from gouji_client.calls import new_request_id
from gouji_client.errors import GoujiError, Refused

if TYPE_CHECKING:
    from gouji.lobby.v1 import lobby_pb2
    from gouji.table.v1.table_pb2_grpc import TableServiceAsyncStub
    from gouji_client.calls import Calls
    from gouji_client.session import Session

ENTROPY_BYTES = 32

log = logging.getLogger(__name__)


class EntropyGiver:
    """Gives random bytes, new ones for each deal, at every table where the account sits."""

    def __init__(self, stub: TableServiceAsyncStub, session: Session, calls: Calls) -> None:
        self._stub = stub
        self._session = session
        self._calls = calls

    def asked(self, update: table_pb2.TableUpdate, table: lobby_pb2.Table) -> int:
        """Return the number of the deal for which this account may give entropy now; 0 for none."""
        account = self._session.account.name if self._session.signed_in else ""
        seat = next((player.seat for player in table.players if account and player.account == account), None)
        if seat is None:
            return 0
        deal = 0
        if update.snapshot.HasField("deal_promised"):
            given = {entropy.seat for entropy in update.snapshot.entropies}
            deal = 0 if seat in given else update.snapshot.deal_promised.deal
        for event in update.events:
            if event.HasField("deal_promised"):
                deal = event.deal_promised.deal
            elif event.HasField("deal_started"):
                deal = 0
        return deal

    async def give(self, table: str, deal: int) -> None:
        """Give entropy. That it comes too late is no failure: the deal begins without it."""
        request = table_pb2.ContributeEntropyRequest(
            request_id=new_request_id(), table=table, deal=deal, entropy=os.urandom(ENTROPY_BYTES)
        )
        try:
            await self._calls.signed(self._session, self._stub.ContributeEntropy, request)
        except Refused as refused:
            log.debug("no entropy for deal %s of %s: %s", deal, table, refused)
        except GoujiError as error:
            log.info("no entropy could be given for deal %s of %s: %s", deal, table, error)
