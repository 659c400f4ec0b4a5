"""DOCUMENTS. What files say: one reader for pages, tables, records, mail and calendars; folders; edits."""
