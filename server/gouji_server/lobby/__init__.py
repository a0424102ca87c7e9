"""The lobby's own part: what tables can be made with, and lists that come in pages."""

from gouji_server.lobby.page_tokens import PageTokenError, PageTokens
from gouji_server.lobby.rule_sets import rule_sets

__all__ = ["PageTokenError", "PageTokens", "rule_sets"]
