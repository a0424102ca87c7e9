"""Share links: by which people may watch a table, or look at a match, that is not theirs to find."""

from gouji_server.sharing.links import ShareLinks

__all__ = ["ShareLinks"]
