"""What a request contains: its question, its evidence, its tools."""
