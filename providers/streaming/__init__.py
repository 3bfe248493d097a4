"""The parts that all providers over HTTP share: requests, streams of answers and their decoding, relayed answers."""
