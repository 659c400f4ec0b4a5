"""LANGUAGE. How text is read, whoever reads it: words, stems, and whether two texts say the same."""
