"""A client's address as Kafka shows it: Java's text for an Internet address, such as `/127.0.0.1` (spec 3.1)."""

from __future__ import annotations


def java_host(peername: object) -> str:
    """`/` and the literal address; IPv6 in eight groups without `::`, an IPv4 address inside IPv6 as IPv4."""
    if not isinstance(peername, tuple) or not peername:
        return "/unknown"
    address = str(peername[0])
    if ":" not in address:
        return "/" + address
    return "/" + _java_ipv6(address)


def _java_ipv6(address: str) -> str:
    from ipaddress import IPv6Address  # not needed to start

    literal, percent, scope = address.partition("%")
    parsed = IPv6Address(literal)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    groups = ":".join(f"{int(group, 16):x}" for group in parsed.exploded.split(":"))
    return groups + percent + scope


def address_text(peername: object) -> str:
    """HOST:PORT for log lines."""
    if not isinstance(peername, tuple) or len(peername) < 2:
        return "an unknown address"
    host, port = str(peername[0]), peername[1]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
