"""``controlroom profiles``: the config folders of agents, and whose they are."""

from __future__ import annotations

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare


@declare("profiles", examples="controlroom profiles --json")
def command(call: Call) -> None:
    """The config folders of agents on all machines, and the account of each.

    They are found where agents live and in your home folder. Name them, or add others, in the setting
    profiles.folders: ["claude:work=~/.claude-work"].
    """
    from controlroom.cli.usage import accounts_and_profiles

    accounts, profiles, machines = call.hub(accounts_and_profiles)
    if call.json:
        call.out.json(profiles)
        return
    from controlroom.cli.usage_view import profiles_lines

    call.out.lines(profiles_lines(profiles, accounts, machines, call.out.width, call.out.colour))
