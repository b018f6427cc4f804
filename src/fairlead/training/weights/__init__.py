"""Mitigation on weights: training goes on, so that who is shown depends less on a group.

All methods share one loop.

A method is one file that names and explains it; its course, which needs torch, is another, so that
all can be listed without.
"""
