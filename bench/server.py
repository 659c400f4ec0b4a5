"""A simulated model: answers every chat request after DELAY seconds. `python -m bench.server DELAY` prints its port.

GET /seen tells what was asked: [{name, arrived, answered, chars}], times monotonic.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SEEN: list[dict[str, Any]] = []
GUARD = threading.Lock()


def reply(body: dict[str, Any]) -> tuple[str, str]:
    """(which question it was, a reply that fits it). Nothing is ever found: what is measured is the asking."""
    hold = {"reason": "it can wait", "verdict": "hold"}
    verdicts = [{"matter": f"m{n}", "evidence": [f"m{n}"], **hold} for n in range(1, 9)]
    return "brief", json.dumps({"summary": "quiet", "items": [], "open": verdicts})


class Handler(BaseHTTPRequestHandler):
    """POST a chat request, GET /seen."""

    protocol_version = "HTTP/1.1"
    delay = 0.0

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        """What was asked so far; forgotten afterwards."""
        with GUARD:
            told, SEEN[:] = json.dumps(SEEN), []
        self._send(told)

    def do_POST(self) -> None:
        """One question."""
        arrived = time.monotonic()
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        name, text = reply(body)
        time.sleep(self.delay)
        chars = sum(len(str(message["content"])) for message in body["messages"])
        usage = {"prompt_tokens": chars // 4, "completion_tokens": len(text) // 4}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        answer = {"id": "b", "object": "chat.completion", "model": "bench", "choices": [choice], "usage": usage}
        self._send(json.dumps(answer))
        with GUARD:
            SEEN.append({"name": name, "arrived": arrived, "answered": time.monotonic(), "chars": chars})

    def _send(self, text: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    """Takes a hundred callers at once."""

    daemon_threads = True
    request_queue_size = 256


if __name__ == "__main__":
    Handler.delay = float(sys.argv[1])
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
