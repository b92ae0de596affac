"""A server as `muster serve --control` runs it: the usual one, with a clock that can be moved and the control pages beside it.

Loopback only, unless muster.control.anywhere says otherwise: nobody is asked who they are.
"""

from __future__ import annotations

from ipaddress import ip_address

from muster.server.endpoint import Endpoint, parse_endpoint
from muster.server.http_guard import HttpServer, serve_http
from muster.server.serve import ListenError, Server
from muster.server.settings import Settings
from muster.testing.control_http import ControlConnection
from muster.testing.control_routes import ControlRoutes
from muster.testing.kit import Kit
from muster.topics.config_types import ConfigError


class ControlledServer(Server):
    def __init__(self, settings: Settings) -> None:
        """ConfigError if the control address is not one that may be used."""
        self._wanted = control_endpoint(settings)
        self.kit = Kit()
        self.control: Endpoint | None = None
        """Where the controls are, with the real port."""
        self._control: HttpServer | None = None
        super().__init__(settings, self.kit.make_node, self.kit.handlers)

    async def start(self) -> Endpoint:
        bound = await super().start()
        self.kit.open_coordinator()
        routes = ControlRoutes(self.kit)
        try:
            self._control = await serve_http(
                self._wanted.host, self._wanted.port, lambda places: ControlConnection(places, routes.answer)
            )
        except (OSError, OverflowError) as error:
            await self.stop()
            why = getattr(error, "strerror", None) or str(error)
            raise ListenError(
                f"cannot listen on {self._wanted}: {why}; choose another with --control HOST:PORT (port 0 takes a free one)"
            ) from error
        self.control = Endpoint(self._wanted.host, self._control.port)
        self.announcements.append(f"control on http://{self.control}/")
        return bound

    async def stop(self) -> None:
        if self._control is not None:
            self._control.close()
        await super().stop()


def control_endpoint(settings: Settings) -> Endpoint:
    wanted = parse_endpoint("muster.control.listen", settings.string("muster.control.listen"))
    if not settings.boolean("muster.control.anywhere") and not _is_loopback(wanted.host):
        raise ConfigError(
            f"muster.control.listen = {wanted}: the test controls ask nobody who they are, so they listen on loopback only;"
            " use 127.0.0.1, or set muster.control.anywhere=true if you want them to be reached from elsewhere"
        )
    return wanted


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
