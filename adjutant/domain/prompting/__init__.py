"""DOMAIN. What a model is shown: fences around data and the screen for instructions in it."""
