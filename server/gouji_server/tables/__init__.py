"""Tables: one actor each, its journal, its clock, and everyone who follows it."""

from gouji_server.tables.clock import Clock, Entropy, SystemClock, SystemEntropy, Timer
from gouji_server.tables.deciding import Caller, TableSpec
from gouji_server.tables.handle import TableHandle
from gouji_server.tables.house_bots import BotFailed, Choice, HouseBots, WorkerBots
from gouji_server.tables.limits import Limits
from gouji_server.tables.names import table_name
from gouji_server.tables.observing import Metrics, NullMetrics
from gouji_server.tables.outbox import Outbox
from gouji_server.tables.refusals import Refused, TableNotFound
from gouji_server.tables.registry import Tables

__all__ = [
    "BotFailed",
    "Caller",
    "Choice",
    "Clock",
    "Entropy",
    "HouseBots",
    "Limits",
    "Metrics",
    "NullMetrics",
    "Outbox",
    "Refused",
    "SystemClock",
    "SystemEntropy",
    "TableHandle",
    "TableNotFound",
    "TableSpec",
    "Tables",
    "Timer",
    "WorkerBots",
    "table_name",
]
