"""The generated stubs: complete, fresh, typed, and never newer than what they run on."""

from __future__ import annotations

import importlib
import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from mypy import api as mypy_api
from packaging.requirements import Requirement
from packaging.version import Version

import hatch_build
from tests.house.tree import ROOT, shown

if TYPE_CHECKING:
    from pathlib import Path

PROTOS = sorted((ROOT / "protos").rglob("*.proto"))
PROTO = """
syntax = "proto3";
package gouji.toy.v1;
message Card { int32 rank = 1; }
"""


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty tree with one proto, which the generator works on instead of ours."""
    monkeypatch.setattr(hatch_build, "ROOT", tmp_path)
    monkeypatch.setattr(hatch_build, "PROTOS", tmp_path / "protos")
    monkeypatch.setattr(hatch_build, "STUBS", tmp_path / "gen")
    monkeypatch.setattr(hatch_build, "STAMP", tmp_path / "gen/.generated")
    proto = tmp_path / "protos/gouji/toy/v1/toy.proto"
    proto.parent.mkdir(parents=True)
    proto.write_text(PROTO, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("proto", PROTOS, ids=lambda path: path.stem)
def test_every_proto_has_typed_stubs(proto: Path) -> None:
    """Each proto's messages and services can be imported under its package name, and have types."""
    base = proto.relative_to(ROOT / "protos").with_suffix("")
    for ending in ("_pb2", "_pb2_grpc"):
        module = importlib.import_module(".".join(base.parts) + ending)
        assert module.__file__ == str(ROOT / "gen" / f"{base}{ending}.py")
        assert (ROOT / "gen" / f"{base}{ending}.pyi").is_file()
    assert (ROOT / "gen/gouji/py.typed").is_file()


def test_the_stubs_are_fresh(tmp_path: Path) -> None:
    """gen/ is what the protos of this tree give, to the byte; `make stubs` makes it so."""
    hatch_build.run_protoc(PROTOS, tmp_path)
    hatch_build.add_package_files(tmp_path)
    made = {str(name): (tmp_path / name).read_bytes() for name in hatch_build.files_below(tmp_path)}
    stale = [name for name, data in made.items() if (ROOT / "gen" / name).read_bytes() != data]
    assert len(made) > 4 * len(PROTOS)
    assert stale == []
    assert {f"gouji/{name}" for name in hatch_build.files_below(ROOT / "gen/gouji")} == set(made)


def test_a_type_checker_sees_through_the_stubs(tmp_path: Path) -> None:
    """mypy --strict accepts a right use of a stub and refuses a wrong field, a wrong type and a missing await."""
    code = """
import grpc.aio
from gouji.session.v1 import session_pb2 as pb, session_pb2_grpc as rpc

async def use(channel: grpc.aio.Channel) -> None:
    stub = rpc.SessionServiceStub(channel)
    answer = await stub.SignIn(pb.SignInRequest())
    answer.no_such_field
    pb.SignInRequest(no_such_field=1)
    stub.SignIn(3)
"""
    settings = tmp_path / "mypy.ini"
    options = ["strict = true", "enable_error_code = unused-awaitable", f"mypy_path = {ROOT / 'gen'}"]
    settings.write_text("\n".join(["[mypy]", *options, f"cache_dir = {tmp_path}"]), encoding="utf-8")
    report, problems, _ = mypy_api.run(["--config-file", str(settings), "-c", code])
    assert problems == ""
    lines = [int(number) for number in re.findall(r"<string>:(\d+): error", report)]
    assert set(lines) == {8, 9, 10}, report


def test_a_new_installation_cannot_be_older_than_the_stubs() -> None:
    """The base install demands at least the grpcio and protobuf that the generator in the lock file writes for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    floors = {
        requirement.name: max(Version(part.version) for part in requirement.specifier if part.operator == ">=")
        for requirement in map(Requirement, project["dependencies"])
    }
    for stub in (ROOT / "gen").rglob("*_pb2*.py"):
        text = stub.read_text(encoding="utf-8")
        if grpc := re.search(r"GRPC_GENERATED_VERSION = '([^']+)'", text):
            assert floors["grpcio"] >= Version(grpc[1]), stub
        if protobuf := re.search(r"# Protobuf Python Version: (\S+)", text):
            assert floors["protobuf"] >= Version(protobuf[1]), stub


def test_the_generator_touches_only_what_changed(workshop: Path) -> None:
    """A second run leaves equal files alone, a changed proto changes its stubs, a removed one takes them along."""
    assert hatch_build.generate() == 1
    messages = workshop / "gen/gouji/toy/v1/toy_pb2.pyi"
    before = messages.stat()
    assert hatch_build.generate() == 1
    assert messages.stat().st_ino == before.st_ino

    proto = workshop / "protos/gouji/toy/v1/toy.proto"
    proto.write_text(PROTO.replace("rank", "suit"), encoding="utf-8")
    hatch_build.generate()
    assert "suit" in messages.read_text(encoding="utf-8")

    proto.rename(proto.with_name("game.proto"))
    hatch_build.generate()
    assert sorted(path.name for path in messages.parent.glob("*_pb2.*")) == ["game_pb2.py", "game_pb2.pyi"]


def test_a_faulty_proto_is_told_with_its_line(workshop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A proto that protoc refuses ends in one message with file and line, and leaves the stubs as they were."""
    hatch_build.generate()
    kept = (workshop / "gen/gouji/toy/v1/toy_pb2.py").read_bytes()
    (workshop / "protos/gouji/toy/v1/toy.proto").write_text(PROTO.replace("int32", "int33"), encoding="utf-8")
    assert hatch_build.main() == 1
    told = capsys.readouterr().err
    assert "gouji/toy/v1/toy.proto:4:16" in told
    assert "Traceback" not in told
    assert (workshop / "gen/gouji/toy/v1/toy_pb2.py").read_bytes() == kept
    assert shown(ROOT / "protos") == "protos"


def test_a_tree_without_protos_is_refused(workshop: Path) -> None:
    """A build without protos fails instead of making a distribution without stubs."""
    (workshop / "protos/gouji/toy/v1/toy.proto").unlink()
    with pytest.raises(hatch_build.StubsError, match=r"no \.proto"):
        hatch_build.generate()
