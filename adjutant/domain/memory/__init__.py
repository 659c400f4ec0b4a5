"""DOMAIN. The room of memory: notes, what may become one, and when two say the same."""
