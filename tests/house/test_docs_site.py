"""The docs as a site, as `make docs` builds it: every link and anchor leads somewhere, every page is in the navigation, nothing
comes from the network. And the pages that are made from the code are those of the code.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from muster.server.setting_keys import TABLE
from muster.topics.config_table import BROKER_TOPIC_KEYS
from tests.house import cli_reference_page, configuration_page
from tests.house.doc_blocks import ROOT, pages

_FROM_ELSEWHERE = re.compile(r"""(?:<script[^>]*\bsrc|<link[^>]*\bhref|<img[^>]*\bsrc)=["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`--strict`: a broken link, a missing anchor or a page outside of the navigation ends it with an error."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)]
    built = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return target


def test_every_page_is_built(site: Path) -> None:
    inside = [page.relative_to(ROOT / "docs") for page in pages() if page.is_relative_to(ROOT / "docs")]
    assert [page for page in inside if not (site / page.with_suffix(".html")).exists()] == []
    assert "Bytes become a message" in (site / "architecture.html").read_text(encoding="utf-8")


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """It works without a network, and tells nobody who reads it."""
    found = [path.name for path in site.rglob("*.html") if _FROM_ELSEWHERE.search(path.read_text(encoding="utf-8"))]
    assert found == []
    sheets = [
        path.name for path in site.rglob("*.css") if re.search(r"url\(.?https?:|@import", path.read_text("utf-8"))
    ]
    assert sheets == []


def test_pipes_in_tables_are_shown_as_they_are_meant(site: Path) -> None:
    """GitHub wants them escaped inside of code, this site does not: tables do without."""
    found = [path.name for path in site.rglob("*.html") if re.search(r"<td><code>[^<]*\\\|", path.read_text("utf-8"))]
    assert found == []


def test_the_search_of_a_site_opened_from_disk_finds_its_script(site: Path) -> None:
    page = (site / "start" / "run-groups.html").read_text(encoding="utf-8")
    assert 'src="../site/worker_from_disk.js"' in page
    assert (site / "site" / "worker_from_disk.js").exists()


def test_a_broken_link_would_be_found(tmp_path: Path) -> None:
    for name in ("mkdocs.yml", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    settings = (tmp_path / "mkdocs.yml").read_text(encoding="utf-8")
    before, after = settings.index("nav:"), settings.index("theme:")
    (tmp_path / "mkdocs.yml").write_text(
        settings[:before] + "nav: [index.md]\n" + re.sub(r"hooks: .*", "", settings[after:]), encoding="utf-8"
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Title\n\n[a](gone.md) and [b](#nowhere)\n", encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert built.returncode != 0
    assert "gone.md" in built.stderr
    assert "#nowhere" in built.stderr


def test_the_configuration_reference_is_up_to_date() -> None:
    page = configuration_page.PAGE.read_text(encoding="utf-8")
    assert page == configuration_page.with_tables(page), "run `make pages`"


def test_the_command_line_reference_is_up_to_date() -> None:
    page = cli_reference_page.PAGE.read_text(encoding="utf-8")
    assert page == cli_reference_page.build(), "run `make pages`"


def test_every_setting_is_told_once() -> None:
    names = re.findall(
        r"^\| `([\w.]+)`(?: ¹)? \| \w+ \|", configuration_page.tables().split("## Topic settings")[0], re.M
    )
    assert len(names) == len(set(names))
    told = set(names) | {key.name for key in BROKER_TOPIC_KEYS}
    assert {key.name for key in TABLE if not key.internal} == told


def test_the_readme_does_not_boast_of_more_than_was_compared_with_kafka() -> None:
    """The page is made from what was found; the README says of two of its numbers "more than"."""
    counts = re.compile(r"([\d,]+) conversations with ([\d,]+) answers")
    found = counts.search((ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8"))
    told = counts.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found
    assert told
    for index in (1, 2):
        assert int(told[index].replace(",", "")) <= int(found[index].replace(",", ""))


def test_the_figures_of_the_readme_are_those_of_the_performance_page() -> None:
    """The newest ones there. Up to a tenth: `make bench` writes that page anew, and the machine is not the same every day."""
    table = _page("docs/performance.md").split("How it is measured:")[0]
    measured = {
        name: (float(muster), float(kafka))
        for name, muster, kafka in re.findall(r"^\| ([^|]+) \| [^|]+ \| ([\d.]+) \| [^|]*\| ([\d.]+) \|", table, re.M)
    }
    told = re.findall(r"^\| ([^|]+?)(?:, CPU)? \| ([\d.]+) \S+ \| ([\d.]+) \S+ \|$", _page("README.md"), re.M)
    assert len(told) >= 6
    for name, *figures in told:
        assert [float(each) for each in figures] == pytest.approx(measured[name], rel=0.1), name


def _page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/jobs/README.md"]
)
def test_links_of_a_page_outside_of_the_site_lead_to_files(page: str) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text(encoding="utf-8"))
    assert [target for target in targets if not ((ROOT / page).parent / target).exists()] == []
