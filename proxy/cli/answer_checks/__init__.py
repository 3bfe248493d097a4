"""`citestream cite` for many answers: their files, the check of each, and reports for continuous integration."""
