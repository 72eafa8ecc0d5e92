"""Measured costs of the product: ratios and counts for people, never asserted in a test."""
