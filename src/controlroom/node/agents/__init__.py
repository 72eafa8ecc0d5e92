"""Kinds of agents behind one Protocol."""
