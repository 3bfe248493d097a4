"""Answers: the state machine of one choice, whose text is prose or JSON, and all choices of one completion."""
