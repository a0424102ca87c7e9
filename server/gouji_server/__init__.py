"""The Gouji service: tables, journal, records and the gRPC API in front of them."""
