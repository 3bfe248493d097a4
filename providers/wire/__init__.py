"""The JSON of each vendor, described once for both directions: requests and answers mapped to and from OpenAI's."""
