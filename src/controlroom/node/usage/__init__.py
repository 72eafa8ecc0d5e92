"""Allowances of accounts and use of tokens, read from what the agents write; nothing of theirs is changed."""
