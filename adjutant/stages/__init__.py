"""STAGE. One file a verb: `run(app, args)` gives its result by spec/60, and raises AdjutantError where it cannot."""
