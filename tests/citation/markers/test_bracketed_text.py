"""Numbers in brackets that are not citations stay in the text: indexes, arrays, intervals, expressions, names."""

import pytest

from citestream.citation.markers import MarkerNames, MarkerStripper, strip

NAMES = MarkerNames(frozenset(range(1, 6)))

CODE = r"""
The value of x[1] is small, and x2[1] and u8[4] are large.
Set a[1], a[2] and a[3] to zero.
The element A[1] is compared with A[2].
Here V[1] is a voltage, and H[1] is hydrogen.
The entry dp[1] is 1, then dp[2] is read.
Swap nums[1] and nums[2], or cols[1] and cols[2].
Use sys.argv[1] or sys.argv[1:] or lst[-1].
Read df["a"][1], df['b'][1] or df.iloc[1].
Declare int a[2] = {1, 2}, char s[5] and new int[5].
Write $ENV{x}[1], ${row}[1] or $_[1].
The call f([1]) returns 1, and len([1]) too.
Call print([1, 2]), sorted([2, 1]) or np.zeros([2]).
Call process([1, 2]) first.
Call run_all([1]) first.
Call handle([1]).then(x) first.
Add totals([1]) + 5 to it.
The function will return [1, 2] here.
The output is [1, 2, 3].
Output: [1]
Input: [1]
ids: [1]
The result: [1, 2, 3]
Input: nums = [1, 2], target = 3
for i in [1, 2, 3]:
if x in [1, 2]:
The array has shape [2, 3] here.
Example: [1, 2] -> [2, 1]
Example: [1, 2] => [2, 1]
It is equal to [x for x in [0, 2]].
"""

FORMULAS = r"""
Let x ∈ [1, 5] or x ∉ [2, 3].
Let f: [0, 1] → [1, 2] be given.
Let x in [1, 5] be given.
The vectors [1, 0] and [0, 1] are orthogonal.
The direction [1 0 0] and the matrix [1 0; 0 1].
It lies between [1, 2] here.
On a scale [1, 5] it is 3.
The ring ℤ[1] and the sequence α[1], σ[2] are given.
The weights W^[1] and W^{[1]} of the first layer.
With $W^{[1]}$ and $a_{[1]}$ given.
\begin{array}[1]
\item[1] The first.
\sqrt[3]{x} and \documentclass[1]{article}
"""

VARIABLES = """
The value $row[1] is read.
The value $_[1] is read.
The product 2 x[1] is even.
变量x[1] 是整数。
Here V[1] is a voltage.
Let X[1] = 5 be given.
The sum 3 a[1] + 2 is odd.
The quotient x/y[1] is small.
The difference a-b[1] or x-α[1] is small.
Set X[1] to zero, and swap V[1] with V[2].
Die Spannung V[1] ist hoch.
The step Δx[1], the time Δt[1] and the weight λx[1] are small.
Read größe_max[1] or área.valores[1].
L'elemento dell'array[1] è zero.
The value a&b[1] is odd.
The range from 0, s[1] and i + 1, s[2] is read.
Read load_5m[1] or time_10s[1].
The matrices A.T[1] and X.T[1] are transposed.
See [2](#step-2) or [1](#intro) for details.
The field A.x[1] is read.
Then A[1] is compared.
The element x[1] is small.
The number u8[4] is large.
The argument $argv[1] is read.
The value 2 y[1] is even.
Now I[1] = 3 holds.
The names are in 'sys.argv[1:]' or in "sys.argv[1:]".
Read cls.__name__[1] or cls.__mro__[1:] or a$p.value[1].
"""

# A citation directly after an amount, a unit, a numeral or the end of a word, which resemble variables.
LIKE_INDEXES = """
It costs $100[1].
The share rose to $6.86[1] in May.
The town reached 38°C[1].
The camp lies at 64°N[1].
The train runs at 250 km/h[1].
The stone falls at 9.81 m/s[1] at first.
The bird weighs 5 g[1].
It needs a 12 V[1] battery.
World War I[1] began in 1914.
The emperor Charles V[1] abdicated.
The speaker Malcolm X[1] was shot.
He sailed with Cristóbal Colón[1].
It was ruled by Juan Perón[1] then.
The chips became Virginia's[1] most valuable export.
It is the UK’s[1] oldest bridge.
They live in the U.S[1] today.
The tank holds 20 L[1].
The fund has $1.65 B[1] left.
The king Louis X[1] died young.
The decision não[1] foi possível.
The water was 4.1°C[1] cold.
It is 8 m[1] high.
The loan was $24million[1].
It is José's[1] house.
It was bought by AT&T[1].
He sailed with Colón([1]) and AT&T([1]).
It was built in the 1980's[1].
The rapper Ice-T[1] sang.
It binds TNF-α[1].
Heat it to 145 degrees F[1].
"""

