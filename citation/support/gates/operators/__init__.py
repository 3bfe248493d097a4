"""Compare operators of claim and passage: negations, quantifiers and bounds, modality, framing, time and cause."""
