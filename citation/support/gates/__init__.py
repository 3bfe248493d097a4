"""Gates: deterministic checks that can refuse a support, each with a reason, however similar claim and passage are.

| question | module |
|---|---|
| Is every number of the claim in the passage, with its unit? | `number_gate`, `passage_numbers`, `instances` |
| Does a short claim state what the passage does not mention? | `missing` |
| Do claim and passage agree clause by clause? | `clause_comparison`, whose table `GROUPS` lists all comparisons |
| … in negation, modality, quantifiers, conditions, times? | `operators` |
| … in which value, name or word belongs to which? | `bindings` |
| … in who does what to whom, and in what order? | `roles` |
| Without word lists of the language: does one side deny? | `polarity_gate` |

`checks` runs them for one claim and stores what they share. `alignment` pairs the words of claim and passage, with
`word_relations`. `relevance` and `statements` choose and parse the sentences. A comparison is a function that yields a
`Disagreement` for each difference; a new one is a line of the table. `agreement` raises the probability of a simple
pair that has none.

In the names of variables, `mine` is of the claim, `theirs` of the passage, and `said` is text of the passage.
"""

from .checks import GateChecks, Refusal
from .disagreement import Disagreement, Reason

__all__ = ["Disagreement", "GateChecks", "Reason", "Refusal"]
