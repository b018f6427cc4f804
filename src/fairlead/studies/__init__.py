"""Computations that answer one question over many lists or worlds: frontiers, calibrations,
simulations, the ledger.
"""
