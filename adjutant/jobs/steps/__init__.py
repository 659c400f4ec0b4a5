"""JOBS. A step each: typed input to typed output; none of them knows the tree, so any machine may work one."""
