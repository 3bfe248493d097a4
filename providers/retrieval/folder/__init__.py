"""The embedded store: an index of the files of a folder, kept up to date, and the retriever that searches it."""
