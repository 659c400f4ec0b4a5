"""STAGE. One file a verb: run(app, args) -> Outcome."""
