"""Why a command is refused. Texts and facts are public or the caller's own, never another seat's."""

from __future__ import annotations

import math
import secrets
from typing import TYPE_CHECKING

from google.rpc import code_pb2

from gouji.rules.v1 import rules_pb2
from gouji.table.v1 import table_pb2

if TYPE_CHECKING:
    from gouji_rules import RuleViolation

INVALID_ARGUMENT = code_pb2.INVALID_ARGUMENT
NOT_FOUND = code_pb2.NOT_FOUND
ALREADY_EXISTS = code_pb2.ALREADY_EXISTS
PERMISSION_DENIED = code_pb2.PERMISSION_DENIED
RESOURCE_EXHAUSTED = code_pb2.RESOURCE_EXHAUSTED
FAILED_PRECONDITION = code_pb2.FAILED_PRECONDITION
ABORTED = code_pb2.ABORTED
INTERNAL = code_pb2.INTERNAL
UNAVAILABLE = code_pb2.UNAVAILABLE


class Refused(Exception):
    """A command that was refused and changed nothing.

    ``code`` is a google.rpc.Code, ``reason`` machine-readable (UPPER_SNAKE_CASE), ``rule`` a number of docs/rules.md or
    empty, the texts are for people, ``metadata`` holds more facts by name, ``fields`` pairs of a request's field and
    what is wrong with it, ``retry_seconds`` is set when trying again later makes sense, ``quota`` names
    what is used up where that has a name.
    """

    def __init__(
        self,
        code: int,
        reason: str,
        text_en: str,
        text_zh: str,
        *,
        rule: str = "",
        metadata: dict[str, str] | None = None,
        fields: tuple[tuple[str, str], ...] = (),
        retry_seconds: float | None = None,
        quota: str = "",
    ) -> None:
        super().__init__(f"{reason}: {text_en}")
        self.code = code
        self.reason = reason
        self.rule = rule
        self.text_en = text_en
        self.text_zh = text_zh
        self.metadata = metadata or {}
        self.fields = fields
        self.retry_seconds = retry_seconds
        self.quota = quota

    @property
    def status(self) -> str:
        """The code's name, such as ``"ABORTED"``."""
        return code_pb2.Code.Name(self.code)

    def to_proto(self) -> table_pb2.CommandError:
        """The refusal as a stream's result or CheckPlay tells it."""
        error = table_pb2.CommandError(
            code=self.code,
            reason=self.reason,
            rule=self.rule,
            text=rules_pb2.LocalizedText(en=self.text_en, zh=self.text_zh),
            metadata=self.metadata,
        )
        if self.retry_seconds is not None:
            error.retry_delay.FromMilliseconds(math.ceil(self.retry_seconds * 1000))
        return error


class TableNotFound(Refused):
    """No such table."""

    def __init__(self) -> None:
        super().__init__(NOT_FOUND, "TABLE_NOT_FOUND", "there is no such table", "没有这张桌子")


def by_rule(violation: RuleViolation) -> Refused:
    """Refuse what the rules refuse: cards that make no play are of bad shape (R10), all else is not legal now."""
    code = INVALID_ARGUMENT if violation.code == "NOT_A_PLAY" else FAILED_PRECONDITION
    return Refused(code, violation.code, violation.text_en, violation.text_zh, rule=violation.rule)


def bad_field(field: str, text_en: str, text_zh: str, reason: str = "BAD_REQUEST") -> Refused:
    """Refuse a request for the shape of one field."""
    return Refused(INVALID_ARGUMENT, reason, f"{field}: {text_en}", f"{field}：{text_zh}", fields=((field, text_en),))


def used_id() -> Refused:
    """Refuse a request id that was used with another body."""
    return Refused(
        ALREADY_EXISTS,
        "REQUEST_ID_USED",
        "this request id was used before with another body",
        "此请求号已用于另一内容",
    )


def not_seated() -> Refused:
    """Refuse a caller without a seat."""
    return Refused(PERMISSION_DENIED, "NOT_SEATED", "you have no seat at this table", "你不在这张桌上")


def not_a_spectator() -> Refused:
    """Refuse one who sits at a table and speaks among those who watch it."""
    return Refused(
        PERMISSION_DENIED,
        "NOT_A_SPECTATOR",
        "you sit at this table: what spectators say among themselves is not for you",
        "你坐在这张桌上：旁观者之间的交谈与你无关",
    )


def not_for_you() -> Refused:
    """Refuse to tell what was said among others."""
    return Refused(PERMISSION_DENIED, "NOT_FOR_YOU", "what is said there is not for you", "那里的交谈不对你开放")


