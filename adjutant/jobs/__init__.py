"""JOBS. Named lists of steps, durable: each step's result is kept, so that what was cut goes on where it was."""
