"""Benchmarks: ours and a peer (or a physical limit) in turn, told as ratios."""
