"""Sources: what a collection is made from. A source gives entries in an order of its own.

That order never depends on the disk.
"""
