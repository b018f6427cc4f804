"""The one road: sources, labels, candidates, treatments, measuring. The only place that joins
adapters and algorithms.
"""
