"""DOMAIN. Pure rules over the tree, one room a subject."""
