"""DOMAIN: knowledge bases, read as files and turned into signals without any model."""
