"""DOMAIN. Matters: what is open in a knowledge base, read by structure, settled, ranked."""