ARRAYS = """
- Returns [1, 2] if the list is empty.
- Range [1, 5]
What is it? It is [1, 2].
They are [1, 2].
The function sorts it and returns [1, 2].
We return [1, 2] as the answer.
The value of f returns [1, 2] here.
The linked list [1, 2, 3] is reversed.
A tensor of shape [2, 3] is used.
The algorithm returns [1, 2], and find_all returns [2, 3].
The month must be in range [1, 12].
The function returns [1, 2].
It returns [1, 2, 3].
The call returns [2, 1].
Here `sort()` returns [1, 2].
The method will return [1, 2].
Choose a number from the range [1, 5].
The values lie in the range [1, 3].
The number is in the closed interval [1, 2].
The list is [1, 2].
Given the list [1, 2, 3], print it.
The array [1, 2] is sorted.
Consider the sequence [1, 2, 4].
The tensor has shape [2, 3].
The shape [2, 3] is printed.
Rate it on a scale [1, 5].
The row vector [1, 2] is added.
An interval [1, 4] is given.
The answer is [2, 3].
The indices are [1, 2].
The loop prints [1, 2].
A list [1, 2] of numbers is passed.
Use the integer range [1, 5].
It calls a helper which returns [1, 2].
Return [1, 2] if it is empty.
"""

# Citations after phrases of prose that end with such a word.
LIKE_ARRAYS = """
The sensor has a wide temperature range [1, 2].
The company reported strong annual returns [1, 2].
Tax returns [1, 3] must be filed by April.
The site was added to the heritage list [2, 3].
Two thousand people are on the waiting list [1, 2].
The plant works at industrial scale [1, 2].
The steps follow a strict sequence [1, 2].
They published the genome sequence [1, 2].
The leaf has an oval shape [1, 3].
The guests sit in the front row [1, 2].
Trains leave at regular intervals [1, 2].
The measurement interval [1, 2] is ten minutes.
Two mountain ranges [1, 2] cross the region.
Nobody knows exactly what it is [1, 2].
The report explains how old they are [1, 2].
The bond returns [1, 2] fell in March.
It belongs to the mid-range [1,2].
The quake reached 7.8 on the Richter scale [1, 2].
He made the short list [1, 2].
Higher risks bring a higher rate of return [1, 2].
The pension fund expects a good return [1, 2].
The new model has more driving range [1, 3].
Prices fall in the upper price range [2, 3].
The bottle keeps its shape [1, 2].
The museum shows where we are [1, 2].
"""

OTHERS = r"""
The regular expression [0-9] matches a digit.
The regular expression [1-9][0-9]* matches numbers.
The regular expression /[0-9]+/ or ^[1-9]\d*$ matches.
The [1,5]-shift is allowed.
A [1,3]-dipolar cycloaddition follows.
The compounds bicyclo[2.2.1]heptane and benzo[1,2-b]thiophene.
The isotopes [18F]FDG and [14C] are used.
The clock [12:30] and the time [01:23] are shown.
The dates [2024-01-05] and [5 May] are given.
See [Fig. 1], [Table 1], [Step 1] and [Section 1].
The versions [v1.2] and [1.2.3] differ.
The shares [50%] and [1 of 3] differ.
A value [95% CI 1.2–3.4] is given.
The page [[Page 1]] and the note [[wikilink]] exist.
The file [report 1.txt](https://example.org/a[1].txt) exists.
[Errno 2] No such file
The price [1 USD] and the length [1 km] are given.
The address http://[::1]/ is local.
The query ?a[1]=2&b[2]=3 is sent.
"""


def lines(*texts: str) -> list[str]:
    return [line for text in texts for line in text.splitlines() if line]


@pytest.mark.parametrize("text", lines(CODE, FORMULAS, VARIABLES, ARRAYS, OTHERS))
def test_numbers_in_brackets_that_are_not_citations_stay(text: str) -> None:
    stripper = MarkerStripper(NAMES)
    assert strip(text, NAMES).text == text
    assert "".join(map(stripper.feed, text)) + stripper.flush() == text
    assert stripper.cited == stripper.unknown == ()


@pytest.mark.parametrize("text", lines(LIKE_ARRAYS, LIKE_INDEXES))
def test_citations_that_resemble_indexes_or_arrays_are_removed(text: str) -> None:
    stripper = MarkerStripper(NAMES)
    found = strip(text, NAMES)
    assert "[" not in found.text
    assert found.cited
    assert "".join(map(stripper.feed, text)) + stripper.flush() == found.text
    assert stripper.cited == found.cited
