"""How long something may last, as options of commands: ``30d``, ``never``, ``terminal=7d,bridge=none``."""

from __future__ import annotations

from controlroom.cli.errors import wrong_use

NONE = "none"


def seconds(option: str, text: str | None) -> int | None:
    """Seconds, 0 = never ends; None when the option was not given. Raises CliError."""
    from controlroom.core.durations import parse_duration

    if text is None:
        return None
    try:
        return parse_duration(text)
    except ValueError as error:
        raise wrong_use(f"{option}: {error}.") from None


def grants(text: str | None) -> dict[str, int] | None:
    """Seconds by right; ``none`` takes a right away (-1). Raises CliError."""
    from controlroom.core.durations import parse_grants
    from controlroom.core.rights import NOT_GIVEN, RELAY_RIGHTS, WEB_RIGHTS

    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    refused = [part.partition("=")[0].strip() for part in parts if part.partition("=")[2].strip() == NONE]
    others = [part for part in parts if part.partition("=")[2].strip() != NONE]
    try:
        given = parse_grants(",".join(others))
    except ValueError as error:
        raise wrong_use(f"--grants: {error}; right={NONE} takes a right away.") from None
    wanted = {**given, **{right: NOT_GIVEN for right in refused if right}}
    known = sorted({*WEB_RIGHTS, *RELAY_RIGHTS})
    if unknown := [right for right in wanted if right not in known]:
        raise wrong_use(f"--grants: there is no right {unknown[0][:40]!r}; there are {', '.join(known)}.")
    return wanted
