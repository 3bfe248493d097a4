"""Everything outside that Citestream talks to: LLM providers, embedders, retrievers. SDKs live here and nowhere else."""
