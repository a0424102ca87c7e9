"""The gRPC surface: it translates, checks shapes, knows who calls, and hands on."""
