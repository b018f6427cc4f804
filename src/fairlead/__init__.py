"""fairlead: audit, red-team and mitigate social, language and cultural bias in text-image retrieval."""

__version__ = "0.1.0.dev0"
