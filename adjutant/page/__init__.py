"""SHELL. The page of `adjutant serve`: what a browser on this machine may see and press; it runs verbs, and is none."""
