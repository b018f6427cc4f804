"""Use cases: on types and protocols only; no files, no names to look up."""
