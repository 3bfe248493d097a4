"""Comparisons of operators: words such as "not", "may", "only", "all", "before", and what they apply to."""
