"""Decisions without I/O: what a fact means, what to do next."""
