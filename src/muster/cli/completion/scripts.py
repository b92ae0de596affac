"""Completion scripts, written from what the parsers know. bash's also serves zsh, through its bashcompinit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from muster.cli.completion.words import CommandPath, places

_BASH: Final = """\
# Completion of the muster command for bash. Made by: muster completion bash
_muster_names() {{
    command muster completion "$1" 2>/dev/null
}}

_muster() {{
    local cur prev path words names flags word index
    COMPREPLY=()
    cur="${{COMP_WORDS[COMP_CWORD]}}"
    prev="${{COMP_WORDS[COMP_CWORD-1]}}"
    path=""
    for ((index = 1; index < COMP_CWORD && index < 3; index++)); do
        word="${{COMP_WORDS[index]}}"
        [[ "$word" == -* ]] && break
        case "$path $word" in
{paths}
                path="$path $word" ;;
            *) break ;;
        esac
    done
    words="" names="" flags=""
    case "$path $prev" in
{values}
    esac
    if [[ -z "$words$names" ]]; then
        case "$path" in
{places}
        esac
        if [[ "$cur" == -* || -z "$words$names" ]]; then
            words="$flags" names=""
        fi
    fi
    case "$names" in
        files) COMPREPLY=( $(compgen -f -- "$cur") ); return ;;
        groups | topics) words="$words $(_muster_names "$names")" ;;
    esac
    COMPREPLY=( $(compgen -W "$words" -- "$cur") )
}}

complete -o filenames -F _muster muster
"""
_ZSH: Final = """\
# Completion of the muster command for zsh. Made by: muster completion zsh
autoload -U +X bashcompinit && bashcompinit
"""


def script(shell: str, commands: Mapping[str, tuple[str, str]]) -> str:
    found = list(places(commands))
    if shell == "fish":
        return _fish(found, commands)
    return (_ZSH if shell == "zsh" else "") + _bash(found, commands)


def _bash(found: list[CommandPath], commands: Mapping[str, tuple[str, str]]) -> str:
    paths = " | ".join(f'" {" ".join(place.path)}"' for place in found)
    values, known = [], [f'            "") words="{" ".join(commands)}" flags="--help --version" ;;']
    for place in found:
        path = " " + " ".join(place.path)
        for flag in place.flags:
            if flag.takes_value:
                words = " ".join(flag.choices) or ("" if flag.names else " ")
                values.append(f'        "{path} {flag.name}") words="{words}" names="{flag.names}" ;;')
        flags = " ".join(flag.name for flag in place.flags)
        words = " ".join(name for name, _ in place.below) or " ".join(place.words)
        known.append(f'            "{path}") words="{words}" names="{place.names}" flags="{flags}" ;;')
    return _BASH.format(paths=f"            {paths})", values="\n".join(values), places="\n".join(known))


def _fish(found: list[CommandPath], commands: Mapping[str, tuple[str, str]]) -> str:
    lines = [
        "# Completion of the muster command for fish. Made by: muster completion fish",
        "complete -c muster -f",
        *(
            f"complete -c muster -n __fish_use_subcommand -a {name} -d {_quoted(text)}"
            for name, (_, text) in commands.items()
        ),
    ]
    for place in found:
        at = _condition(place)
        lines += [f"complete -c muster -n {at} -a {name} -d {_quoted(text)}" for name, text in place.below]
        lines += [f"complete -c muster -n {at} -a {_quoted(' '.join(place.words))}"] if place.words else []
        lines += [f"complete -c muster -n {at} {_fish_names(place.names)}"] if place.names else []
        for flag in place.flags:
            line = f"complete -c muster -n {at} -l {flag.name.lstrip('-')} -d {_quoted(flag.summary)}"
            if flag.takes_value:
                choices = f"-x -a {_quoted(' '.join(flag.choices))}" if flag.choices else _fish_names(flag.names)
                line += f" -r {choices}"
            lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


def _condition(place: CommandPath) -> str:
    seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in place.path)
    if place.below:
        seen += f"; and not __fish_seen_subcommand_from {' '.join(name for name, _ in place.below)}"
    return f'"{seen}"'


def _fish_names(names: str) -> str:
    if names == "files":
        return "-F"
    return f'-x -a "(command muster completion {names} 2>/dev/null)"' if names else ""


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
