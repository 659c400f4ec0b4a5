"""GROUND. The names under which secrets stand in the environment or in .env; their values stay with `wire`."""

from __future__ import annotations

SECRETS = (
    "TELEGRAM_BOT_TOKEN", "TELEGRAM_CHAT_ID", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "TYPESENSE_API_KEY", "REDIS_URL",
)
