"""The data path of one answer: read, segment, prefetch, decide, release."""
