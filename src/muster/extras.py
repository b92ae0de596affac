"""Optional packages: how somebody who lacks them installs them. Muster is on no package index, so that is from a checkout."""

from __future__ import annotations


def install_command(extra: str) -> str:
    """The command for an extra of pyproject.toml, as error messages show it."""
    return f"pip install '.[{extra}]' (in a checkout of Muster)"
