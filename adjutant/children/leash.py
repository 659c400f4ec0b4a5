"""GROUND. `python -I -S leash.py PARENT PROGRAM WORD…` becomes PROGRAM, which ends when PARENT is no more."""

import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(words: list[str]) -> None:
    """Does not return. Raises OSError where PROGRAM cannot be started."""
    parent, *argv = words
    if sys.platform == "linux":
        import ctypes  # nothing else here needs it

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != int(parent):
            raise SystemExit(1)  # it ended before the bond was tied
    os.execv(argv[0], argv)


if __name__ == "__main__":
    main(sys.argv[1:])
