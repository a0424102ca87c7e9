"""Every bound of the tables room, and what happens beyond it (docs/limits.md says the same for people)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds. Sizes are in bytes, times in seconds."""

    mailbox: int = 256
    """Messages waiting at one table. Beyond: the command is refused with RESOURCE_EXHAUSTED, `TABLE_BUSY`.
    Clock expiries and answers of built-in bots are never refused; there are at most eight of them."""
    commands_in_flight: int = 32
    """Commands of one stream without a result yet. Beyond: the stream is not read until results have left."""
    outbox_bytes: int = 1 << 20
    """What waits for one slow reader. Beyond: the backlog of the table that overflows is dropped and replaced by one
    snapshot when the reader is ready again. Results are never dropped."""
    outbox_chunks: int = 4096
    """Steps and results that wait for one slow reader. Beyond: as for `outbox_bytes`."""
    message_bytes: int = 512 << 10
    """What one stream message holds; what waits beyond goes into the next. A single larger step goes alone."""
    ring_steps: int = 512
    """Recent steps that a table keeps. A reader that resumes from before them gets a snapshot."""
    ring_bytes: int = 512 << 10
    """Bytes of recent steps that a table keeps. Beyond: the oldest go first, as for `ring_steps`."""
    chat_ring: int = 50
    """What is said at a table in one scope and remembered. Beyond: the oldest goes."""
    chat_requests: int = 256
    """Request ids of what was said at a table. Beyond: the oldest are forgotten."""
    late_bytes: int = 8 << 20
    """Bytes of steps of one table that wait to be told to those without a seat. Beyond: those steps are replaced by one
    snapshot, told when the newest of them is due."""
    spectator_delay_seconds: float = 0.0
    """How much later those without a seat are told what happens in a match: the least, and what it is unless said."""
    watchers: int = 500
    """Subscriptions of one table without a seat. Beyond: RESOURCE_EXHAUSTED, `TOO_MANY_WATCHERS`."""
    streams_per_account: int = 8
    """Subscriptions of one account to one table. Beyond: RESOURCE_EXHAUSTED, `TOO_MANY_STREAMS`."""
    open_tables: int = 20_000
    """Tables that are not over. Beyond: RESOURCE_EXHAUSTED, `TOO_MANY_TABLES`."""
    open_tables_per_account: int = 50
    """Tables of one owner that are not over. Beyond: RESOURCE_EXHAUSTED, `TOO_MANY_TABLES_OF_ACCOUNT`."""
    closed_tables_listed: int = 1000
    """Tables that are over and still in lists. Beyond: the oldest leave the lists; they can be got by name."""
    said_a_deal: int = 60
    """How often one seat may ask for counts, vote, hand itself to a bot and join again in one deal. Beyond:
    RESOURCE_EXHAUSTED, `TOO_MUCH_SAID`, until the next deal."""
    changes_waiting: int = 100
    """How often one account may take a seat, choose an opposite and say whether it is ready before the match. Beyond:
    RESOURCE_EXHAUSTED, `TOO_MANY_CHANGES`; it may still give its seat up."""
    changes_waiting_in_all: int = 1000
    """How often all accounts together may do so before nobody new takes a seat: RESOURCE_EXHAUSTED, `TOO_MANY_CAME`.
    Who sits may go on, as far as `changes_waiting`."""
    seat_lease_seconds: float = 60.0
    """A person who follows a waiting table on no stream, and calls nothing about it, loses its seat after this long. 0:
    nobody does."""
    reserved_seconds: float = 60.0
    """How long a rematch keeps each seat for its player. Beyond: anybody may take it."""
    lobby_requests: int = 256
    """Request ids of lobby commands that a table remembers. Beyond: the oldest are forgotten."""
    idle_seconds: float = 60.0
    """A table that nobody follows, asks or waits for is dropped from memory after this long."""
    waiting_seconds: float = 24 * 3600.0
    """A table that waits for players without anyone doing anything is closed after this long."""
    retry_seconds: float = 1.0
    """Between attempts to read a journal that cannot be read."""
    presence_seconds: float = 5.0
    """A player who has not followed its table for so long is told to be gone; 0: never."""
    gone_a_deal: int = 20
    """How often one seat is told to be gone in one deal. Beyond: nobody is told any more, until the next deal."""
    away_seconds: float = 60.0
    """One who has neither followed its table nor called about it for so long has its seat played by a bot; 0: never."""
    expiries_in_a_row: int = 3
    """So has one who let so many decisions in a row lapse that it was asked alone; 0: never."""
    suspend_seconds: float = 600.0
    """A match that none of its people has followed, or called about, for so long stands still; 0: never."""
    dissolve_seconds: float = 24 * 3600.0
    """A match that has stood still for so long is over."""
    bot_seconds: float = 5.0
    """Time that a built-in bot may think beyond its delay. Beyond: the default answer is its answer."""
    compensation_seconds: float = 5.0
    """After an outage an open question has at least this long, however little was left."""
    lag_seconds: float = 0.3
    """An answer that comes so long after its deadline is in time: it was under way."""
    entropy_seconds: float = 0.0
    """How long a deal that is promised waits for seats to give entropy, unless all people at the table have. 0: deals
    begin at once, without a promise."""
    pause_seconds: float = 0.0
    """Between the end of a deal and the next one."""
