"""The HTTP server: application, routes, middleware, errors, sending, and the processes that serve."""
