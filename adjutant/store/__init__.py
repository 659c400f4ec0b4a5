"""FILES. The one tree of files: names, the only writer, switches, config, locks."""
