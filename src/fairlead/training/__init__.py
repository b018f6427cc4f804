"""Training: new weights for encoders. Needs the extra ``train``."""
