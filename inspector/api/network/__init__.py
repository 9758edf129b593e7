"""Connections: how many, for how long, what arrives on them, and OTLP over gRPC."""
