"""Compare bindings of claim and passage: which value, word, place and time belong to which name."""
