"""Metrics: evidence in, a numerator and a denominator per query out.

One metric, one file, one skeleton.
"""
