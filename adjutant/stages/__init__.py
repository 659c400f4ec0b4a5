"""STAGE. One file a verb: HELP, READS, WRITES, arguments(parser), run(app, args) -> Outcome."""
