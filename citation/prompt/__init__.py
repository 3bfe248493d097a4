"""The prompt: the messages for the model, with the numbered evidence and the rules for citations."""
