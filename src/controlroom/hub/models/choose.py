"""The model that the settings name; its adapter is imported only then."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from controlroom.hub.models.address import checked
from controlroom.hub.models.base import Model
from controlroom.hub.models.keys import KeySource
from controlroom.kit.settings import Checker

FOLDER = "checker"  # below the data folder, for what runs as a command


def key_source(settings: Checker, home: Path, environment: Mapping[str, str]) -> KeySource:
    return KeySource(home, settings.key_file, settings.key_env, environment)


def choose(settings: Checker, home: Path, environment: Mapping[str, str] = os.environ) -> Model | None:
    """None: no model is configured, which is a normal state. Raises NotPossible."""
    if not settings.model:
        return None
    provider, _, model = settings.model.partition(":")
    key = key_source(settings, home, environment).read
    url = checked(settings.url, allow_plain=settings.allow_plain_http) if settings.url else ""
    if provider == "anthropic":
        from controlroom.hub.models import anthropic

        return anthropic.AnthropicModel(model, url or anthropic.URL, key)
    if provider == "openai":
        from controlroom.hub.models import openai

        return openai.OpenAIModel(model, url or openai.URL, key)
    from controlroom.hub.models.claude import ClaudeCommand

    return ClaudeCommand(model, settings.command, home / FOLDER, url, key, environment)
