"""Dialogs: whole labels, whole texts, and an identity that survives answering them."""

from __future__ import annotations

import pytest

from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import Option
from controlroom.node.agents.claude.panels import SUBMIT, Panel, read_panel
from tests.unit.node.agents.claude.samples import SCREENS, drawn, frame


def panel(name: str) -> Panel:
    found = read_panel(frame(name))
    assert found is not None
    return found


def labels(name: str) -> list[str]:
    return [option.label for option in panel(name).dialog.options]


def risky(name: str) -> list[str]:
    return [option.label for option in panel(name).dialog.options if option.risky]


class TestLabels:
    @pytest.mark.parametrize("size", ["80x24", "120x40"])
    def test_wrapped_labels_are_whole(self, size: str) -> None:
        assert labels(f"{size}-permission-edit") == [
            "Yes",
            "Yes, and switch to accept edits (auto-approve file edits and common file commands)"
            " for this session (shift+tab)",
            "No",
        ]

    def test_commas_colons_and_quotes_stay(self) -> None:
        assert labels("80x24-permission-bash-long")[1] == (
            "Yes, and don't ask again for cat and bash /tmp/x.sh commands in /home/garden/work/three"
        )
        assert labels("80x24-picker-single-long-label")[0] == (
            "main: the stable one, with a very long label that will have to wrap at eighty columns"
        )

    def test_descriptions_go_to_the_text_and_ticks_nowhere(self) -> None:
        dialog = panel("80x24-picker-multi-two-ticked").dialog
        assert dialog.options[1].label == (
            "Crates, and the very long stacking poles that go with them, always in pairs of two or more"
        )
        assert "Gloves: Leather" in dialog.text
        assert "[✔]" not in dialog.text

    def test_start_up_prompts_have_no_numbers(self) -> None:
        found = panel("80x24-mcp-server-approval")
        assert not found.numbered and found.pointer == "3"
        assert [(o.key, o.label) for o in found.dialog.options] == [
            ("1", "Use this MCP server"),
            ("2", "Use this and all future MCP servers in this project"),
            ("3", "Continue without using this MCP server"),
        ]

    def test_without_a_list_the_keys_are_the_options(self) -> None:
        found = panel("80x24-auto-mode-no-server-check")
        assert found.by_hint
        assert [(o.key, o.label) for o in found.dialog.options] == [
            ("Enter", "Enter to stay in auto mode"),
            ("BTab", "shift+Tab to leave for accept edits mode and stop"),
            ("Escape", "Esc to cancel"),
        ]

    def test_a_panel_that_names_no_key_can_be_closed(self) -> None:
        assert panel("80x24-slash-usage").dialog.options == (Option("Escape", "Esc to close"),)


class TestRisk:
    def test_lasting_answers_are_risky(self) -> None:
        assert risky("80x24-permission-bash") == labels("80x24-permission-bash")[1:3]
        assert risky("80x24-permission-edit") == labels("80x24-permission-edit")[1:2]
        assert risky("80x24-plan-approval") == ["Yes, and use auto mode"]
        assert risky("80x24-trust-prompt") == ["No, exit", "Yes, I trust this folder"]
        assert risky("80x24-bypass-permissions-warning") == ["No, exit", "Yes, I accept"]
        assert risky("80x24-external-import-approval") == ["Yes, allow external imports"]
        assert risky("80x24-usage-limit-weekly") == ["Upgrade your plan"]
        assert risky("80x24-exit-with-background-work") == [
            "Exit and stop tasks",
            "Move to background and exit",
        ]
        assert risky("80x24-mcp-server-approval") == labels("80x24-mcp-server-approval")[:2]

    def test_what_an_agent_asks_is_no_right(self) -> None:
        assert risky("80x24-ask-user-question") == []

    def test_an_unknown_dialog_is_risky_but_for_saying_no(self) -> None:
        rows = ("─" * 80, " Wipe it?", " ❯ 1. Go on", "   2. Cancel", "", " Enter to confirm · Esc to cancel")
        found = read_panel(drawn(*rows))
        assert found is not None and found.dialog.kind == "other"
        assert [option.risky for option in found.dialog.options] == [True, False]


