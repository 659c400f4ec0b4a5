"""DOMAIN. The heartbeat: what a pulse remembers, marks, failures."""
