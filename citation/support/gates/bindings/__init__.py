"""Compare bindings of claim and passage: who did what to whom, which value, place and time belong to which name."""
