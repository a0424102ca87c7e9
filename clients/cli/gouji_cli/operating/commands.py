"""The commands of `gouji admin`."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gouji_cli.operating import telling
from gouji_cli.operating.channel import Office
from gouji_cli.terminal import by_locale, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.protobuf.message import Message

app = typer.Typer(
    help="Look after a running server: its tables, its accounts, its audit log, and stopping it without hurry.",
    no_args_is_help=True,
)

DataDir = Annotated[Path, typer.Option("--data-dir", metavar="FOLDER", help="The server's data directory.")]
Admin = Annotated[
    str | None,
    typer.Option("--admin", metavar="HOST:PORT", help="Where a server with --admin-port listens for operators."),
]
Operator = Annotated[
    str | None, typer.Option("--operator", metavar="NAME", help="Who you are, for the audit log; else your login name.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the audit log.")]
TableName = Annotated[str, typer.Argument(metavar="TABLE", help="tables/…, from `gouji admin tables`.")]
AccountName = Annotated[str, typer.Argument(metavar="ACCOUNT", help="accounts/…, from `gouji admin accounts`.")]
Most = Annotated[int, typer.Option("--most", min=1, max=10_000, metavar="N", help="At most so many lines.")]

DATA = Path("data")


@contextmanager
def _office(data_dir: Path, admin: str | None, operator: str | None = None) -> Iterator[Office]:
    office = Office(data_dir, admin, operator)
    try:
        yield office
    finally:
        office.close()


def _list(
    office: Office, request: Any, field: str, most: int, line: Callable[[Any], Any], *, as_json: bool, nothing: str
) -> None:
    """Print a list, page by page, to its end or to `most`."""
    told = 0
    while True:
        request.page_size = min(most - told, 100)
        page = office.call(request)
        items = getattr(page, field)
        for item in items:
            lines = line(item)
            telling.show(item, [lines] if isinstance(lines, str) else lines, as_json=as_json)
        told += len(items)
        request.page_token = page.next_page_token
        if not request.page_token or told >= most:
            break
    if not told and not as_json:
        print(plain(nothing))


def _id() -> str:
    return uuid.uuid4().hex


@app.command()
def status(data_dir: DataDir = DATA, admin: Admin = None, as_json: AsJson = False) -> None:
    """Show how the server does."""
    from gouji.admin.v1 import admin_pb2 as pb

    with _office(data_dir, admin) as office:
        answer = office.call(pb.GetStatusRequest())
    telling.show(answer, telling.status_lines(answer), as_json=as_json)


@app.command()
def tables(
    data_dir: DataDir = DATA,
    admin: Admin = None,
    held: Annotated[bool, typer.Option("--held", help="Only those that `freeze` stopped.")] = False,
    finished: Annotated[bool, typer.Option("--finished", help="Those that are over.")] = False,
    most: Most = 100,
    as_json: AsJson = False,
) -> None:
    """List tables, private ones too, the newest first."""
    from gouji.admin.v1 import admin_pb2 as pb
    from gouji.lobby.v1 import lobby_pb2

    request = pb.ListTablesRequest(held=held)
    if finished:
        request.state = lobby_pb2.TABLE_STATE_FINISHED
    nothing = by_locale("no table", "没有牌桌")
    with _office(data_dir, admin) as office:
        _list(office, request, "tables", most, telling.table_line, as_json=as_json, nothing=nothing)


@app.command()
def inspect(
    table: TableName,
    reason: Reason = "",
    reveal: Annotated[bool, typer.Option("--reveal", help="Show all hands; wants a reason.")] = False,
    data_dir: DataDir = DATA,
    admin: Admin = None,
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Show a table as it is now. It goes into the audit log, with `--reveal` that hands were looked at."""
    from gouji.admin.v1 import admin_pb2 as pb

    with _office(data_dir, admin, operator) as office:
        answer = office.call(pb.InspectTableRequest(table=table, reason=reason, reveal=reveal))
    telling.show(answer, telling.inspection_lines(answer), as_json=as_json)


@app.command()
def freeze(
    table: TableName, reason: Reason = "", data_dir: DataDir = DATA, admin: Admin = None, operator: Operator = None
) -> None:
    """Have a match stand still until `unfreeze`: clocks and bots stop, and its players are told."""
    from gouji.admin.v1 import admin_pb2 as pb

    _change(data_dir, admin, operator, pb.FreezeTableRequest(table=table, reason=reason, request_id=_id()))


@app.command()
def unfreeze(
    table: TableName, reason: Reason = "", data_dir: DataDir = DATA, admin: Admin = None, operator: Operator = None
) -> None:
    """Let a match go on, with the time that was left."""
    from gouji.admin.v1 import admin_pb2 as pb

    _change(data_dir, admin, operator, pb.UnfreezeTableRequest(table=table, reason=reason, request_id=_id()))


@app.command()
def close(
    table: TableName, reason: Reason = "", data_dir: DataDir = DATA, admin: Admin = None, operator: Operator = None
) -> None:
    """Close a table for good. The deal that is played is not scored."""
    from gouji.admin.v1 import admin_pb2 as pb

    _change(data_dir, admin, operator, pb.CloseTableRequest(table=table, reason=reason, request_id=_id()))


