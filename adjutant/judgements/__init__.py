"""OPINION. One file a question put to a model, each with its own rule-based answer."""
