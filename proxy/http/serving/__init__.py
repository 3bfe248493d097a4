"""Server processes: one or several workers, and Python's cycle collector."""
