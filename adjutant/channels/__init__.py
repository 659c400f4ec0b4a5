"""OUTSIDE. Ways a notice reaches the operator; `wire` picks one."""
