"""The tables of the records. Secrets are here only as SHA-256 hashes; times are Unix seconds."""

from __future__ import annotations

from sqlalchemy import Float, ForeignKey, Index, LargeBinary, MetaData, String
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
    revoked: Mapped[float | None] = mapped_column(Float)


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
