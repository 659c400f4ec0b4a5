"""What stands in for `adjutant` in a shell (see warm.door): hands over what it was given, and ends as the program does.

It imports only what that takes, for this is what a start of the program costs there.
"""

from __future__ import annotations

import os
import pickle
import socket
import struct
import sys

NUMBER = struct.Struct("=q")


def main(address: str, words: list[str]) -> int:
    """Asks at the address for the program with these words; returns its exit code as a shell knows it."""
    plan = pickle.dumps({"words": words, "cwd": os.getcwd(), "env": dict(os.environ)})
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(address)
        socket.send_fds(line, [NUMBER.pack(len(plan))], [0, 1, 2])
        line.sendall(plan)
        (code,) = NUMBER.unpack(line.recv(NUMBER.size, socket.MSG_WAITALL))
    return int(code) if code >= 0 else 128 - int(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
