"""RECORDS. The kinds of file in an instance: each module reads and writes one kind.

What reads or writes a file raises FileDamaged, with file and line, and IoFailed; docstrings name only what else comes.
"""
