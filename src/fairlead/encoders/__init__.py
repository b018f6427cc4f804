"""Encoders: each file meets one library of models."""
