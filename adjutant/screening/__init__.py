"""SCREENING. What untrusted text may not do: fences around it, and the screen for instructions in it."""
