"""STAGE. One file a verb: WRITES, run(app, args) -> Outcome."""
