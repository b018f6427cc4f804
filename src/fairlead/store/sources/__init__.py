"""Sources: what a collection is made from. Each kind of source gives entries, in an order of its
own that never depends on the disk.
"""
