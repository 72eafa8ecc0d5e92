"""Fixtures for all suites."""

pytest_plugins = ["tests.support.tmux", "tests.support.multiplexers"]
