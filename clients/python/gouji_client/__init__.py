"""The Python client of a Gouji server: an async SDK, a sync façade and a bot runner."""
