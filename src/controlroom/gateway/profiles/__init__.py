"""Profiles of a Hermes host on this machine, read only, as the relay protocol shows them."""
