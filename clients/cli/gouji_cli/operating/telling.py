"""Answers to operators as lines of text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.json_format import MessageToDict

import gouji_rules as gr
from gouji_cli.terminal import plain, print_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.protobuf.message import Message
    from google.protobuf.timestamp_pb2 import Timestamp

    from gouji.admin.v1 import admin_pb2 as pb
    from gouji.lobby.v1 import lobby_pb2


def show(message: Message, lines: Iterable[str], *, as_json: bool) -> None:
    """Print an answer: as JSON with the names of the protos, or as lines."""
    if as_json:
        print_json(MessageToDict(message, preserving_proto_field_name=True))
        return
    for line in lines:
        print(plain(line))


def at(time: Timestamp) -> str:
    """Return a time as UTC, to the second."""
    return time.ToDatetime().isoformat(timespec="seconds") + "Z" if time.ByteSize() else "-"


def status_lines(status: pb.GetStatusResponse) -> Iterable[str]:
    """Tell how a server does."""
    yield f"version: {status.version}"
    yield f"address: {status.address}"
    yield f"since: {at(status.start_time)}"
    yield f"tables: {status.open_tables} open, {status.awake_tables} in memory"
    yield f"streams: {status.streams}, {status.backlog_bytes} bytes wait"
    yield f"draining: {'yes' if status.draining else 'no'}"


def table_line(table: lobby_pb2.Table) -> str:
    """Tell of a table in one line."""
    from gouji.lobby.v1 import lobby_pb2

    state = lobby_pb2.TableState.Name(table.state).removeprefix("TABLE_STATE_").lower()
    people = sum(bool(player.account) for player in table.players)
    bots = sum(bool(player.bot) for player in table.players)
    marks = [word for word, on in (("private", table.private), ("held", table.HasField("hold_time"))) if on]
    return " ".join(
        [
            table.name,
            state,
            table.rule_set.removeprefix("ruleSets/"),
            f"{people} people {bots} bots",
            *marks,
            table.title,
        ]
    ).rstrip()


def inspection_lines(seen: pb.InspectTableResponse) -> Iterable[str]:
    """Tell of a table all that an operator sees."""
    yield table_line(seen.table)
    yield f"version {seen.version}, {seen.journal_entries} journal entries, {seen.streams} streams"
    if seen.decision:
        asked = ", ".join(map(str, seen.asked))
        yield f"decision {seen.decision}: seats {asked} are asked, until {at(seen.deadline)}"
    hands = {hand.seat: hand for hand in seen.hands}
    for player in seen.table.players:
        who = player.bot or player.display_name or "free"
        line = f"seat {player.seat}: {who} {player.account}".rstrip()
        if player.seat in hands:
            hand = hands[player.seat]
            line += f" {gr.format_cards([gr.Card(card) for card in hand.cards])}" + (
                " answered" if hand.answered else ""
            )
        yield line


def account_line(account: pb.FoundAccount) -> str:
    """Tell of an account in one line."""
    parts = [account.name, account.display_name, f"since {at(account.create_time)}"]
    if account.login_name:
        parts.append(f"signs in as {account.login_name}")
    if account.owner:
        parts.append(f"bot of {account.owner}")
    if account.HasField("delete_time"):
        parts.append("deleted")
    if account.HasField("ban"):
        parts.append(f"banned until {at(account.ban.expire_time)}" if account.ban.HasField("expire_time") else "banned")
    return ", ".join(parts)


def ban_line(ban: pb.Ban) -> str:
    """Tell of a ban in one line."""
    until = f"until {at(ban.expire_time)}" if ban.HasField("expire_time") else "for good"
    return f"{ban.account} {ban.display_name} {until}, by {ban.operator} at {at(ban.create_time)}: {ban.reason}"


def audit_line(entry: pb.AuditEntry) -> str:
    """Tell of an entry of the audit log in one line."""
    parts = [at(entry.time), entry.operator, entry.action, entry.target, entry.detail]
    return " ".join(part for part in parts if part) + (f": {entry.reason}" if entry.reason else "")


def report_lines(report: pb.Report) -> Iterable[str]:
    """Tell of a report: who reported what, why, and what was said around it."""
    yield f"{report.name} {at(report.time)} {report.table} {report.scope}, by {report.reporter}: {report.reason}"
    yield f"  > {report.said.sender} {report.said.display_name}: {report.said.content}"
    for line in report.around:
        yield f"    {line.sender} {line.display_name}: {line.content}"


def drain_line(drain: pb.GetDrainResponse) -> str:
    """Tell how far draining is."""
    if not drain.draining:
        return "the server does not drain"
    return f"draining until {at(drain.deadline)}: {drain.matches} matches of people, {drain.streams} streams"
