"""One file a verb: its plan, what it runs, its result."""
