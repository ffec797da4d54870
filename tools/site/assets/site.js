"use strict";

// find returns the sections that have all words of a query, the best first.
function find(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const all = [];
  for (const section of index.sections) {
    const page = index.pages[section.p];
    const title = page.t.toLowerCase(), heading = section.h.toLowerCase(), text = section.t.toLowerCase();
    let score = 0;
    for (const word of words) {
      const times = Math.min(text.split(word).length - 1, 5);
      const here = times + (heading.includes(word) ? 10 : 0) + (title.includes(word) ? 6 : 0);
      if (here === 0) {
        score = 0;
        break;
      }
      score += here;
    }
    if (score === 0) continue;
    if (heading === words.join(" ")) score += 10;
    // The changelog and the lab book mention everything. They are late in the sidebar.
    all.push({ page, section, score: score - 12 * section.p / index.pages.length });
  }
  return all.sort((a, b) => b.score - a.score);
}

// excerpt returns the text around the first word that is found.
function excerpt(text, query) {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...query.toLowerCase().split(/\s+/).filter(Boolean).map(w => lower.indexOf(w)).filter(i => i >= 0), text.length));
  const from = at === text.length ? 0 : Math.max(0, at - 60);
  return (from > 0 ? "…" : "") + text.slice(from, from + 160) + (from + 160 < text.length ? "…" : "");
}

function start() {
  const form = document.getElementById("search"), input = form.querySelector("input"), list = document.getElementById("found");
  const root = input.dataset.root;
  form.hidden = false;

  // A page from file:// can't fetch the index, but it can run it as a script.
  function load() {
    if (load.begun) return;
    load.begun = true;
    const script = document.createElement("script");
    script.src = root + "search-index.js";
    script.onload = show;
    document.head.append(script);
  }
  function show() {
    list.replaceChildren();
    const query = input.value.trim();
    list.hidden = query === "";
    if (query === "" || !window.siteIndex) return;
    const results = find(window.siteIndex, query).slice(0, 20);
    for (const { page, section } of results) {
      const li = document.createElement("li"), a = document.createElement("a"), p = document.createElement("p");
      a.href = root + page.f + (section.a ? "#" + section.a : "");
      a.textContent = section.h === page.t ? page.t : page.t + " › " + section.h;
      a.onclick = () => { list.hidden = true; };
      p.textContent = excerpt(section.t, query);
      li.append(a, p);
      list.append(li);
    }
    if (results.length === 0) {
      const li = document.createElement("li");
      li.textContent = "No page has these words.";
      list.append(li);
    }
  }
  input.addEventListener("focus", load);
  input.addEventListener("input", () => { load(); show(); });
  form.addEventListener("submit", event => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) first.click();
  });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== input && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    }
    if (event.key === "Escape") list.hidden = true;
  });
  document.addEventListener("click", event => {
    if (!form.contains(event.target)) list.hidden = true;
  });

  const outline = document.querySelector(".outline details");
  if (outline && !matchMedia("(min-width: 76rem)").matches) outline.open = false;
  const sidebar = document.getElementById("sidebar"), here = sidebar.querySelector("[aria-current]");
  if (here && matchMedia("(min-width: 52rem)").matches) sidebar.scrollTop = here.offsetTop - sidebar.clientHeight / 2;
}

if (typeof module === "object") module.exports = { find, excerpt };
else start();
