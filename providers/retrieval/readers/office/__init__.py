"""Documents of office programs, which are ZIP archives of XML."""
