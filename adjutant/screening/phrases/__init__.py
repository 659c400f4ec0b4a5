"""SCREENING. Phrase books of the screen, a language each."""
