"""Words and their relations: stems, inflected forms, synonyms, opposites, stop words; and the lists in `data/`."""
