"""DOMAIN. What comes over Telegram: updates, the log of them, commands, answers."""
