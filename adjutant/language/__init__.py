"""LANGUAGE. How text is read: words, stems, sentences, which language, negation, dates, figures, phrases, likeness."""
