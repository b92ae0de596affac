"""Opens the TCP or TLS connection under a `Connection`, and says in words why that failed."""

from __future__ import annotations

import asyncio
import socket
import ssl
from functools import lru_cache
from typing import TYPE_CHECKING

from muster.client.failure import ClientError
from muster.client.security import Security
from muster.wire.errors import INVALID_CONFIG, NETWORK_EXCEPTION

if TYPE_CHECKING:
    from muster.client.connection import Connection


@lru_cache(maxsize=16)
def _context(security: Security) -> ssl.SSLContext:
    """Reading certificates takes milliseconds and every connection of a cluster wants the same ones."""
    from muster.client.tls import tls_context

    return tls_context(security)


async def open_transport(connection: Connection, security: Security, timeout_seconds: float) -> None:
    loop = asyncio.get_running_loop()
    asked = f"connect to {connection.address}"
    context = _context(security) if security.wants_tls else None
    try:
        async with asyncio.timeout(timeout_seconds):
            transport, _ = await loop.create_connection(
                lambda: connection,
                connection.host,
                connection.port,
                ssl=context,
                server_hostname=connection.host if context is not None else None,
            )
    except TimeoutError:
        raise ClientError(NETWORK_EXCEPTION, asked, f"no answer in {timeout_seconds:g} s") from None
    except ssl.SSLCertVerificationError as error:
        hint = "Set ssl.ca.location to the authority that signed it, and use the host name that it is for"
        detail = f"the server's certificate is not trusted: {error.verify_message}"
        raise ClientError(INVALID_CONFIG, asked, detail, hint) from None  # it will not be otherwise next time
    except (ssl.SSLError, ConnectionResetError) as error:
        if context is None:
            raise ClientError(NETWORK_EXCEPTION, asked, str(error)) from None
        hint = "Check that the listener speaks TLS, and whether it wants a client certificate"
        raise ClientError(NETWORK_EXCEPTION, asked, f"the TLS handshake failed: {error}", hint) from None
    except OSError as error:
        raise ClientError(NETWORK_EXCEPTION, asked, error.strerror or str(error)) from None
    connected = transport.get_extra_info("socket")
    if connected is not None:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
