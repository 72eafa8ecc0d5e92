"""Language models behind one port: one question in, one text out."""
