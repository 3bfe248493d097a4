"""Compare roles: who acts and on whom, what comes first, and what causes what."""
