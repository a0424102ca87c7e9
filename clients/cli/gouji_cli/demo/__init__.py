"""`gouji demo`: a real server, six bots on connections of their own, a match, its records checked."""
