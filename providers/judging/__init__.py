"""Models that judge whether a passage supports a sentence."""
