"""Mitigation on weights: a model is trained on, so that who is shown depends less on a group. One
loop for all.

A method is one file that names and explains it; its course, which needs torch, is another, so that
all can be listed without.
"""
