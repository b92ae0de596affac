"""A hook of mkdocs: pages that live elsewhere in the repository, the list of decisions, and nothing from the network.

ARCHITECTURE.md, CONTRIBUTING.md and CHANGELOG.md stand at the root, where people and GitHub look for them; in the site they
are pages like the others, with their links turned to fit.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).parents[2]
FROM_ROOT: Final = {
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
SHIM: Final = "https://unpkg.com/iframe-worker/shim"
"""What the theme would fetch for the search of a site that is opened from disk."""
OWN_SHIM: Final = "site/worker_from_disk.js"
_LINK: Final = re.compile(r"(\]\()(docs/)?([\w./-]+)")


def on_config(config: Any) -> Any:
    """The nav's `decisions` becomes one entry a decision, in their order."""
    decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
    for part in config.nav:
        for entries in part.values():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and entry.get("Decisions") == "decisions":
                    entry["Decisions"] = [f"decisions/{name}" for name in decisions]
    return config


def on_files(files: Files, config: Any) -> Files:
    for name, source in FROM_ROOT.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=turned(text)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links of a page in docs/ to those at the root."""
    up = "../" * page.file.src_uri.count("/")
    for name, source in FROM_ROOT.items():
        markdown = markdown.replace(f"](../{up}{source}", f"]({up}{name}")
    return markdown


def on_post_page(output: str, page: Any, config: Any) -> str:
    return output.replace(SHIM, "../" * page.url.count("/") + OWN_SHIM)


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    return output_content.replace(SHIM, f"/{OWN_SHIM}")


def turned(text: str) -> str:
    """Links of a page at the root, as seen from docs/."""
    inside = {source: name for name, source in FROM_ROOT.items()}

    def link(found: re.Match[str]) -> str:
        target = found[3]
        if found[2]:
            target = "decisions/0001-schema-notation.md" if target == "decisions" else target
        return found[1] + inside.get(target, target)

    return _LINK.sub(link, text)
