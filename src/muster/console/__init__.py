"""The live web console: `muster console` shows groups, topics and nodes of a Muster or a Kafka in a browser.

A process of its own that asks through `muster.client`; nothing of it runs in a server. docs/console.md shows it.

    settings         what the command was given
    serving          the web server around the app, and its end
    app              which path is served by which handler
    guard            which requests are let in, and the headers of every answer
    sessions         who is logged in; `login` the pages for that
    observer         asks one cluster as one principal, once for all pages; `observers` has one for each principal
    group_timeline   what has happened to one group; `timelines` has all of them within bounds; `timeline_reader` follows the
                     journal, or the offsets log of a Kafka
    group_status     what a group is like now; `known_groups` has all of them; `time_lag` how long unread records have waited
    trouble          what went wrong, as a sentence for pages
    live             pages that change while they are looked at, by server-sent events
    polled_region    the same for pages that ask for themselves: `record_tail`, `cluster_page` with `shard_states`
    *_view           what a page shows, as plain values; `templates` have the markup
    actions          changes, each with a dry run and a confirmation

Needs the extra `console`. Nothing is imported here.
"""
