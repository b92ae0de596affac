"""Where settings come from, lowest to highest: defaults, a TOML file, environment variables, flags.

Turns each source into named texts that remember their origin, so that every complaint can say where to look.
Reads the file; is given the environment. Which names exist and what they mean is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from muster.server.listener_keys import PER_LISTENER, full_name, split_name
from muster.server.setting_keys import ALIASES, NOT_SUPPORTED_YET, TABLE
from muster.topics.config_types import ConfigError, ConfigKey, ConfigType
from muster.wire.late_dataclass import dataclass

ENVIRONMENT_PREFIX: Final = "MUSTER_"
NOT_SETTINGS: Final = frozenset({"MUSTER_BOOTSTRAP", "MUSTER_NO_REPEATS", "MUSTER_PURE"})
"""Variables of our own commands, and of the package itself (`muster.form`), that are no settings of a server."""
_OWN_PREFIX: Final = "muster."
_LISTENER_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}LISTENER_NAME_"


@dataclass(slots=True, frozen=True)
class SettingText:
    """What somebody wrote, under the name that the table knows."""

    name: str
    text: str
    origin: str
    """Reads on after "from": `the default`, `file muster.toml`, `variable MUSTER_DATA`, `flag --data`."""


def from_flag(flag: str, name: str, text: str) -> SettingText:
    refuse_password(f"flag {flag}", text)
    return SettingText(known_name(name, f"flag {flag}"), text, f"flag {flag}")


def refuse_password(where: str, url: str) -> None:
    """A database's address on the command line may not have a password in it. ConfigError, which does not repeat it."""
    scheme, has_scheme, rest = url.partition("://")
    if not has_scheme or not scheme.startswith("postgres"):
        return
    place, _, query = rest.partition("?")
    user, has_user, _ = place.split("/", 1)[0].rpartition("@")
    given = [part.partition("=")[0].lower() for part in query.split("&")]
    if (has_user and ":" in user) or "password" in given or "sslpassword" in given:
        raise ConfigError(
            f"{where}: a password on the command line can be seen by every user of this machine; leave it out of the"
            f" address and give it in the file that PGPASSFILE names, in PGPASSWORD, or with the whole address in"
            f" {variable_of('muster.store')} or --config FILE"
        )


def from_assignments(flag: str, assignments: Iterable[str]) -> Iterator[SettingText]:
    """NAME=VALUE, as often as given."""
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals or not name.strip():
            raise ConfigError(f"flag {flag} {assignment}: expected NAME=VALUE, as in {flag} group.max.size=100")
        known = known_name(name.strip(), f"flag {flag} {name.strip()}")
        if key_of(known).type is ConfigType.PASSWORD:
            raise ConfigError(
                f"flag {flag} {known}: a secret on the command line can be seen by every user of this machine;"
                f" use --config FILE or the variable {variable_of(known)}"
            )
        yield SettingText(known, text, f"flag {flag}")


def from_environment(environment: Mapping[str, str]) -> Iterator[SettingText]:
    """`MUSTER_GROUP_MAX_SIZE` is group.max.size, `MUSTER_DATA` is muster.data."""
    names = {variable_of(name): name for name in (*(key.name for key in TABLE), *ALIASES)}
    for variable, text in sorted(environment.items()):
        if not variable.startswith(ENVIRONMENT_PREFIX) or variable in NOT_SETTINGS:
            continue
        name = names.get(variable) or _listener_name(variable)
        if name is None:
            near = _nearest(variable, names)
            meant = f"; did you mean {near}?" if near else ""
            raise ConfigError(f"variable {variable}: there is no such setting{meant}")
        origin = f"variable {variable}"
        yield SettingText(known_name(name, origin), text, origin)


def _listener_name(variable: str) -> str | None:
    """`MUSTER_LISTENER_NAME_INTERNAL_SSL_CLIENT_AUTH` is listener.name.internal.ssl.client.auth."""
    if not variable.startswith(_LISTENER_VARIABLE):
        return None
    rest = variable.removeprefix(_LISTENER_VARIABLE)
    for setting in sorted(PER_LISTENER, key=len, reverse=True):
        ending = "_" + setting.upper().replace(".", "_")
        if rest.endswith(ending) and len(rest) > len(ending):
            return full_name(rest.removesuffix(ending), setting)
    return None


def variable_of(name: str) -> str:
    """The environment variable of a setting."""
    return ENVIRONMENT_PREFIX + name.removeprefix(_OWN_PREFIX).upper().replace(".", "_")


def from_file(path: str) -> Iterator[SettingText]:
    """Settings of a TOML file: quoted dotted names and nested tables alike, Muster's own under [muster]."""
    origin = f"file {path}"
    for name, value in _flat(_read_toml(path), ""):
        yield SettingText(known_name(name, origin), _text(name, value, origin), origin)


def known_name(name: str, origin: str) -> str:
    """The table's name for what was written; ConfigError with a suggestion if there is none."""
    name = ALIASES.get(name, name)
    if name in TABLE:
        return name
    if (parts := split_name(name)) is not None:
        return _known_listener_name(*parts, origin)
    if name.startswith(_OWN_PREFIX):
        inner = name.removeprefix(_OWN_PREFIX).replace("-", ".")
        for candidate in (_OWN_PREFIX + inner, ALIASES.get(inner, inner)):
            if candidate in TABLE:
                return candidate
    if name.startswith(NOT_SUPPORTED_YET):
        raise ConfigError(f"{origin}: {name} belongs to a part of Kafka that is not supported yet; remove it")
    try:
        TABLE[name]
    except ConfigError as error:
        raise ConfigError(f"{origin}: {error}") from None
    raise AssertionError(name)


def _known_listener_name(listener: str, setting: str, origin: str) -> str:
    if listener and setting in PER_LISTENER:
        return full_name(listener, setting)
    near = _nearest(setting, PER_LISTENER)
    meant = f"; did you mean {full_name(listener, near)}?" if near else ""
    raise ConfigError(
        f"{origin}: {full_name(listener, setting)}: {setting or 'nothing'} cannot be set for one listener{meant}"
    )


def key_of(name: str) -> ConfigKey:
    """What is known of a setting, also of one that is for one listener alone."""
    parts = split_name(name)
    return PER_LISTENER[parts[1]] if parts is not None else TABLE[name]


def _read_toml(path: str) -> Mapping[str, object]:
    import tomllib  # only for those who have a file

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"cannot read the configuration file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the configuration file {path} is not TOML: {error}") from None


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _text(name: str, value: object, origin: str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str() | int() | float():
            return str(value)
        case list() if all(isinstance(item, str | int) for item in value):
            return ",".join(str(item) for item in value)
        case _:
            raise ConfigError(f"{origin}: {name} = {value!r}: expected text, a number, true, false or a list of texts")


def _nearest(given: str, known: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(given, list(known), n=1, cutoff=0.7)
    return near[0] if near else None
