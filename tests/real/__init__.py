"""Tests with the real agent programs; ``python -m tests.real`` sets everything up and runs them."""
