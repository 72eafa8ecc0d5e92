"""How we run: clock, supervision, files, processes, SQL, logs, settings, health."""
