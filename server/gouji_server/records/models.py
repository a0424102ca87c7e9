"""The tables of the records. Secrets are here only as hashes; times are Unix seconds."""

from __future__ import annotations

from sqlalchemy import Float, ForeignKey, Index, LargeBinary, MetaData, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Base of all models. The names of constraints are fixed, so that later migrations can speak of them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class AccountRow(Base):
    """An account."""

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    display_name: Mapped[str] = mapped_column(String(64))
    created: Mapped[float] = mapped_column(Float)
    locale: Mapped[str] = mapped_column(String(35), server_default="")
    login_name: Mapped[str | None] = mapped_column(String(64))
    """What it signs in with beside a password, in the form in which names are compared."""
    password_hash: Mapped[str | None] = mapped_column(String(256))
    """As argon2 encodes it: parameters, salt and hash."""
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    """The account that made it, of a bot's account."""
    renamed: Mapped[float | None] = mapped_column(Float, index=True)
    """When the display name was last changed: access tokens made before carry the old one."""
    deleted: Mapped[float | None] = mapped_column(Float)

    __table_args__ = (Index("ix_accounts_login_name", "login_name", unique=True),)


class DeviceSecretRow(Base):
    """A secret that an account can come back with."""

    __tablename__ = "device_secrets"

    hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    created: Mapped[float] = mapped_column(Float)


class FamilyRow(Base):
    """A session: the refresh tokens that came of one sign-in, each out of the one before."""

    __tablename__ = "refresh_families"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    created: Mapped[float] = mapped_column(Float)
    revoked: Mapped[float | None] = mapped_column(Float, index=True)
    used: Mapped[float] = mapped_column(Float, server_default="0")
    """When it was begun or last refreshed; 0 in rows from before this was kept."""
    client: Mapped[str] = mapped_column(String(64), server_default="")
    """What the client called itself."""
    device_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    """The hash of the device secret that it was begun with, if it was; that secret may be gone."""
    bot_token_id: Mapped[str | None] = mapped_column(ForeignKey("bot_tokens.id", ondelete="CASCADE"), index=True)
    """The token that it was begun with, of a bot's session."""


class RefreshTokenRow(Base):
    """A refresh token, used or not. Used ones are kept until they lapse: one that comes again betrays a thief."""

    __tablename__ = "refresh_tokens"

    hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    family_id: Mapped[str] = mapped_column(ForeignKey("refresh_families.id", ondelete="CASCADE"), index=True)
    expires: Mapped[float] = mapped_column(Float)
    used: Mapped[float | None] = mapped_column(Float)

    __table_args__ = (Index("ix_refresh_tokens_expires", "expires"),)


class SignInRetryRow(Base):
    """Which account a sign-in made, so that its retry finds the same one."""

    __tablename__ = "sign_in_retries"

    key: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    expires: Mapped[float] = mapped_column(Float, index=True)


class BotTokenRow(Base):
    """A token that programs sign in with as a bot's account."""

    __tablename__ = "bot_tokens"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    scopes: Mapped[str] = mapped_column(String(128))
    description: Mapped[str] = mapped_column(String(64))
    created: Mapped[float] = mapped_column(Float)
    expires: Mapped[float | None] = mapped_column(Float)
    revoked: Mapped[float | None] = mapped_column(Float)
    used: Mapped[float | None] = mapped_column(Float)
    """When somebody last signed in with it."""

    __table_args__ = (Index("ix_bot_tokens_hash", "hash", unique=True),)


class BlockRow(Base):
    """One account wants nothing to do with another."""

    __tablename__ = "blocks"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True)
    blocked_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True)
    created: Mapped[float] = mapped_column(Float)


class MuteRow(Base):
    """One account does not want to hear another."""

    __tablename__ = "mutes"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True)
    blocked_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True)
    created: Mapped[float] = mapped_column(Float)


class ReportRow(Base):
    """Something said at a table, as somebody reported it, with what was said around it (JSON, oldest first)."""

    __tablename__ = "reports"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    created: Mapped[float] = mapped_column(Float, index=True)
    reporter_id: Mapped[str] = mapped_column(String(80), index=True)
    sender_id: Mapped[str] = mapped_column(String(80), index=True)
    table_name: Mapped[str] = mapped_column(String(80))
    scope: Mapped[str] = mapped_column(String(32))
    reason: Mapped[str] = mapped_column(String(200))
    said: Mapped[str] = mapped_column(Text)
    around: Mapped[str] = mapped_column(Text)


class BanRow(Base):
    """An account that is shut out, with its bots."""

    __tablename__ = "bans"

    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True)
    created: Mapped[float] = mapped_column(Float, index=True)
    expires: Mapped[float | None] = mapped_column(Float)
    """None: for good."""
    reason: Mapped[str] = mapped_column(String(200))
    operator: Mapped[str] = mapped_column(String(64))


class AuditRow(Base):
    """Something that an operator did, or was about to do. Kept for ever, and in the order in which it happened."""

    __tablename__ = "audit_entries"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    time: Mapped[float] = mapped_column(Float)
    operator: Mapped[str] = mapped_column(String(64))
    action: Mapped[str] = mapped_column(String(32))
    target: Mapped[str] = mapped_column(String(80), index=True)
    reason: Mapped[str] = mapped_column(String(200))
    detail: Mapped[str] = mapped_column(String(200))
