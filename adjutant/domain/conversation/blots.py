"""DOMAIN. Secrets in what is said: blotted out before a word of it is kept or sent."""

from __future__ import annotations

from adjutant.app import App
from adjutant.domain.memory import gate
from adjutant.secret_names import SECRETS, label
from adjutant.store.own_secrets import Blotter, own_secrets

SHORTEST = 6  # characters; a shorter value would blot out ordinary words


class Blots(Blotter):
    """Whatever must stand nowhere (store/own_secrets), and of this instance's own secrets each part."""

    def __init__(self, app: App) -> None:
        """Raises FileDamaged, IoFailed."""
        found = own_secrets(app.files, app.secret, app.environment)
        parts = [part for name in SECRETS for part in label(name, app.secret(name) or "").items()]
        found |= {text: name for name, text in parts if len(text) >= SHORTEST}
        super().__init__(lambda: found)

    own = Blotter.text

    def message(self, text: str) -> tuple[str, list[str]]:
        """(what may be kept of an operator's message, what was taken out of it): keys of any service, too."""
        plain = self.own(text)
        kept, kinds = gate.without_keys(plain)
        return kept, [*(["a secret of this instance"] if plain != text else []), *kinds]
