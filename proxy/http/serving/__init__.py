"""Server processes: one or several workers, their connections, and Python's cycle collector."""
