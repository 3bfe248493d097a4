"""The JSON of Cohere's chat API, version 2: requests, documents and streamed events."""
