"""PDF: the text of its pages, with tables."""
