"""Ways to a device that is not looking: one file for each, behind the port in ``base.py``."""
