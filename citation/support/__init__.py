"""Does a passage support a sentence? Index, features, calibration, gates, scorers, decision."""
