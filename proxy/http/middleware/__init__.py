"""Which requests the server accepts: admission, client keys, and the origins of web pages."""
