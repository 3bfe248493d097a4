"""Comparisons of bindings: which value, name or word of the passage belongs to which."""
