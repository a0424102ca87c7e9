"""Putting people together who want to play: tickets, parties, and the search for six who fit."""

from gouji_server.matchmaking.matchmaker import Matchmaker, MatchmakingLimits
from gouji_server.matchmaking.parties import Parties, Party
from gouji_server.matchmaking.tickets import Rating, State, Ticket, Wishes

__all__ = ["Matchmaker", "MatchmakingLimits", "Parties", "Party", "Rating", "State", "Ticket", "Wishes"]
