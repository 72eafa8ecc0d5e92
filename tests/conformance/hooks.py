"""What happens between the rows of a recording: time passes, the service restarts, shells end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from controlroom.wire.device import PairingPolicy
from tests.conformance.recording import DAY_S
from tests.conformance.replayer import Hook, Replayer
from tests.conformance.stage import Stage
from tests.support.waiting import until

# What a terminal must have shown after a row: the results of what was typed, not its echo.
SHOWS: Mapping[str, Mapping[int, str]] = {
    "desktop_cli_transcript": {21: "CLI-23", 25: "40 120"},
    "restart": {13: "V=alive", 26: "alive"},
    "session_transcript": {12: "hello-42", 34: "mark=kept"},
    "terminal_edge": {37: "to-last", 55: "é€𝄞" * 20, 67: "shared", 68: "shared"},
}


def hooks_of(stage: Stage) -> Mapping[str, Mapping[int, Hook]]:
    """By recording and line: done right before that line."""

    def passes(seconds: float) -> Hook:
        async def hook(_: Replayer) -> None:
            stage.clock.advance(seconds)

        return hook

    async def restarts(replayer: Replayer) -> None:
        replayer.background.append(asyncio.get_running_loop().create_task(stage.door.restart()))

    async def has_restarted(replayer: Replayer) -> None:
        for task in replayer.background:
            await task

    async def code_of_the_cli(_: Replayer) -> None:
        await stage.door.book.mint(PairingPolicy(ttl_s=DAY_S), "CLIR01")

    async def the_shell_has_its_size(_: Replayer) -> None:
        await until(lambda: stage.size_of("hermes-rec1") == "120x40", "tmux resizes a moment later")

    async def no_shell_is_left(_: Replayer) -> None:
        await until(lambda: not [name for name in stage.shells() if "race" in name], "killed shells end")

    async def nobody_is_attached(_: Replayer) -> None:
        await until(lambda: not stage.attached(), "clients of dropped sockets end")

    return {
        "auth_envelopes": {46: passes(61)},  # beyond the grace for a lost reply
        "desktop_cli_transcript": {1: code_of_the_cli, 24: the_shell_has_its_size},
        "error_paths": {285: passes(2)},  # grants of one second
        "limits": {25: passes(3)},  # offers of two seconds
        "restart": {15: restarts, 17: has_restarted},
        "security_findings": {26: passes(2), 36: passes(2), 118: no_shell_is_left},
        "terminal_edge": {83: nobody_is_attached},
        "timeouts": {3: passes(601)},  # codes last ten minutes
    }
