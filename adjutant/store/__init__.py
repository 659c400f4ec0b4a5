"""FILES. Paths, the one writer, settings, the index: what an instance's files are read and written by."""
