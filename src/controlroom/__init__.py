"""Agent Control Room: watch, talk to, answer and steer every long-running AI agent from one private place."""

__version__ = "0.1.0"
