"""Accounts, bans, reports and the audit log as messages to operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gouji.admin.v1 import admin_pb2 as pb
from gouji_server.accounts.account import PREFIX
from gouji_server.api.timestamps import timestamp

if TYPE_CHECKING:
    from google.protobuf.duration_pb2 import Duration

    from gouji_server.records.account_record import AccountRecord
    from gouji_server.records.audit import AuditEntry
    from gouji_server.records.bans import BanRecord
    from gouji_server.records.reports import Report


def ban_message(ban: BanRecord, display_name: str = "") -> pb.Ban:
    """Tell of a ban."""
    message = pb.Ban(
        account=PREFIX + ban.account_id,
        display_name=display_name,
        create_time=timestamp(ban.created),
        reason=ban.reason,
        operator=ban.operator,
    )
    if ban.expires is not None:
        message.expire_time.CopyFrom(timestamp(ban.expires))
    return message


def account_message(account: AccountRecord, ban: BanRecord | None) -> pb.FoundAccount:
    """Tell of an account what operators may know."""
    message = pb.FoundAccount(
        name=PREFIX + account.id,
        display_name=account.display_name,
        login_name=account.login_name or "",
        owner="" if account.owner_id is None else PREFIX + account.owner_id,
        create_time=timestamp(account.created),
    )
    if account.deleted is not None:
        message.delete_time.CopyFrom(timestamp(account.deleted))
    if ban is not None:
        message.ban.CopyFrom(ban_message(ban))
    return message


def audit_message(entry: AuditEntry) -> pb.AuditEntry:
    """Tell what an operator did."""
    return pb.AuditEntry(
        time=timestamp(entry.time),
        operator=entry.operator,
        action=entry.action,
        target=entry.target,
        reason=entry.reason,
        detail=entry.detail,
    )


def report_message(report: Report) -> pb.Report:
    """Tell what was reported."""
    return pb.Report(
        name=f"reports/{report.id}",
        time=timestamp(report.created),
        reporter=_account(report.reporter),
        table=report.table,
        scope=report.scope,
        reason=report.reason,
        said=_line(report.said),
        around=map(_line, report.around),
    )


def _line(line: dict[str, str]) -> pb.ReportedLine:
    message = pb.ReportedLine(
        sender=_account(line["sender"]),
        display_name=line.get("name", ""),
        kind=line.get("kind", ""),
        content=line.get("content", ""),
    )
    if line.get("time"):
        message.time.FromJsonString(line["time"])
    return message


def _account(name: str) -> str:
    return name if name.startswith(PREFIX) else PREFIX + name


def seconds_of(duration: Duration) -> float:
    """Return a duration in seconds."""
    return duration.seconds + duration.nanos / 1e9
