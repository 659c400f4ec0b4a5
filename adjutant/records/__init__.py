"""RECORDS. The kinds of file in the tree: each module turns one kind into values and back."""
