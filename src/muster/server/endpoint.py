"""HOST:PORT as operators write it. Names and protocols in front of it are `listener_addresses`' business."""

from __future__ import annotations

from muster.topics.config_types import ConfigError
from muster.wire.late_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class Endpoint:
    host: str
    """Empty: every address of this machine."""
    port: int

    @property
    def is_everywhere(self) -> bool:
        """True if nobody can connect to the host as it is written."""
        return self.host in ("", "0.0.0.0", "::")  # noqa: S104 - recognised here, not bound

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_endpoint(name: str, text: str) -> Endpoint:
    """Read what stands in the setting `name`; ConfigError says what is wrong with it."""
    rest = text.strip()
    if "://" in rest:
        raise _refusal(name, text, "expected HOST:PORT without a protocol in front")
    if "," in rest:
        raise _refusal(name, text, "one address is expected, not a list")
    host, colon, port = rest.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or len(port) > 5 or int(port) > 65_535:
        raise _refusal(name, text, "expected HOST:PORT with a port from 0 to 65535")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise _refusal(name, text, "an IPv6 address needs brackets, as in [::1]:9092")
    return Endpoint(host, int(port))


def _refusal(name: str, text: str, problem: str) -> ConfigError:
    return ConfigError(f"Invalid value {text} for configuration {name}: {problem}")
