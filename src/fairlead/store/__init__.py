"""The store reads files into values and writes them back. Foreign file formats are met here."""
