"""Fixtures for all suites."""

import os
import signal

import pytest
from hypothesis import settings

# A shell that runs the tests in the background lets them ignore Ctrl-C, and every program that they start
# would inherit that: it could not be ended as a person ends it. A handler of ours is not inherited.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Whoever runs the tests may have agents of their own: their folders are not looked through, and no service is
# asked with their logins.
os.environ["CONTROLROOM_PROFILES_SEARCH"] = "false"
os.environ["CONTROLROOM_USAGE_ENDPOINT"] = "false"

# A loaded machine is no bug: examples have no time limit of their own. The same tree has the same result: the
# examples are the same each time. "pytest --hypothesis-profile=search" looks for new ones.
settings.register_profile("controlroom", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("controlroom")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits for real programs begins first: a long file at the end would keep one worker busy alone."""
    items.sort(key=lambda item: "tests/unit/" in item.path.as_posix())


pytest_plugins = ["tests.support.tmux", "tests.support.multiplexers"]
