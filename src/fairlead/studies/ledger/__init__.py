"""The ledger of published numbers: one file for each paper, and the numbers they print under
``published/``.
"""
