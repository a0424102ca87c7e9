"""The Gouji service: tables, journal, records and the gRPC API in front of them."""

import os

# The server starts a worker process and never forks to go on as itself: gRPC need not prepare for that, and would say
# on standard error that it cannot.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
