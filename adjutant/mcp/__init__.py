"""SHELL. The door for agents: `adjutant mcp` and `/mcp` of the page; each tool runs its verb at the desk."""
