"""Metrics, traces, logs and readiness checks for operators."""
