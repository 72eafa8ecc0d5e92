"""The phrases, by kind and language, that make a question the person's alone (``core.blocking``)."""