class TestText:
    def test_the_command_stands_in_it_whole(self) -> None:
        assert panel("120x40-permission-bash").dialog.text == (
            "Bash command\n"
            'Tip: auto mode handles these prompts for you — choose "switch to auto mode" below\n'
            "Run the inventory report\n\n"
            '  python3 -c "import orchard; print(orchard.total([{\\"qty\\":3},{\\"qty\\":4}]))"'
            " > report.txt && cat report.txt\n\n"
            "Do you want to proceed?"
        )

    def test_a_text_that_is_partly_scrolled_away_says_so(self) -> None:
        assert panel("80x24-permission-bash-long").partial
        assert panel("80x24-plan-long").partial
        assert not panel("80x24-permission-edit").partial
        assert not panel("80x24-trust-prompt").partial

    def test_bars_and_tabs_are_frame(self) -> None:
        text = panel("80x24-picker-multi-single-question").dialog.text
        assert text.startswith("Which tools may I list in the very long harvest plan that we are going to\n")
        assert "│" not in text and "Submit" not in text

    def test_a_helpers_dialog_names_it(self) -> None:
        text = panel("80x24-permission-helper").dialog.text
        assert text.startswith("Bash command · from the general-purpose agent\n")


class TestWhileItIsAnswered:
    @staticmethod
    def id_of(name: str) -> str:
        return dialog_id("1@2", "p", panel(name).dialog)

    def test_ticks_text_and_the_cursor_do_not_make_a_new_dialog(self) -> None:
        names = ("single-question", "two-ticked", "free-text")
        assert len({self.id_of(f"80x24-picker-multi-{name}") for name in names}) == 1
        assert self.id_of("80x24-ask-user-question-single") == self.id_of("80x24-ask-user-question-free-text")
        assert self.id_of("80x24-trust-prompt") == self.id_of("80x24-trust-prompt-yes-selected")
        long, typed = "80x24-picker-single-long-label", "80x24-picker-single-free-two-lines"
        assert self.id_of(long) == self.id_of(typed)
        assert self.id_of("80x24-permission-bash-long") == self.id_of("80x24-permission-bash-amend-long")

    def test_another_page_is_another_dialog(self) -> None:
        assert self.id_of("80x24-picker-multi-submit") != self.id_of("80x24-picker-multi-two-ticked")

    @pytest.mark.parametrize(
        ("name", "pointer", "ticked", "typing", "typed"),
        [
            ("picker-multi-single-question", "1", "", False, ""),
            ("picker-multi-two-ticked", "1", "12", False, ""),
            ("picker-multi-free-text", "4", "124", True, "A rope, 20 m"),
            ("picker-single-free-two-lines", "3", "", True, "1 line: my own second line"),
            ("ask-user-question-free-text", "3", "", True, "Ship it on Tuesday – après le déjeuner"),
            ("permission-amend-no", "4", "", True, "use a different path, please"),
            ("permission-bash-amend-long", "1", "", True, ""),
            ("permission-bash", "1", "", False, ""),
        ],
    )
    def test_its_state_is_read(self, name: str, pointer: str, ticked: str, typing: bool, typed: str) -> None:
        found = panel(f"80x24-{name}")
        assert (found.pointer, found.ticked) == (pointer, frozenset(ticked))
        assert (found.typing, found.typed) == (typing, typed)

    def test_the_cursor_on_submit(self) -> None:
        rows = (" ☐ T", "", "Which?", "", "  1. [✔] A", "  2. [ ] Type something", "❯    Submit", "─" * 80)
        found = read_panel(drawn("─" * 80, *rows, "  3. Chat about this", "", "Enter to select"))
        assert found is not None and found.pointer == SUBMIT
        assert [option.label for option in found.dialog.options] == [
            "A",
            "Type something.",
            "Chat about this",
        ]


@pytest.mark.parametrize("name", SCREENS)
def test_no_screen_raises_at_any_height(name: str) -> None:
    whole = frame(name)
    rows = [row for row in whole.rows if row.strip()]
    for height in range(1, len(rows) + 1, 3):
        read_panel(drawn(*rows[-height:], width=whole.width, height=height))
        read_panel(drawn(*rows[:height], width=whole.width, height=height))
