"""The web app in a real browser, against a real control room with scripted agents in real tmux."""
