"""Score and decide the sentences of an answer, with evidence that is prepared while the model thinks."""
