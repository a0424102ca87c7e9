"""The `gouji` command. The one place that knows both the client and, where installed, the server."""
