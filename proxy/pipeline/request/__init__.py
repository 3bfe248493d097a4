"""The content of a request: its question, its evidence, its tools."""
