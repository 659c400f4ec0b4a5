"""RECORDS. The kinds of file in an instance, as formats.md tells them: each module reads and writes one kind.

What reads or writes a file raises FileDamaged, with file and line, and IoFailed; docstrings name only what else comes.
"""
