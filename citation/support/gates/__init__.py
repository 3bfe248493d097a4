"""Checks: comparisons that find what speaks against a support, each with a reason. The fit decides how they count.

| question | module |
|---|---|
| Is every number of the claim in the passage, with its unit? | `number_gate`, `passage_numbers`, `instances` |
| Do claim and passage agree clause by clause? | `clause_comparison`, whose table `GROUPS` lists all comparisons |
| … in negation, modality, quantifiers, conditions, times? | `operators` |
| … in which value, name or word belongs to which? | `bindings` |
| … in who does what to whom, and in what order? | `roles` |
| Without word lists of the language: does one side deny? | `polarity_gate` |

`checks` runs them for one claim and stores what they share. `alignment` pairs the words of claim and passage, with
`word_relations`. `relevance` and `statements` choose and parse the sentences. A comparison is a function that yields a
`Disagreement` for each difference; a new one is a line of the table.
"""

from .checks import CHECK_FEATURES, Finding, GateChecks
from .disagreement import Disagreement, Reason

__all__ = ["CHECK_FEATURES", "Disagreement", "Finding", "GateChecks", "Reason"]
