"""Comparisons of bindings: which value, name or word of the passage belongs to which.

| does the claim … | comparison |
|---|---|
| take words of two parallel parts of the passage? | `conjuncts.mixed_conjuncts`, `chinese_clauses.mixed_clauses` |
| exchange two words that each have a counterpart elsewhere? | `swapped_bindings.swapped_bindings` |
| give the value of another thing or class member? | `values.value_of_another`, `.value_of_other_class_member` |
| give the date that another event is counted from? | `dates.stated_for_computed_date` |
| name another cell or row of a table? | `tables.wrong_table_cell` |
| name an unknown name, another member of a class, another Roman number? | `names_and_classes` |
| compare two sides the other way round? | `comparisons.compare_grades` |
| add a part of its own? | `added.added_words` |
"""
