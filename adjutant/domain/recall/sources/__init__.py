"""DOMAIN. One module a collection: the bytes of one file of the tree, turned into documents."""
