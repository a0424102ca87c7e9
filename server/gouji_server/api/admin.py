"""AdminService: what operators do, translated. It is served by :mod:`gouji_server.api.admin_listener` alone.

Whatever changes something, and every look into a table, is in the audit log before it is done or answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from google.rpc import code_pb2

from gouji.admin.v1 import admin_pb2 as pb
from gouji.table.v1 import table_pb2
from gouji_server.accounts.bans import NoSuchAccount
from gouji_server.api.admin_calls import errand_of
from gouji_server.api.admin_messages import account_message, audit_message, ban_message, report_message, seconds_of
from gouji_server.api.pages import DEFAULT_PAGE, MAX_PAGE
from gouji_server.api.timestamps import timestamp
from gouji_server.api.validation import Shape
from gouji_server.records.bans import Place
from gouji_server.records.reports import ReportPlace
from gouji_server.tables import Refused
from gouji_server.tables.directory import place_of
from gouji_server.tables.lobby_state import FINISHED, FROZEN

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Protocol

    from gouji.lobby.v1 import lobby_pb2
    from gouji_server.accounts.bans import Bans
    from gouji_server.admin.audit import AuditLog
    from gouji_server.admin.draining import Draining
    from gouji_server.api.admin_calls import AdminCalls
    from gouji_server.api.listener import Handlers
    from gouji_server.api.pages import Pages
    from gouji_server.records.reports import Report
    from gouji_server.tables import Clock
    from gouji_server.tables.operating import Operating

    class ReportRecords(Protocol):
        """Where reports are kept."""

        async def page(self, after: ReportPlace | None, most: int) -> list[Report]:
            """Return at most so many reports, the newest first."""

    class Paged(Protocol):
        """A request for a page."""

        page_size: int
        page_token: str


T = TypeVar("T")

MOST_PATIENCE = 24 * 3600
MOST_BAN = 10 * 366 * 24 * 3600
MOST_TEXT = 64


@dataclass(frozen=True, slots=True)
class Office:
    """What operators work with.

    ``streams`` counts the open ones, ``cancel_tickets`` gives up an account's; ``version`` and ``address`` are the
    server's.
    """

    operating: Operating
    bans: Bans
    audit: AuditLog
    reports: ReportRecords
    draining: Draining
    pages: Pages
    clock: Clock
    streams: Callable[[], int]
    cancel_tickets: Callable[[str], Awaitable[None]]
    version: str
    address: str


class AdminService:
    """See the module."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._started = office.clock.now()

    def handlers(self, calls: AdminCalls) -> Handlers:
        """Return the handlers of all methods, by name."""
        return {
            "GetStatus": calls.unary("GetStatus", pb.GetStatusRequest, self._get_status),
            "ListTables": calls.unary("ListTables", pb.ListTablesRequest, self._list_tables),
            "InspectTable": calls.unary("InspectTable", pb.InspectTableRequest, self._inspect_table),
            "FreezeTable": calls.unary("FreezeTable", pb.FreezeTableRequest, self._freeze_table),
            "UnfreezeTable": calls.unary("UnfreezeTable", pb.UnfreezeTableRequest, self._unfreeze_table),
            "CloseTable": calls.unary("CloseTable", pb.CloseTableRequest, self._close_table),
            "KickSeat": calls.unary("KickSeat", pb.KickSeatRequest, self._kick_seat),
            "ListAccounts": calls.unary("ListAccounts", pb.ListAccountsRequest, self._list_accounts),
            "BanAccount": calls.unary("BanAccount", pb.BanAccountRequest, self._ban_account),
            "UnbanAccount": calls.unary("UnbanAccount", pb.UnbanAccountRequest, self._unban_account),
            "ListBans": calls.unary("ListBans", pb.ListBansRequest, self._list_bans),
            "ListReports": calls.unary("ListReports", pb.ListReportsRequest, self._list_reports),
            "ListAuditEntries": calls.unary("ListAuditEntries", pb.ListAuditEntriesRequest, self._list_audit_entries),
            "Drain": calls.unary("Drain", pb.DrainRequest, self._drain),
            "GetDrain": calls.unary("GetDrain", pb.GetDrainRequest, self._get_drain),
        }

    # ── the server ──

    async def _get_status(self, _request: pb.GetStatusRequest, _operator: str) -> pb.GetStatusResponse:
        office = self._office
        open_tables, awake, backlog = office.operating.counts()
        return pb.GetStatusResponse(
            version=office.version,
            address=office.address,
            start_time=timestamp(self._started),
            server_time=timestamp(office.clock.now()),
            open_tables=open_tables,
            awake_tables=awake,
            streams=office.streams(),
            backlog_bytes=backlog,
            draining=office.draining.begun,
        )

    async def _drain(self, request: pb.DrainRequest, operator: str) -> pb.DrainResponse:
        shape = Shape().duration(request.patience, 0, MOST_PATIENCE, "patience")
        errand = errand_of(shape, operator, request.reason)
        shape.settle()
        patience = seconds_of(request.patience)
        await self._office.audit.note(errand, "Drain", detail=f"patience {patience:g} s")
        await self._office.draining.begin(patience)
        return pb.DrainResponse()

    async def _get_drain(self, _request: pb.GetDrainRequest, _operator: str) -> pb.GetDrainResponse:
        draining = self._office.draining
        answer = pb.GetDrainResponse(draining=draining.begun, matches=draining.matches, streams=self._office.streams())
        if draining.deadline is not None:
            answer.deadline.CopyFrom(timestamp(draining.deadline))
        return answer

    async def _list_audit_entries(
        self, request: pb.ListAuditEntriesRequest, _operator: str
    ) -> pb.ListAuditEntriesResponse:
        question = ("ListAuditEntries", request.target)
        position, size = self._page(request, question)
        entries = await self._office.audit.page(int(position) if position else None, size + 1, request.target)
        return pb.ListAuditEntriesResponse(
            entries=map(audit_message, entries[:size]),
            next_page_token=self._next(question, entries, size, lambda entry: str(entry.id)),
        )

    # ── tables ──

    async def _list_tables(self, request: pb.ListTablesRequest, _operator: str) -> pb.ListTablesResponse:
        question = ("ListTables", request.state, request.held)
        position, size = self._page(request, question)
        time, _, name = position.partition("|")
        after = (int(time), name) if position else None

        def matches(info: lobby_pb2.Table) -> bool:
            wanted = info.state == request.state if request.state else info.state not in (FINISHED, FROZEN)
            return wanted and (not request.held or info.HasField("hold_time"))

        found = self._office.operating.every(matches, after, size + 1)
        token = self._next(question, found, size, lambda info: "{}|{}".format(*place_of(info)))
        return pb.ListTablesResponse(tables=found[:size], next_page_token=token)

    async def _inspect_table(self, request: pb.InspectTableRequest, operator: str) -> pb.InspectTableResponse:
        shape = Shape().name(request.table, "tables", "table")
        errand = errand_of(shape, operator, request.reason, reason_needed=request.reveal)
        shape.settle()
        office = self._office
        await office.audit.note(errand, "InspectTable", request.table, "reveal" if request.reveal else "")
        seen = await office.operating.inspect(request.table, reveal=request.reveal)
        _, streams = office.operating.presence(request.table)
        answer = pb.InspectTableResponse(
            table=seen.info,
            version=seen.version,
            journal_entries=seen.entries,
            decision=seen.decision,
            asked=seen.asked,
            streams=streams,
            held=seen.info.HasField("hold_time"),
            view=table_pb2.TableUpdate.FromString(seen.view),
        )
        if seen.deadline:
            answer.deadline.FromMilliseconds(seen.deadline)
        for hand in seen.hands:
            answer.hands.add(seat=hand.seat, cards=hand.cards, answered=hand.answered)
        return answer

    async def _freeze_table(self, request: pb.FreezeTableRequest, operator: str) -> pb.FreezeTableResponse:
        await self._note_change("FreezeTable", request, operator)
        return pb.FreezeTableResponse(table=await self._office.operating.hold(request.table, request.request_id))

    async def _unfreeze_table(self, request: pb.UnfreezeTableRequest, operator: str) -> pb.UnfreezeTableResponse:
        await self._note_change("UnfreezeTable", request, operator)
        return pb.UnfreezeTableResponse(table=await self._office.operating.release(request.table, request.request_id))

    async def _close_table(self, request: pb.CloseTableRequest, operator: str) -> pb.CloseTableResponse:
        await self._note_change("CloseTable", request, operator)
        return pb.CloseTableResponse(table=await self._office.operating.shut_down(request.table, request.request_id))

    async def _kick_seat(self, request: pb.KickSeatRequest, operator: str) -> pb.KickSeatResponse:
        await self._note_change("KickSeat", request, operator, Shape().seat(request.seat), f"seat {request.seat}")
        table = await self._office.operating.oust(request.table, request.seat, request.request_id)
        return pb.KickSeatResponse(table=table)

    async def _note_change(
        self,
        action: str,
        request: pb.FreezeTableRequest | pb.UnfreezeTableRequest | pb.CloseTableRequest | pb.KickSeatRequest,
        operator: str,
        shape: Shape | None = None,
        detail: str = "",
    ) -> None:
        shape = (shape or Shape()).name(request.table, "tables", "table").request_id(request.request_id)
        errand = errand_of(shape, operator, request.reason)
        shape.settle()
        await self._office.audit.note(errand, action, request.table, detail)

    # ── people ──

    async def _list_accounts(self, request: pb.ListAccountsRequest, _operator: str) -> pb.ListAccountsResponse:
        question = ("ListAccounts", request.text)
        shape = Shape()
        if len(request.text) > MOST_TEXT:
            shape.bad("text", f"wanted: at most {MOST_TEXT} characters", f"最多 {MOST_TEXT} 个字符")
        position, size = self._page(request, question, shape)
        found = await self._office.bans.search(request.text, _place(position), size + 1)
        token = self._next(question, found, size, lambda one: f"{one[0].created!r}|{one[0].id}")
        return pb.ListAccountsResponse(
            accounts=[account_message(account, ban) for account, ban in found[:size]], next_page_token=token
        )

    async def _ban_account(self, request: pb.BanAccountRequest, operator: str) -> pb.BanAccountResponse:
        shape = Shape().name(request.account, "accounts", "account")
        if request.HasField("duration"):
            shape.duration(request.duration, 1, MOST_BAN, "duration")
        errand = errand_of(shape, operator, request.reason, reason_needed=True)
        shape.settle()
        seconds = seconds_of(request.duration) if request.HasField("duration") else None
        detail = "for good" if seconds is None else f"for {seconds:g} s"
        await self._office.audit.note(errand, "BanAccount", request.account, detail)
        ban = await _of_account(self._office.bans.add(request.account, seconds, errand.reason, errand.operator))
        await self._office.cancel_tickets(request.account)
        return pb.BanAccountResponse(ban=ban_message(ban))

    async def _unban_account(self, request: pb.UnbanAccountRequest, operator: str) -> pb.UnbanAccountResponse:
        shape = Shape().name(request.account, "accounts", "account")
        errand = errand_of(shape, operator, request.reason)
        shape.settle()
        await self._office.audit.note(errand, "UnbanAccount", request.account)
        await _of_account(self._office.bans.remove(request.account))
        return pb.UnbanAccountResponse()

    async def _list_bans(self, request: pb.ListBansRequest, _operator: str) -> pb.ListBansResponse:
        question = ("ListBans",)
        position, size = self._page(request, question)
        found = await self._office.bans.page(_place(position), size + 1)
        token = self._next(question, found, size, lambda one: f"{one[0].created!r}|{one[0].account_id}")
        return pb.ListBansResponse(bans=[ban_message(*one) for one in found[:size]], next_page_token=token)

    async def _list_reports(self, request: pb.ListReportsRequest, _operator: str) -> pb.ListReportsResponse:
        question = ("ListReports",)
        position, size = self._page(request, question)
        place = _place(position)
        after = None if place is None else ReportPlace(place.created, place.id)
        found = await self._office.reports.page(after, size + 1)
        token = self._next(question, found, size, lambda report: f"{report.created!r}|{report.id}")
        return pb.ListReportsResponse(reports=map(report_message, found[:size]), next_page_token=token)

    # ── pages ──

    def _page(self, request: Paged, question: Sequence[str | int], shape: Shape | None = None) -> tuple[str, int]:
        """Return where a page begins (empty: at the start), and how long it is. Raises Refused."""
        shape = (shape or Shape()).page_size(request.page_size, MAX_PAGE, DEFAULT_PAGE)
        position = self._office.pages.continued(("operators", *question), request.page_token, shape)
        shape.settle()
        return position, request.page_size or DEFAULT_PAGE

    def _next(self, question: Sequence[str | int], found: Sequence[T], size: int, position: Callable[[T], str]) -> str:
        more = len(found) > size
        return self._office.pages.following(("operators", *question), position(found[size - 1]) if more else "")


def _place(position: str) -> Place | None:
    created, _, name = position.partition("|")
    return Place(float(created), name) if position else None


async def _of_account(work: Awaitable[T]) -> T:
    try:
        return await work
    except NoSuchAccount as error:
        raise Refused(code_pb2.NOT_FOUND, "ACCOUNT_NOT_FOUND", "there is no such account", "没有这个账号") from error
