"""`muster serve` reads plain flags by itself and leaves the rest to argparse: both make the same of the same words."""

from __future__ import annotations

import argparse

import pytest

from muster.cli.serve import add_arguments, plain_arguments

PLAIN = (
    "",
    "--memory",
    "--listen 127.0.0.1:0 --data here",
    "--listen=127.0.0.1:0 --data=here",
    "--set a=b --set c=d=e",
    "--set=a=b",
    "--node-id 3 --node-id 4",
    "--print-config --config muster.toml",
    "--cluster-id= --memory",
    "--metrics-listen [::1]:0 --control 127.0.0.1:0 --log-level debug --workers 2 --durability os",
    "--advertise PLAINTEXT://a:1,TLS://b:2 --store postgresql://somewhere/x",
)
UNUSUAL = (
    "--help",
    "-h",
    "--listen",
    "--listen --memory",
    "--node-id -1",
    "--memory=yes",
    "--lis 127.0.0.1:0",
    "--print_config",
    "--node_id 3",
    "--print-config extra",
    "extra",
    "--",
    "--bogus 3",
    "--set",
)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_flags_are_read_as_argparse_reads_them(text: str) -> None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    add_arguments(parser)
    read = plain_arguments(text.split())
    assert read is not None
    assert vars(read) == vars(parser.parse_args(text.split()))


@pytest.mark.parametrize("text", UNUSUAL)
def test_whatever_is_unusual_is_left_to_argparse(text: str) -> None:
    assert plain_arguments(text.split()) is None
