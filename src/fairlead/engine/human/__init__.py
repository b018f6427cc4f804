"""People asked for labels: their tasks, what to label next, and their answers."""
