"""OUTSIDE. Copies of what the files say on servers of the operator's: Typesense, searched, and Redis."""
