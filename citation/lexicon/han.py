"""Traditional Chinese and Japanese characters to the simplified ones, for the few hundred that texts are full of.

Not a converter: good enough that both sides of a comparison meet.
"""

from .folding import table

SIMPLER = str.maketrans({pair[0]: pair[1] for line in table("han.txt") for pair in line.split()})
