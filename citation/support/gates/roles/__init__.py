"""Comparisons of roles: who acts and on whom, and what comes first.

| does the claim … | comparison |
|---|---|
| exchange agent and patient, or the sides of a comparison? | `relations.swapped_roles` |
| exchange what comes first and what follows, or cause and effect? | `order.swapped_order` |
| state of one what the passage states of another? | `other_arguments.other_argument` |

`arguments` finds agent and patient of a predicate by order, `chinese_order` those of a Chinese one; `sides` holds them.
"""
