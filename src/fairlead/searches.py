"""Assembly of searches: a plan's text becomes an encoder, a gallery and an index that answer queries, plain and mitigated."""
