// Live regions, relative times, keys and colours. No framework, no network but this console itself.
"use strict";

// -- time: the server's clock decides, whatever this machine's says
let ahead = Number(document.body.dataset.now || Date.now()) - Date.now();
const now = () => Date.now() + ahead;

function length(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60 ? (s % 60) + " s" : ""}`.trim();
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

function tick(root) {
  for (const each of root.querySelectorAll("time[data-at]")) {
    const text = `${length(now() - Number(each.dataset.at))} ago`;
    if (each.textContent !== text) each.textContent = text;
  }
  for (const each of root.querySelectorAll("[data-until]")) {
    const left = Number(each.dataset.until) - now();
    const text = left > 0 ? `${length(left)} left until the timeout` : "the timeout is over";
    if (each.textContent !== text) each.textContent = text;
  }
}
tick(document);
setInterval(() => { if (!document.hidden) tick(document); }, 1000);

// -- live regions: the server sends markup, only what differs is touched, so that focus, selection and open details stay
function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) { old.replaceWith(fresh); return; }
  if (old.nodeType === Node.TEXT_NODE) { if (old.data !== fresh.data) old.data = fresh.data; return; }
  if (old.nodeType !== Node.ELEMENT_NODE) return;
  const mine = old.dataset.at !== undefined || old.dataset.until !== undefined;
  const same = mine && old.dataset.at === fresh.dataset.at && old.dataset.until === fresh.dataset.until;
  for (const { name } of [...old.attributes]) {
    const kept = (name === "open" && old.isTouched) || (name === "class" && old.classList.contains("at"));
    if (!kept && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if ((name === "open" && old.isTouched) || (name === "class" && old.classList.contains("at"))) continue;
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (!same) morphChildren(old, fresh);
}

// What somebody has opened or closed stays so; of the others the newest is open.
addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  if (summary) summary.parentNode.isTouched = true;
});

function morphChildren(old, fresh) {
  const keyed = new Map([...old.children].filter((each) => each.dataset.key !== undefined).map((each) => [each.dataset.key, each]));
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const key = next.nodeType === Node.ELEMENT_NODE ? next.dataset.key : undefined;
    const found = key === undefined ? undefined : keyed.get(key);
    if (found) {
      keyed.delete(key);
      if (found !== at) old.insertBefore(found, at); else at = at.nextSibling;
      morph(found, next);
    } else if (key === undefined && at && !(at.nodeType === Node.ELEMENT_NODE && at.dataset.key !== undefined)) {
      const after = at.nextSibling;
      morph(at, next);
      at = after;
    } else {
      old.insertBefore(next, at);
    }
  }
  while (at) { const after = at.nextSibling; at.remove(); at = after; }
  for (const left of keyed.values()) if (left.parentNode === old) left.remove();
}

function show(region, markup) {
  const place = document.getElementById(region);
  if (!place) return;
  const fresh = document.createElement("div");
  fresh.innerHTML = markup; // escaped on the server; the policy of the page runs no script in it
  tick(fresh);
  morphChildren(place, fresh);
  reveal();
}

// The rebalance that the address names may be far down in its list, and come later than the page.
let isRevealed = false;
function reveal() {
  const chosen = document.querySelector(".bars > .chosen");
  if (isRevealed || !chosen) return;
  isRevealed = true;
  chosen.parentNode.scrollTop = chosen.offsetTop - chosen.parentNode.offsetTop;
  if (location.hash === `#${chosen.id}`) chosen.scrollIntoView({ block: "nearest" });
}
reveal();

const broken = document.getElementById("broken");
const light = document.getElementById("link");
function tell(text, tone) {
  if (!light || light.textContent === text) return;
  light.textContent = text;
  light.className = `link ${tone}`;
}

function follow(address) {
  const source = new EventSource(address);
  source.addEventListener("regions", (event) => {
    const sent = JSON.parse(event.data);
    ahead = sent.now - Date.now();
    for (const [region, markup] of Object.entries(sent.regions)) show(region, markup);
    broken.textContent = sent.broken || "";
    broken.hidden = !sent.broken;
    if (sent.settled) document.body.classList.remove("asking");
    tell(sent.settled ? "live" : "asking", "on"); // what is shown may be old until the cluster has answered
    document.body.dataset.version = event.lastEventId;
  });
  source.addEventListener("ping", (event) => { ahead = Number(event.data) - Date.now(); });
  source.addEventListener("error", () => {
    tell(source.readyState === EventSource.CLOSED ? "ended: reload" : "reconnecting", "off");
  });
  addEventListener("pagehide", () => source.close());
}
if (document.body.dataset.live) follow(document.body.dataset.live);

// -- colours: automatic, light, dark
const themes = ["auto", "light", "dark"];
const button = document.getElementById("theme");
function paint(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
  if (!button) return;
  button.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[theme];
  button.setAttribute("aria-label", `Colours: ${theme === "auto" ? "automatic" : theme}. Press to change.`);
}
let theme = themes.includes(localStorage.getItem("theme")) ? localStorage.getItem("theme") : "auto";
paint(theme);
if (button) button.addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  localStorage.setItem("theme", theme);
  paint(theme);
});

// -- filters: a choice counts at once
for (const each of document.querySelectorAll("form[role=search] select")) each.addEventListener("change", () => each.form.requestSubmit());

// -- keys
function step(by) {
  const rows = [...document.querySelectorAll("table.rows tbody tr, ol.bars > li")].filter((row) => row.querySelector("a, summary"));
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.classList.contains("at"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by))];
  for (const row of rows) row.classList.remove("at");
  next.classList.add("at");
  next.querySelector("a, summary").focus();
}
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.nodeName)) return;
  const go = { g: "/", t: "/topics", c: "/cluster" }[event.key];
  if (go) location.href = go;
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "/") {
    const search = document.getElementById("search");
    if (search) { search.focus(); search.select(); event.preventDefault(); }
  }
});
