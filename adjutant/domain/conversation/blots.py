"""DOMAIN. Secrets in what is said: blotted out before a word of it is kept or sent."""

from __future__ import annotations

from adjutant.domain.memory import gate
from adjutant.secret_names import SECRETS, labelled
from adjutant.store.own_secrets import own_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from adjutant.app import App

SHORTEST = 6  # characters; a shorter value would blot out ordinary words


class Blots:
    """Whatever must stand nowhere (store/own_secrets), and of this instance's own secrets each part."""

    def __init__(self, app: App) -> None:
        """Raises FileDamaged, IoFailed."""
        secret = app.secret
        found = own_secrets(app.files, secret, app.environment)
        found |= {
            text: label
            for name in SECRETS
            for label, text in labelled(name, secret(name) or "").items()
            if len(text) >= SHORTEST
        }
        self._own = sorted(found.items(), key=lambda each: -len(each[0]))

    def own(self, text: str) -> str:
        """`text` with this instance's secrets replaced by their names."""
        for value, label in self._own:
            text = text.replace(value, f"<{label}>")
        return text

    def message(self, text: str) -> tuple[str, list[str]]:
        """(what may be kept of an operator's message, what was taken out of it): keys of any service, too."""
        plain = self.own(text)
        kept, kinds = gate.without_keys(plain)
        return kept, [*(["a secret of this instance"] if plain != text else []), *kinds]
