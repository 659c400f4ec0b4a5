"""DOMAIN. Telling: what a notice and a digest say, the budget, the quiet hours, the record."""
