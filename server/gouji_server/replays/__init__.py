"""Matches that are over: kept in the records, and told again step by step."""

from gouji_server.replays.keeper import MatchKeeper
from gouji_server.replays.replays import Replays, Wanted

__all__ = ["MatchKeeper", "Replays", "Wanted"]