@app.command()
def kick(
    table: TableName,
    seat: Annotated[int, typer.Argument(metavar="SEAT", min=0, max=5, help="0 to 5.")],
    reason: Reason = "",
    data_dir: DataDir = DATA,
    admin: Admin = None,
    operator: Operator = None,
) -> None:
    """Take a seat from who sits there. In a match a bot plays it to the end."""
    from gouji.admin.v1 import admin_pb2 as pb

    _change(data_dir, admin, operator, pb.KickSeatRequest(table=table, seat=seat, reason=reason, request_id=_id()))


def _change(data_dir: Path, admin: str | None, operator: str | None, request: Message) -> None:
    with _office(data_dir, admin, operator) as office:
        print(plain(telling.table_line(office.call(request).table)))


@app.command()
def accounts(
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="In the account's, display or login name.")] = "",
    data_dir: DataDir = DATA,
    admin: Admin = None,
    most: Most = 100,
    as_json: AsJson = False,
) -> None:
    """Find accounts, the newest first."""
    from gouji.admin.v1 import admin_pb2 as pb

    nothing = by_locale("no such account", "没有这样的账号")
    with _office(data_dir, admin) as office:
        request = pb.ListAccountsRequest(text=text)
        _list(office, request, "accounts", most, telling.account_line, as_json=as_json, nothing=nothing)


@app.command()
def ban(
    account: AccountName,
    reason: Reason,
    hours: Annotated[
        float | None, typer.Option("--hours", min=0.001, max=87_000, metavar="N", help="For so long; else for good.")
    ] = None,
    data_dir: DataDir = DATA,
    admin: Admin = None,
    operator: Operator = None,
) -> None:
    """Shut an account and its bots out, at once."""
    from gouji.admin.v1 import admin_pb2 as pb

    request = pb.BanAccountRequest(account=account, reason=reason)
    if hours is not None:
        request.duration.FromMilliseconds(round(hours * 3_600_000))
    with _office(data_dir, admin, operator) as office:
        print(plain(telling.ban_line(office.call(request).ban)))


@app.command()
def unban(
    account: AccountName, reason: Reason = "", data_dir: DataDir = DATA, admin: Admin = None, operator: Operator = None
) -> None:
    """Let an account in again."""
    from gouji.admin.v1 import admin_pb2 as pb

    with _office(data_dir, admin, operator) as office:
        office.call(pb.UnbanAccountRequest(account=account, reason=reason))
    print(plain(by_locale(f"{account} may sign in again", f"{account} 可以重新登录")))


@app.command()
def bans(data_dir: DataDir = DATA, admin: Admin = None, most: Most = 100, as_json: AsJson = False) -> None:
    """List the bans in force, the newest first."""
    from gouji.admin.v1 import admin_pb2 as pb

    nothing = by_locale("nobody is banned", "没有被封禁的账号")
    with _office(data_dir, admin) as office:
        _list(office, pb.ListBansRequest(), "bans", most, telling.ban_line, as_json=as_json, nothing=nothing)


@app.command()
def reports(data_dir: DataDir = DATA, admin: Admin = None, most: Most = 20, as_json: AsJson = False) -> None:
    """List what players reported, the newest first, with what was said around it."""
    from gouji.admin.v1 import admin_pb2 as pb

    nothing = by_locale("nothing was reported", "没有举报")
    with _office(data_dir, admin) as office:
        _list(office, pb.ListReportsRequest(), "reports", most, telling.report_lines, as_json=as_json, nothing=nothing)


@app.command()
def audit(
    target: Annotated[str, typer.Argument(metavar="[TARGET]", help="Only about this table or account.")] = "",
    data_dir: DataDir = DATA,
    admin: Admin = None,
    most: Most = 100,
    as_json: AsJson = False,
) -> None:
    """List what operators did, the newest first."""
    from gouji.admin.v1 import admin_pb2 as pb

    nothing = by_locale("nothing was done", "没有记录")
    with _office(data_dir, admin) as office:
        request = pb.ListAuditEntriesRequest(target=target)
        _list(office, request, "entries", most, telling.audit_line, as_json=as_json, nothing=nothing)


@app.command()
def drain(
    minutes: Annotated[
        float, typer.Option("--minutes", min=0, max=1440, metavar="N", help="How long matches may go on.")
    ] = 0,
    look: Annotated[bool, typer.Option("--look", help="Only show how far draining is.")] = False,
    reason: Reason = "",
    data_dir: DataDir = DATA,
    admin: Admin = None,
    operator: Operator = None,
) -> None:
    """Have the server begin nothing new, let matches end, and stop."""
    from gouji.admin.v1 import admin_pb2 as pb

    with _office(data_dir, admin, operator) as office:
        if not look:
            request = pb.DrainRequest(reason=reason)
            request.patience.FromMilliseconds(round(minutes * 60_000))
            office.call(request)
            most = by_locale(f", in {minutes:g} minutes at the latest", f"，最迟 {minutes:g} 分钟后") if minutes else ""
            text = by_locale("the server begins nothing new and stops", "服务器不再接受新的操作，即将停止")
            print(plain(text + most))
            return
        print(plain(telling.drain_line(office.call(pb.GetDrainRequest()))))
