"""Benchmark of isolation: the delay that one client, provider or retriever causes for the other clients."""
