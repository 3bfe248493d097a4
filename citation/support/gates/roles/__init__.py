"""Comparisons of roles: who acts and on whom, and what comes first.

`arguments` finds agent and patient of a predicate by order, `chinese_order` those of a Chinese one; `sides` holds them.
"""
