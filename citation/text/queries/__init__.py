"""Questions and search terms: what a question asks for, and which terms an index compares."""
