"""DOMAIN. A turn: what is known when a message comes, who answers it, with which tools, and what is kept of it."""
