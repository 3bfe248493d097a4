"""The Anthropic Messages API: requests, streamed events and finish reasons, mapped to and from the OpenAI API."""
