"""Features of a claim and each piece of evidence, computed from an index of the evidence."""
