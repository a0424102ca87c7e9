"""TLS: whom the server is to those who trust its roots, whom it lets in, and certificates that are renewed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import grpc
import pytest
from pydantic import ValidationError

from gouji_client import TLS, CredentialsError, ServerUnreachable, connect
from gouji_server.api.certificates import CertificateError, Certificates
from gouji_server.config import Config
from gouji_server.data_directory import StartError
from tests.clients.cli_run import gouji
from tests.server.certificate_authority import Authority, Pair
from tests.server.raw_client import RawClient, refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.server.running import Running


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """The roots that everybody trusts."""
    return Authority(tmp_path)


def trust(authority: Authority, own: Pair | None = None) -> grpc.ChannelCredentials:
    roots = authority.root.certificate.read_bytes()
    if own is None:
        return grpc.ssl_channel_credentials(roots)
    return grpc.ssl_channel_credentials(roots, own.key.read_bytes(), own.certificate.read_bytes())


async def comes_in(running: Running, credentials: grpc.ChannelCredentials) -> bool:
    """Whether a client gets through the handshake of a new connection, and is served."""
    async with RawClient(f"localhost:{running.server.port}", credentials) as client:
        try:
            await client.sign_in()
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                return False
            raise
        return True


async def test_the_sdk_knows_the_server_by_its_roots(
    start_server: Callable[..., Running], authority: Authority, tmp_path: Path
) -> None:
    """With a file of roots the SDK signs in over TLS; by other roots, or in the clear, it says nothing there."""
    pair = authority.issue()
    async with start_server(tls_cert=pair.certificate, tls_key=pair.key) as running:
        address = f"localhost:{running.server.port}"
        async with connect(address, tls=TLS(ca_file=authority.root.certificate)) as client:
            await client.sign_in("Mei")
            assert client.account.display_name == "Mei"
        other = Authority(tmp_path, "other")
        for tls in (TLS(ca_file=other.root.certificate), True, False):
            with pytest.raises(ServerUnreachable, match="TLS"):
                await connect(address, tls=tls, wait=1)
        with pytest.raises(CredentialsError, match="cannot read"):
            await connect(address, tls=TLS(ca_file=tmp_path / "none.pem"))


async def test_clients_show_certificates_where_that_is_wanted(
    start_server: Callable[..., Running], authority: Authority, tmp_path: Path
) -> None:
    """With client roots set, a certificate by them comes in; none, or one by other roots, does not."""
    pair, own = authority.issue(), authority.issue("a-client")
    strangers = Authority(tmp_path, "strangers")
    clients = authority.root.certificate
    async with start_server(tls_cert=pair.certificate, tls_key=pair.key, tls_client_ca=clients) as running:
        assert await comes_in(running, trust(authority, own))
        assert not await comes_in(running, trust(authority))
        assert not await comes_in(running, trust(authority, strangers.issue("a-client")))
        address = f"localhost:{running.server.port}"
        tls = TLS(ca_file=clients, cert_file=own.certificate, key_file=own.key)
        async with connect(address, tls=tls) as client:
            await client.sign_in("Mei")
        with pytest.raises(ServerUnreachable, match="certificate of yours"):
            await connect(address, tls=TLS(ca_file=clients), wait=1)


async def test_a_renewed_certificate_is_served_without_a_restart(
    start_server: Callable[..., Running], authority: Authority, tmp_path: Path
) -> None:
    """New connections get the new certificate from the moment its files are there; those that are open go on."""
    later = Authority(tmp_path, "later")
    served = Pair(tmp_path / "served.pem", tmp_path / "served.key")
    authority.issue().copy_to(served)
    async with start_server(tls_cert=served.certificate, tls_key=served.key) as running:
        before = RawClient(f"localhost:{running.server.port}", trust(authority))
        await before.sign_in()
        later.issue().copy_to(served)
        assert await comes_in(running, trust(later))
        assert not await comes_in(running, trust(authority))
        await before.refresh()
        await before.channel.close()


async def test_client_roots_are_renewed_too(
    start_server: Callable[..., Running], authority: Authority, tmp_path: Path
) -> None:
    """Whose certificates come in changes with the file, without a restart."""
    later = Authority(tmp_path, "later")
    pair, roots = authority.issue(), tmp_path / "clients.pem"
    roots.write_bytes(authority.root.certificate.read_bytes())
    async with start_server(tls_cert=pair.certificate, tls_key=pair.key, tls_client_ca=roots) as running:
        newcomer = trust(authority, later.issue("newcomer"))
        assert not await comes_in(running, newcomer)
        roots.write_bytes(later.root.certificate.read_bytes() + b"\n")
        assert await comes_in(running, newcomer)
        assert not await comes_in(running, trust(authority, authority.issue("a-client")))


@pytest.mark.parametrize("spoiled", ["another key", "gone", "rubbish", "empty"])
async def test_a_renewal_that_went_wrong_changes_nothing(
    start_server: Callable[..., Running], authority: Authority, tmp_path: Path, spoiled: str
) -> None:
    """While the files do not fit together the old certificate is served; when they do again, the new one."""
    later = Authority(tmp_path, "later")
    served = Pair(tmp_path / "served.pem", tmp_path / "served.key")
    authority.issue().copy_to(served)
    async with start_server(tls_cert=served.certificate, tls_key=served.key) as running:
        assert await comes_in(running, trust(authority))
        match spoiled:
            case "another key":
                served.key.write_bytes(later.issue().key.read_bytes())
            case "gone":
                served.certificate.unlink()
            case "rubbish":
                served.certificate.write_text("rubbish")
            case _:
                served.key.write_bytes(b"")
        assert await comes_in(running, trust(authority))
        assert await comes_in(running, trust(authority))
        later.issue().copy_to(served)
        assert await comes_in(running, trust(later))


def test_bad_files_stop_the_start(authority: Authority, tmp_path: Path) -> None:
    """Roots that are none, an encrypted key, and files that are not there are told in one line each."""
    pair = authority.issue()
    rubbish = tmp_path / "rubbish.pem"
    rubbish.write_text("rubbish")
    with pytest.raises(StartError, match=r"rubbish\.pem holds no certificates"):
        Certificates(pair.certificate, pair.key, rubbish).credentials()
    with pytest.raises(StartError, match=r"none\.pem cannot be read"):
        Certificates(pair.certificate, pair.key, tmp_path / "none.pem").credentials()
    with pytest.raises(StartError, match="fit together"):
        Certificates(rubbish, pair.key, None).credentials()


def test_files_written_while_they_are_read_are_not_served(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What may be half of the old and half of the new is not served, and looked at again at the next handshake."""
    pair, newer = authority.issue(), authority.issue()
    certificates = Certificates(pair.certificate, pair.key, None)
    check = certificates._check

    def written_meanwhile() -> None:
        check()
        newer.copy_to(pair)

    monkeypatch.setattr(certificates, "_check", written_meanwhile)
    with pytest.raises(CertificateError, match="being written"):
        certificates._read()
    monkeypatch.setattr(certificates, "_check", check)
    assert certificates._newer() is not None
    assert certificates._newer() is None


