"""Natural answers with the model's own citations: do the citations get better or worse?"""
