"""DOMAIN. Learning: what was asked and how well it went, what follows from it, and what a person then accepts."""
