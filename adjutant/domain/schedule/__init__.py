"""DOMAIN. The room of time: when a stage is due, and what was missed."""
