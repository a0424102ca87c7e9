"""The rules of Gouji (够级): a pure engine, without I/O, clock or randomness of its own."""
