"""Files that devices fetch from this machine or leave here."""
