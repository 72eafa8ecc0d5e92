"""Parts that several test suites use."""
