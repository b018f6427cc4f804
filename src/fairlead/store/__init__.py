"""The store: files in, values out, and back. Every foreign file format is met here."""
