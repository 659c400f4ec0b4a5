"""A server on loopback: /audio/transcriptions as OpenAI has it, and pages to fetch. It keeps what it was asked."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Page(NamedTuple):
    """What a GET is answered with; `location` makes it a redirect."""

    data: bytes
    media: str = "text/html"
    location: str = ""


class SpeechServer:
    """`heard`: the Idempotency-Key of each request that was answered, `paths`: where it went. `slow`: seconds before an
    answer. `says`: status by the number of the request, 200 where none is given."""

    def __init__(self, pages: dict[str, Page] | None = None, slow: float = 0.0, says: dict[int, int] | None = None):
        self.heard: list[str] = []
        self.paths: list[str] = []
        self.pages, self.slow, self.says = pages or {}, slow, says or {}
        self.asked = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked += 1
                status = outer.says.get(outer.asked, 200)
                time.sleep(outer.slow)
                key = self.headers.get("Idempotency-Key", "")
                outer.heard += [key] if status == 200 else []
                outer.paths += [self.path] if status == 200 else []
                said = {"text": f"minute {int(key.split('-')[1]) // 60}"} if status == 200 else {"error": "busy"}
                self._send(status, "application/json", json.dumps(said).encode())

            def do_GET(self) -> None:
                page = outer.pages.get(self.path)
                if page is None:
                    self._send(404, "text/plain", b"no")
                elif page.location:
                    self._send(302, "text/plain", b"", Location=page.location)
                else:
                    self._send(200, page.media, page.data)

            def _send(self, status: int, kind: str, data: bytes, **headers: str) -> None:
                self.send_response(status)
                for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    pass  # whoever asked is gone

            def log_message(self, *words: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> SpeechServer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
