"""What `adjutant init DIR` copies into a fresh instance: plain files, read as package data."""
