"""What operators do to a running server: the audit log, and draining."""
