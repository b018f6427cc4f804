"""Benchmarks: a collection, queries and a protocol, each with a card."""
