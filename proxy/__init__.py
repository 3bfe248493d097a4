"""The server: the only package that knows HTTP, configuration, and both `citation` and `providers`."""
