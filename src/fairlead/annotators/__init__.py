"""Annotators: who appears to belong to which group, and who says so."""
