"""Comparisons of operators: words such as "not", "may", "only", "all", "before", and what they apply to.

| does the claim … | comparison |
|---|---|
| deny what the passage states, or the reverse? | `denied.one_sided_denials` by `negations.negation`; `equivalences` |
| state a word that the passage only denies, in another clause or sentence? | `denied.only_denied`, `denied.excluded` |
| deny something where nothing is denied? | `denied.added_denial` |
| demand, permit or state what is only planned, believed, permitted, imagined? | `modality.modality` |
| call certain what is left open? | `modality.certainty` |
| demand what another sentence recommends or restricts? | `modality.weaker_elsewhere` |
| lift a condition, or leave out a condition, an exception or a limit? | `conditions.conditions`, `.universal` |
| say of more what the passage says of fewer, or set another bound? | `quantifiers.quantifiers`, `.bounds` |
| add "only", or extend what "only" restricts? | `quantifiers.only_added`, `restrictions` |
| state what is fiction, a question, a heading, or taken back? | `framing`, `overturned.overturned` |
| name another direction, time or cause? | `time_and_cause` |
"""
