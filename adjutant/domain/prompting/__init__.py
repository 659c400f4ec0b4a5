"""DOMAIN. What a model is shown: the layers and sections of a prompt, put together."""
