"""The whole page from the tables: one string, nothing fetched from anywhere, and a policy in its head that lets nothing in.

The policy (Content-Security-Policy) names the one style and the one script by hash: even if a name got past the escaping,
the browser would neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib import resources

import pyarrow as pa

from muster.pipeline.report import contents, limits, panels, summary, words
from muster.pipeline.report.facts import Facts, gather
from muster.pipeline.report.markup import Html, tag, together, visible
from muster.pipeline.report.plots import (
    balance,
    commit_scatter,
    expiry,
    heat,
    log_load,
    pareto,
    quality,
    retention,
    staircase,
    timeline,
)
from muster.pipeline.report.sheets import sheet

_SECTIONS = (
    ("now", "Now"),
    ("over-time", "Over time"),
    ("one-group", "One group"),
    ("ahead", "Ahead"),
    ("load", "Load"),
    ("tables", "Tables"),
    ("quality", "Data quality"),
)


def render(tables: Mapping[str, pa.Table], generated_ms: int) -> str:
    """The page as text. Tables that are not given count as empty."""
    facts = gather(tables, generated_ms)
    style, script = asset("page.css"), asset("page.js")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy(style, script)),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"Consumer groups, {words.moment(facts.end_ms)} UTC"),
        tag("style", Html(style)),
    )
    body = tag(
        "body",
        _top(facts),
        _main(facts),
        _foot(),
        tag("div", id="tip", role="status"),
        tag("script", Html(script)),
    )
    return "<!doctype html>\n" + tag("html", head, body, lang="en") + "\n"


def _top(facts: Facts) -> Html:
    links = (tag("a", word, href="#" + anchor) for anchor, word in _SECTIONS)
    clusters = ", ".join(visible(cluster) for cluster in facts.clusters[:5]) or "no cluster"
    more = f" and {len(facts.clusters) - 5} more" if len(facts.clusters) > 5 else ""
    return tag(
        "header",
        tag("h1", "Consumer groups"),
        tag(
            "p",
            f"{clusters}{more} · facts up to {words.moment(facts.end_ms)} UTC · "
            f"{words.duration(facts.end_ms - facts.start_ms)} shown · "
            f"page made {words.moment(facts.generated_ms)} UTC{_provisional(facts)}",
        ),
        tag("nav", together(links), aria_label="Parts of this page"),
        tag("p", "Plots and tables are wider than this screen: swipe them sideways.", class_="narrow-only"),
        tag("button", "Theme: auto", type="button", id="theme", aria_label="Theme: auto. Press to change."),
    )


def _provisional(facts: Facts) -> str:
    provisional = facts.table("g_lag")["provisional"]
    any_so = any(chunk.true_count for chunk in provisional.chunks)
    return " · provisional: the reader has not reached the end of the log yet" if any_so else ""


def _main(facts: Facts) -> Html:
    sheets = contents.all_sheets(facts)
    index = (tag("a", content.heading, href="#" + content.anchor) for content in sheets)
    return tag(
        "main",
        _part(
            "now",
            "Now",
            summary.tiles(facts),
            summary.attention(facts),
            pareto.lag_pareto(facts),
            commit_scatter.commit_scatter(facts),
        ),
        _part("over-time", "Over time", heat.heat_map(facts), timeline.timeline(facts), staircase.staircase(facts)),
        _part("one-group", "One group", panels.panels(facts)),
        _part("ahead", "Ahead", expiry.expiry_calendar(facts), retention.distance_to_loss(facts)),
        _part("load", "Load", balance.all_groups(facts), pareto.commit_pareto(facts), log_load.load_map(facts)),
        _part(
            "tables",
            "Tables",
            tag("nav", together(index), aria_label="Tables", class_="index"),
            *(sheet(content) for content in sheets),
        ),
        _part("quality", "Data quality", quality.quality_strip(facts)),
    )


def _part(anchor: str, heading: str, *content: Html) -> Html:
    return tag("section", tag("h2", heading), together(content), id=anchor, class_="part")


def _foot() -> Html:
    return tag(
        "footer",
        tag(
            "p",
            "Made by muster pipeline report. Times are UTC. Time lag is a bracket: from now back to when the first unread record "
            f"was written, never an extrapolation. Tables hold at most {limits.TABLE_ROWS} rows; the lake has everything.",
        ),
    )


def asset(file: str) -> str:
    return resources.files("muster.pipeline.report").joinpath("assets", file).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
