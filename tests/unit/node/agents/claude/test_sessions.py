"""Files of sessions and helpers: found by id under any spelling, read only where they grew."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controlroom.node.agents.claude.helpers import Helpers
from controlroom.node.agents.claude.sessions import Session, SessionBook, SessionFiles, is_session_id, slug
from tests.unit.node.agents.claude.samples import FIXTURES, placed, transcript

ID = "5109abef-152e-44c3-b030-dc0e1234942b"


def put(profile: Path, folder: str, *, session_id: str = ID, name: str = "plain-chat") -> Path:
    path = profile / "projects" / folder / f"{session_id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(transcript(name), path)
    return path


def turn_of(session: Session) -> str | None:
    turn = session.standing.turn
    return None if turn is None else turn.value


def is_missing(session: Session) -> bool:
    return session.is_missing


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/dev/work/a b_c.d-é(1)", "-home-dev-work-a-b-c-d---1-"),
        ("/tmp/my_proj.v2/sub dir", "-tmp-my-proj-v2-sub-dir"),
    ],
)
def test_folder_names_as_the_program_makes_them(folder: str, name: str) -> None:
    assert slug(folder) == name


@pytest.mark.parametrize("text", ["", "..", "../../etc/passwd", "a/b", "short", "x" * 100, "a.b.c.d.e.f"])
def test_what_is_no_session_id_never_becomes_a_path(tmp_path: Path, text: str) -> None:
    assert not is_session_id(text)
    assert SessionFiles().find(str(tmp_path), text) is None


class TestFiles:
    def test_by_its_folder(self, tmp_path: Path) -> None:
        path = put(tmp_path, "-home-dev-work-orchard")
        assert SessionFiles().find(str(tmp_path), ID, "/home/dev/work/orchard") == path

    def test_under_another_spelling_or_another_folder(self, tmp_path: Path) -> None:
        path = put(tmp_path, "-home-dev-work-old_spelling")
        assert SessionFiles().find(str(tmp_path), ID, "/home/dev/work/elsewhere") == path

    def test_of_two_copies_the_longer_one(self, tmp_path: Path) -> None:
        put(tmp_path, "-one")
        longer = put(tmp_path, "-two", name="pastes-and-queue")
        assert SessionFiles().find(str(tmp_path), ID) == longer

    def test_none_without_any(self, tmp_path: Path) -> None:
        assert SessionFiles().find(str(tmp_path), ID) is None

    def test_a_session_without_a_file_is_looked_for_where_it_will_appear(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files, searches = SessionFiles(), list[str]()
        put(tmp_path, "-other", session_id="another-session")
        search = files._search

        def count(projects: Path, name: str) -> Path | None:
            searches.append(name)
            return search(projects, name)

        monkeypatch.setattr(files, "_search", count)
        for _ in range(20):
            assert files.find(str(tmp_path), ID, "/home/dev/work/orchard") is None
        assert len(searches) == 1
        path = put(tmp_path, "-home-dev-work-orchard")
        assert files.find(str(tmp_path), ID, "/home/dev/work/orchard") == path

    def test_found_again_after_a_move(self, tmp_path: Path) -> None:
        files = SessionFiles()
        first = put(tmp_path, "-one")
        assert files.find(str(tmp_path), ID) == first
        second = tmp_path / "projects" / "-two" / first.name
        second.parent.mkdir()
        first.rename(second)
        assert files.find(str(tmp_path), ID) == second


class TestSessions:
    async def test_a_look_reads_what_is_new_and_moves_the_mark(self, tmp_path: Path) -> None:
        data = transcript("plain-chat").read_bytes()
        path = tmp_path / "s.jsonl"
        prompt = next(p.end for p, r in placed("plain-chat") if r.type == "user")
        path.write_bytes(data[:prompt])
        session = Session(path)
        await session.look()
        first = session.mark
        assert turn_of(session) == "open"
        path.write_bytes(data)
        await session.look()
        assert turn_of(session) == "ended" and session.mark != first

    async def test_rows_that_no_chat_shows_do_not_move_the_mark(self, tmp_path: Path) -> None:
        path = put(tmp_path, "-one")
        session = Session(path)
        await session.look()
        first = session.mark
        with path.open("ab") as file:
            file.write(b'{"type":"last-prompt"}\n{"type":"mode"}\n')
        await session.look()
        assert session.mark == first

    async def test_a_replaced_file_is_read_again(self, tmp_path: Path) -> None:
        path = put(tmp_path, "-one")
        session = Session(path)
        await session.look()
        path.unlink()
        await session.look()
        assert is_missing(session)
        put(tmp_path, "-one", name="usage-limit-5h")
        await session.look()
        assert (is_missing(session), turn_of(session)) == (False, "failed")

    async def test_only_sessions_of_living_agents_are_kept(self, tmp_path: Path) -> None:
        book = SessionBook()
        put(tmp_path, "-one")
        first = book.get(str(tmp_path), ID)
        assert first is not None and book.get(str(tmp_path), ID) is first
        book.keep_only(())
        assert book.get(str(tmp_path), ID) is not first


class TestHelpers:
    def test_a_finished_helper_says_so(self) -> None:
        ended = Helpers(transcript("subagents"))
        assert ended.still_running(["a02fa45e026cc5695", "a8107034bc43fa32a"]) == 0
        killed = Helpers(transcript("subagent-killed-then-resumed"))
        assert killed.still_running(["acf2c482f77528444"]) == 1

    def test_what_is_not_known_runs(self) -> None:
        assert Helpers(transcript("plain-chat")).still_running(["a1", "../x"]) == 2

    def test_their_open_calls_are_seen(self, tmp_path: Path) -> None:
        (source,) = (FIXTURES / "transcripts" / "subagents").glob("*/subagents/agent-a8107*.jsonl")
        data = source.read_bytes()
        call = data.index(b"\n", data.index(b'"type":"tool_use"')) + 1
        folder = tmp_path / "s" / "subagents"
        folder.mkdir(parents=True)
        (folder / source.name).write_bytes(data[:call])
        helpers = Helpers(tmp_path / "s.jsonl")
        assert [each.name for each in helpers.open_calls()] == ["Bash"]
        (folder / source.name).write_bytes(data)
        assert helpers.open_calls() == ()

    def test_no_folder_no_calls(self, tmp_path: Path) -> None:
        assert Helpers(tmp_path / "none.jsonl").open_calls() == ()
