"""Composition: which parts a process is made of."""
