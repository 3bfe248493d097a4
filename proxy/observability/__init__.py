"""What an operator can see: metrics, traces, logs, readiness."""
