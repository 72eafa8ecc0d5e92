"""Terminal multiplexers behind one Protocol."""
