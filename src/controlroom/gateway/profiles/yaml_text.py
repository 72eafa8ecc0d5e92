"""YAML of others, read so that no document can take all time or memory."""

from __future__ import annotations


class BadYaml(Exception):
    """It is not YAML, or not a mapping, or made to unfold without end."""


def mapping(text: str) -> dict[str, object]:
    """A document that is a mapping; an empty one is an empty mapping. Raises BadYaml.

    Anchors are fine, because they share what they name; merge keys copy it, again and again, and are refused.
    """
    import yaml  # only where a Hermes host is

    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.ScalarEvent) and event.value == "<<":
                raise BadYaml("merge keys are not read here")
        read: object = yaml.load(text, Loader=loader)  # noqa: S506 - both are the safe ones
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError, AttributeError) as error:
        raise BadYaml(type(error).__name__) from None
    if read is None:
        return {}
    if not isinstance(read, dict):
        raise BadYaml("not a mapping")
    return {str(key): value for key, value in read.items()}
