"""Which push goes out, once, and why each other one does not (spec 002 sections 4 and 9)."""
