"""`gouji replay`: a match that is over, or a record, looked at again step by step."""
