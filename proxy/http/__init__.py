"""The HTTP server: application, middleware, admission, errors, sending, workers."""
