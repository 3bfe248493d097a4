"""The JSON of each vendor: requests and streams, mapped to and from the OpenAI chunk."""
