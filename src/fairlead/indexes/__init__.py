"""Indexes: query vectors in, a ranking of rows out."""
