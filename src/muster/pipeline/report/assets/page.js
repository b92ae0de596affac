"use strict";
/* What the page does beyond being read: theme, one group at a time, tables that sort and filter, words for marks.
   Text from the tables only ever goes through textContent. */
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (query, from = document) => Array.from(from.querySelectorAll(query));

  /* Theme: auto follows the system; the choice is kept where the browser allows it (not every one does for files). */
  const themes = ["auto", "light", "dark"];
  const themeButton = document.getElementById("theme");
  const keep = (value) => { try { localStorage.setItem("muster-theme", value); } catch { /* then it lasts for this visit */ } };
  const kept = () => { try { return localStorage.getItem("muster-theme"); } catch { return null; } };
  const wear = (theme) => {
    if (theme === "auto") root.removeAttribute("data-theme"); else root.setAttribute("data-theme", theme);
    themeButton.textContent = "Theme: " + theme;
    themeButton.setAttribute("aria-label", "Theme: " + theme + ". Press to change.");
  };
  let theme = themes.includes(kept()) ? kept() : "auto";
  wear(theme);
  themeButton.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    wear(theme);
    keep(theme);
  });

  /* Plots over time that are wider than the screen open at their newest end; a hidden one when it is shown. */
  const toNow = (from) => { for (const scroll of all(".to-now", from)) scroll.scrollLeft = scroll.scrollWidth; };

  /* One group at a time; the address remembers which. */
  const choice = document.getElementById("group-choice");
  const panels = all(".panel");
  const choose = (id) => {
    const wanted = panels.find((panel) => panel.id === id) || panels[0];
    if (!wanted) return;
    for (const panel of panels) panel.classList.toggle("chosen", panel === wanted);
    choice.value = wanted.id;
    toNow(wanted);
  };
  const follow = () => { if (location.hash.startsWith("#group-")) choose(location.hash.slice(1)); };
  if (choice) {
    choose("");
    follow();
    choice.addEventListener("change", () => { choose(choice.value); history.replaceState(null, "", "#" + choice.value); });
    addEventListener("hashchange", follow);
    /* The panel must be there before the browser scrolls to it, also when the address does not change. */
    for (const link of all('a[href^="#group-"]')) link.addEventListener("click", () => choose(link.hash.slice(1)));
  }
  for (const box of all(".tabbed")) {
    const views = all(".view", box);
    if (views.length) views[0].classList.add("chosen");
    const tabs = all(".tab", box);
    for (const tab of tabs) tab.addEventListener("click", () => {
      for (const other of tabs) other.setAttribute("aria-pressed", String(other === tab));
      for (const view of views) view.classList.toggle("chosen", view.id === tab.dataset.shows);
      toNow(box);
    });
  }

  toNow(document);

  /* Tables. */
  const words = new Intl.Collator(undefined, { numeric: true });
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.v === undefined) return cell.textContent;
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  };
  const compare = (a, b, direction) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; /* what is not known stands last, whichever way */
    return direction * (typeof a === "number" ? a - b : words.compare(a, b));
  };
  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [valueOf(row, column), row]);
    rows.sort((a, b) => compare(a[0], b[0], direction));
    body.append(...rows.map((pair) => pair[1]));
  };
  for (const table of all(".sheet table")) {
    const heads = all("th", table);
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending"
        || (head.getAttribute("aria-sort") === "none" && head.classList.contains("number"));
      const direction = head.getAttribute("aria-sort") === "descending" ? 1 : down ? -1 : 1;
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
      sort(table, column, direction);
    }));
  }
  for (const finder of all(".finder")) {
    const rows = Array.from(document.getElementById(finder.getAttribute("aria-controls")).tBodies[0].rows);
    const texts = rows.map((row) => Array.from(row.cells, (cell) => cell.textContent).join("\n").toLowerCase());
    const shown = finder.parentElement.querySelector(".shown");
    const before = shown.textContent;
    finder.addEventListener("input", () => {
      const asked = finder.value.toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = asked.filter((word) => word[0] !== "-" || word === "-");
      const unwanted = asked.filter((word) => word[0] === "-" && word !== "-").map((word) => word.slice(1));
      let count = 0;
      rows.forEach((row, i) => {
        const fits = wanted.every((word) => texts[i].includes(word)) && !unwanted.some((word) => texts[i].includes(word));
        row.hidden = !fits;
        count += fits ? 1 : 0;
      });
      shown.textContent = asked.length ? count.toLocaleString("en") + " of the " + rows.length.toLocaleString("en") + " rows here fit." : before;
    });
  }

  /* Words for marks: under the pointer, under a finger, or by arrow keys from mark to mark. */
  const tip = document.getElementById("tip");
  let at = null;
  const hide = () => {
    tip.classList.remove("on");
    if (at) at.classList.remove("at");
    at = null;
  };
  const show = (mark, x, y) => {
    if (at !== mark) {
      hide();
      at = mark;
      mark.classList.add("at");
      const row = mark.closest(".row");
      const name = row && row.dataset.name;
      tip.textContent = (name ? name + " · " : "") + mark.dataset.tip;
    }
    tip.classList.add("on");
    tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 18) + "px";
  };
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest && event.target.closest("[data-tip]");
    if (mark) show(mark, event.clientX, event.clientY); else hide();
  });
  document.addEventListener("pointerdown", (event) => {
    const mark = event.target.closest && event.target.closest("[data-tip]");
    if (mark) show(mark, event.clientX, event.clientY);
  });
  for (const moving of ["wheel", "touchmove"]) addEventListener(moving, hide, { passive: true });
  const step = (marks, key) => {
    const here = marks.indexOf(at);
    if (key === "Home") return marks[0];
    if (key === "End") return marks[marks.length - 1];
    if (key === "ArrowRight") return marks[Math.min(here + 1, marks.length - 1)];
    if (key === "ArrowLeft") return marks[Math.max(here - 1, 0)];
    return nearest(marks, here < 0 ? null : marks[here], key === "ArrowDown" ? 1 : -1);
  };
  const nearest = (marks, from, way) => {
    if (!from) return marks[0];
    const middle = (mark) => { const box = mark.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; };
    const [x, y] = middle(from);
    let best = from, least = Infinity;
    for (const mark of marks) {
      const [markX, markY] = middle(mark);
      const down = (markY - y) * way;
      if (down < 4) continue;
      const far = down * 4 + Math.abs(markX - x);
      if (far < least) { least = far; best = mark; }
    }
    return best;
  };
  for (const plot of all("svg.plot")) {
    plot.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return hide();
      if (!["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
      const marks = all("[data-tip]", plot);
      if (!marks.length) return;
      event.preventDefault();
      const mark = step(marks, event.key);
      mark.scrollIntoView({ block: "nearest", inline: "nearest" });
      const box = mark.getBoundingClientRect();
      show(mark, box.left + box.width / 2, box.bottom - 10);
    });
    plot.addEventListener("blur", hide);
  }
})();
