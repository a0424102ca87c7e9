"""`gouji admin`: what the operators of a running server do."""
