"""Mitigation on weights: a model is trained on, so that who is shown depends less on a group. One method, one file; one loop for all."""
