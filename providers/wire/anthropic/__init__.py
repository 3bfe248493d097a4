"""The JSON of Anthropic's Messages API: content blocks, parameters and streamed events, in both directions."""
