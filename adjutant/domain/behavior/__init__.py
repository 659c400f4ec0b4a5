"""DOMAIN. What the operator told the agent to keep, do more or less of, stop or start."""
