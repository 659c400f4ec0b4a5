"""WIRING. Secrets from the environment, then .env; an address that adjutant.yaml names gets none of the former."""

from __future__ import annotations

import os

from adjutant.errors import IoFailed
from adjutant.secret_names import host_of, is_home, is_loopback, list_hearers, parse_env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adjutant.store.files import Files


class Secrets:
    """Secrets from the environment, then .env. Never printed: the repr shows none. An adjutant.yaml may be somebody
    else's. So an address that it names never gets a key of the environment."""

    def __init__(self, files: Files, say: Callable[[str], None], environment: Mapping[str, str]) -> None:
        self._files, self._say, self.environment = files, say, environment
        self._read: dict[str, str] | None = None
        self._told: set[tuple[str, str]] = set()

    def get(self, name: str, address: str | None = None) -> str | None:
        """A secret by its documented name, None when it is not set. With an `address`: the one to send there."""
        given, home = self.environment.get(name), address is None or is_home(name, address)
        found = (given if home else None) or self._from_file().get(name) or None
        if given and address is not None and found is None:
            host = host_of(address)
            # A server on this machine mostly needs none, and says so when it does.
            if host and not is_loopback(host):
                self._tell(
                    name, f"is not sent from the environment to {host}: put it into .env if {host} should get it"
                )
        if found and address is not None:
            self.warn_sent(name, address)
        return found

    def warn_sent(self, name: str, address: str) -> None:
        """Says once that a secret goes to another machine in the clear."""
        for host in list_hearers(address):
            self._tell(name, f"is sent to {host} without TLS, for anyone on the way to read: use https:// or rediss://")

    def _tell(self, name: str, what: str) -> None:
        if (name, what) not in self._told:
            self._told.add((name, what))
            self._say(f"{name} {what}")

    def _from_file(self) -> dict[str, str]:
        if self._read is None:
            self._read = {}
            path = self._files.tree.env
            try:
                if os.stat(path).st_mode & 0o077:
                    self._say(".env can be read by others: chmod 600 .env")
                self._read = parse_env(self._files.text(path))
            except FileNotFoundError:
                pass
            except OSError as error:
                raise IoFailed(f".env: {error.strerror}") from error
        return self._read