def test_client_roots_want_a_certificate(tmp_path: Path) -> None:
    """To ask clients for certificates without showing one is no setting."""
    with pytest.raises(ValidationError, match="tls-client-ca needs"):
        Config(tls_client_ca=tmp_path / "ca.pem")


async def test_a_server_over_tls_does_not_listen_in_the_clear(
    start_server: Callable[..., Running], authority: Authority
) -> None:
    """Who speaks without TLS to a server with a certificate is not answered."""
    pair = authority.issue()
    async with (
        start_server(tls_cert=pair.certificate, tls_key=pair.key) as running,
        RawClient(running.server.address) as clear,
    ):
        assert (await refusal(clear.sign_in())).code is grpc.StatusCode.UNAVAILABLE


@pytest.fixture
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOUJI_CA", "GOUJI_CLIENT_CERT", "GOUJI_CLIENT_KEY"):
        monkeypatch.delenv(name, raising=False)


async def test_commands_speak_tls(
    start_server: Callable[..., Running], authority: Authority, tmp_path: Path, no_environment: None
) -> None:
    """The command takes roots by option, a certificate of one's own from the environment, and says what is missing."""
    pair, own = authority.issue(), authority.issue("a-client")
    clients = authority.root.certificate
    async with start_server(tls_cert=pair.certificate, tls_key=pair.key, tls_client_ca=clients) as running:
        address = f"localhost:{running.server.port}"
        keep = tmp_path / "mei.json"
        async with connect(address, tls=TLS(clients, own.certificate, own.key)) as client:
            await client.sign_in("Mei", keep=keep)
        shown = {"GOUJI_CLIENT_CERT": str(own.certificate), "GOUJI_CLIENT_KEY": str(own.key)}
        command = ("account", "show", "--keep", str(keep), "--ca", str(clients))
        done = await asyncio.to_thread(gouji, *command, env=shown)
        assert "display_name: Mei" in done.output
        done = await asyncio.to_thread(gouji, *command[:-2], env=shown | {"GOUJI_CA": str(clients)})
        assert "display_name: Mei" in done.output
        done = await asyncio.to_thread(gouji, *command, env={"GOUJI_CLIENT_CERT": str(own.certificate)})
        assert done.exit_code == 1
        assert "needs both" in done.output
