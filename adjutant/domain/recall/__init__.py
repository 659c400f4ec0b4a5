"""DOMAIN. What can be found: the concept scheme, the collections and their documents, and the one query."""
