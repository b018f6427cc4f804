"""Rerankers: evidence in, a new order out. One algorithm, one file, one skeleton."""
