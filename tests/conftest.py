"""Fixtures for all suites."""

from hypothesis import settings

# A loaded machine is no bug: examples have no time limit of their own.
settings.register_profile("controlroom", deadline=None)
settings.load_profile("controlroom")

pytest_plugins = ["tests.support.tmux", "tests.support.multiplexers"]
