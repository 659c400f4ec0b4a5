"""DOMAIN. The standing rules: what stays of months and notes, a recorded decision an item, one file a person edits."""
