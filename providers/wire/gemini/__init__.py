"""The JSON of the Gemini API: contents, generation settings and answers, in both directions."""
