"""The JSON of the Ollama API: chat requests and answers, in both directions."""
