"""Limits of one step of decoding, encoding and releasing."""

PIECE_BYTES = 64 * 2**10  # decoded or encoded at once: at most 5 ms
ELEMENTS = 4_000  # maximum number of elements that are examined at a time
