"""How long one client, provider or retriever delays the other clients of a server."""
