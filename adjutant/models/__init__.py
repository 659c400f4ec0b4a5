"""OUTSIDE. Routes to language models; `wire` picks one."""