def no_team_chat() -> Refused:
    """Refuse talk among allies where there is none."""
    return Refused(
        FAILED_PRECONDITION,
        "NO_TEAM_CHAT",
        "allies talk among themselves in a match with federations, where the table allows it",
        "联邦内交谈仅限有联邦的对局进行时，且须牌桌允许",
    )


def no_spectators() -> Refused:
    """Refuse a watcher where nobody may watch."""
    return Refused(PERMISSION_DENIED, "NO_SPECTATORS", "this table may not be watched", "这张桌子不许旁观")


def not_private() -> Refused:
    """Refuse to tell the join code of a table that has none."""
    return Refused(
        FAILED_PRECONDITION,
        "NOT_PRIVATE",
        "this table is not private and has no join code",
        "这张桌子不是私人桌，没有入桌码",
    )


def not_welcome() -> Refused:
    """Refuse a seat to somebody whom the owner does not let in; why is the owner's business."""
    return Refused(PERMISSION_DENIED, "NOT_WELCOME", "the table's owner does not let you in", "桌主不让你入座")


def nobody_there(seat: int) -> Refused:
    """Refuse to kick nobody."""
    return Refused(FAILED_PRECONDITION, "NOBODY_THERE", f"nobody sits at seat {seat}", f"{seat}号座位没有人")


def another_there(seat: int) -> Refused:
    """Refuse to kick another one than was meant."""
    return Refused(
        FAILED_PRECONDITION, "ANOTHER_THERE", f"somebody else sits at seat {seat} by now", f"{seat}号座位已换了人"
    )


def kicking_oneself() -> Refused:
    """Refuse an owner who kicks itself."""
    return Refused(
        FAILED_PRECONDITION, "KICK_ANOTHER", "you may leave, but not kick yourself", "可以离开，但不能请出自己"
    )


def match_running() -> Refused:
    """Refuse a rematch before the match is over."""
    return Refused(FAILED_PRECONDITION, "MATCH_RUNNING", "the match is not over yet", "牌局尚未结束")


def stale_decision(current: int) -> Refused:
    """Refuse an answer to a question that is not open."""
    return Refused(
        ABORTED,
        "STALE_DECISION",
        "this decision is not open: look at the newest question",
        "这个问题已不在等待回答：请看最新的问题",
        metadata={"decision": str(current)},
    )


def stale_version(current: int) -> Refused:
    """Refuse a command that expects another version."""
    return Refused(
        ABORTED,
        "STALE_VERSION",
        "the table has moved on from the expected version",
        "牌桌已不是所指的版本",
        metadata={"version": str(current)},
    )


def not_started() -> Refused:
    """Refuse a move before the match."""
    return Refused(FAILED_PRECONDITION, "MATCH_NOT_STARTED", "the match has not begun", "牌局尚未开始")


def started() -> Refused:
    """Refuse a change of seats once the match has begun."""
    return Refused(FAILED_PRECONDITION, "MATCH_STARTED", "the match has begun", "牌局已经开始")


def no_choosing() -> Refused:
    """Refuse choosing an opposite where the rule set has seats otherwise."""
    return Refused(
        FAILED_PRECONDITION,
        "NO_CHOOSING",
        "nobody chooses an opposite at this table: `seating` is another",
        "本桌不选对头：入座方式不同",
        rule="R9",
    )


def no_deal() -> Refused:
    """Refuse what is asked about a deal where none is running."""
    return Refused(FAILED_PRECONDITION, "NO_DEAL", "no deal is running", "没有正在打的盘")


def said_too_much(most: int) -> Refused:
    """Refuse a seat that has asked and voted too often in this deal."""
    return Refused(
        RESOURCE_EXHAUSTED,
        "TOO_MUCH_SAID",
        f"a seat may ask for counts, vote and join again {most} times a deal",
        f"每盘每个座位最多问报牌、表决、再次入座 {most} 次",
    )


def changed_too_often(most: int) -> Refused:
    """Refuse an account that has changed its mind too often before the match."""
    return Refused(
        RESOURCE_EXHAUSTED,
        "TOO_MANY_CHANGES",
        f"you may sit down, choose and be ready or not {most} times before a match: leave, and make another table",
        f"开局前每人最多入座、选对头、改准备状态 {most} 次：请离座，另开一桌",
    )


def too_many_came() -> Refused:
    """Refuse one more who takes a seat where too many came and went."""
    return Refused(
        RESOURCE_EXHAUSTED,
        "TOO_MANY_CAME",
        "too many have come and gone at this table: make another one",
        "这张桌子来去的人太多：请另开一桌",
    )


