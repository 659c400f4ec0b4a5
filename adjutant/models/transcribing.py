"""OUTSIDE. Any server with OpenAI's /audio/transcriptions: hosted, whisper.cpp, speaches, vLLM."""

from __future__ import annotations

from typing import Any

from urllib3 import encode_multipart_formdata

from adjutant.models.transport import Transport
from adjutant.ports import ModelFailed
from adjutant.store import jsonl

PATH = "/audio/transcriptions"
PATIENCE = 3  # times what one request may take, for all tries together


class OpenAITranscriber:
    """POST {base}/audio/transcriptions, a form with the sound in it."""

    def __init__(self, line: Transport, seconds: float) -> None:
        self._line, self._seconds = line, seconds

    def transcribe(self, audio: bytes, name: str, model: str, language: str, key: str) -> str:
        """As the port says."""
        fields: dict[str, Any] = {"file": (name, audio), "model": model, "response_format": "json"}
        form, kind = encode_multipart_formdata(fields | ({"language": language} if language else {}))
        headers = {"Content-Type": kind, "Accept": "application/json", "Accept-Encoding": "identity"}
        headers["Idempotency-Key"] = key
        deadline = self._line.monotonic() + self._seconds * PATIENCE

        def once() -> str:
            answer = self._line.ask(PATH, form, deadline, headers)
            if not 200 <= answer.status < 300:
                raise self._line.server.refused(answer, model)
            try:
                text = jsonl.loads(answer.body)["text"]
                return self._line.server.scrubbed(str(text))
            except (ValueError, KeyError, TypeError):
                place = self._line.server.place
                raise ModelFailed("malformed", f"{place} answered, but with no transcription") from None

        return self._line.keep_on(deadline, once)
