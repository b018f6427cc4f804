"""Reports: a result value shown to people."""
