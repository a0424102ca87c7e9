"""What went wrong with a server, in the words of the command and in the user's language."""

from __future__ import annotations

from gouji_cli.terminal import by_locale, speaks_chinese


def name_hint(error: Exception, table: str) -> str:
    """Return what to write where a table that is not there was named by what is no table's name."""
    from gouji_client import Refused

    if not isinstance(error, Refused) or error.reason != "TABLE_NOT_FOUND" or table.startswith("tables/"):
        return ""
    return by_locale(
        "; --table takes tables/…, as another player's first line tells it, new or any",
        "；--table 须写 tables/…（见别人输出的第一行）、new 或 any",
    )


def failure_of(error: Exception) -> str:
    """Return what went wrong, in the user's language where the error knows it."""
    from gouji_client import GoujiError, Refused

    if isinstance(error, Refused) and error.text_zh and speaks_chinese():
        return f"{error.reason}：{error.text_zh}" + (f"（{error.rule}）" if error.rule else "")
    return by_locale(str(error), (error.text_zh if isinstance(error, GoujiError) else "") or str(error))


def as_options(text: str) -> str:
    """Return a text of the SDK with its arguments named as the options of this command."""
    for argument, option in (
        ("pass tls=True", "use --tls"),
        ("tls=True", "--tls"),
        ("insecure=True", "--insecure"),
        ("TLS(cert_file=…)", "GOUJI_CLIENT_CERT"),
    ):
        text = text.replace(argument, option)
    return text


def in_the_clear(server: str) -> str:
    """Return why a server on another machine is not spoken to, and the options that allow it."""
    return by_locale(
        f"{server} is another machine and the connection would carry your secrets in the clear: use --tls,"
        " or --insecure if you trust the network between",
        f"{server} 是另一台机器，连接会明文传送密钥：请用 --tls；若信任中间的网络，可用 --insecure",
    )