def no_peeking() -> Refused:
    """Refuse letting somebody look where the rules have no looking."""
    return Refused(
        FAILED_PRECONDITION,
        "NO_PEEKING",
        "by this table's rules nobody looks at another's hand",
        "此桌规则不许看他人的牌",
        rule="R81",
    )


def not_an_ally() -> Refused:
    """Refuse letting an enemy look."""
    return Refused(
        FAILED_PRECONDITION, "NOT_AN_ALLY", "only an ally may look at your hand", "只有联邦可以看你的牌", rule="R81"
    )


def no_hints() -> Refused:
    """Refuse a hint where the table has none."""
    return Refused(FAILED_PRECONDITION, "NO_HINTS", "this table gives no hints", "此桌不提供提示")


def hints_busy() -> Refused:
    """Refuse a hint while too many are being thought about."""
    return Refused(
        RESOURCE_EXHAUSTED,
        "HINTS_BUSY",
        "too many hints are being thought about: ask again",
        "正在思考的提示太多：请稍后再试",
        retry_seconds=0.5,
    )


def not_asked() -> Refused:
    """Refuse a hint for a question that is not the caller's."""
    return Refused(FAILED_PRECONDITION, "NOT_ASKED", "your seat is asked nothing now", "现在没有问你")


def match_over() -> Refused:
    """Refuse anything at a table that is closed."""
    return Refused(FAILED_PRECONDITION, "TABLE_CLOSED", "the table is closed", "牌桌已经关闭")


def suspended() -> Refused:
    """Refuse what is said at a suspended table."""
    return Refused(
        FAILED_PRECONDITION,
        "TABLE_SUSPENDED",
        "the match stands still, since nobody was there: follow the table, and it goes on",
        "牌局因无人在场而暂停：关注牌桌即可继续",
    )


def held() -> Refused:
    """Refuse what is said at a table that operators hold."""
    return Refused(
        FAILED_PRECONDITION,
        "TABLE_HELD",
        "the server's operators have the match stand still: wait until they let it go on",
        "管理员已暂停牌局：请等待恢复",
    )


def ousted() -> Refused:
    """Refuse what somebody says for a seat that operators took away."""
    return Refused(
        PERMISSION_DENIED,
        "SEAT_TAKEN_AWAY",
        "the server's operators took this seat from you: a bot plays it to the end of the match",
        "管理员已收回你的座位：由机器人打完全局",
    )


def frozen() -> Refused:
    """Refuse anything at a frozen table."""
    return Refused(
        FAILED_PRECONDITION,
        "TABLE_FROZEN",
        "the server found a fault of its own and stopped this table",
        "服务器发现自身故障，已停止这张桌子",
    )


def busy() -> Refused:
    """Refuse what a full mailbox has no room for."""
    return Refused(
        RESOURCE_EXHAUSTED,
        "TABLE_BUSY",
        "too many commands wait at this table",
        "这张桌子等待的命令太多",
        retry_seconds=0.2,
    )


def unavailable() -> Refused:
    """Refuse what could not be made durable; it may be there all the same, so try again with the same request id."""
    return Refused(
        UNAVAILABLE,
        "NOT_DURABLE",
        "the server could not store this: try again with the same request id",
        "服务器未能保存：请用同一请求号重试",
        retry_seconds=1.0,
    )


def link_ended() -> Refused:
    """End a stream that followed a table by a share link: its client follows the rest anew."""
    return Refused(
        UNAVAILABLE,
        "SHARE_LINK_ENDED",
        "a share link by which this stream followed a table is void: follow the others anew",
        "此数据流所用的一个分享链接已作废：请重新关注其余牌桌",
        retry_seconds=0.0,
    )


def stopping() -> Refused:
    """Refuse what comes while the server stops."""
    return Refused(
        UNAVAILABLE, "STOPPING", "the server is stopping: try again", "服务器正在停止：请重试", retry_seconds=1.0
    )


def fault(incident: str) -> Refused:
    """Own up to a fault of the server, by the number under which its log tells more."""
    return Refused(
        INTERNAL,
        "FAULT",
        f"something went wrong in the server; incident {incident} is in its log",
        f"服务器内部错误，事件编号 {incident} 已记入日志",
        metadata={"incident": incident},
    )


def new_incident() -> str:
    """Draw the number of a fault: it tells nothing of how many there were."""
    return secrets.token_hex(6)
