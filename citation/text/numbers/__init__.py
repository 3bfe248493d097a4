"""Numbers, dates and units in text, and when two of them agree."""
