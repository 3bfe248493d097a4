"""Gates: deterministic checks that can refuse a support, each with a reason, however similar claim and passage are.

Numbers: every number of the claim must be in the passage, with its unit. Clauses: claim and passage must agree in their
operators (negation, modality, quantifiers, bounds, …) and bindings (who did what to whom, which value belongs to which
name). For languages without word lists of their own, only negations and opposite words are compared.
"""

from .checks import GateChecks, Refusal
from .disagreement import Disagreement, Reason

__all__ = ["Disagreement", "GateChecks", "Reason", "Refusal"]
