"""Laws of each protocol and tiny fixtures, for the authors of plug-ins."""
