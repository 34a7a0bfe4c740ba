(function () {
  "use strict";

  // --- Tables: a click on a column's title sorts by it -------------------------------------------

  // Numbers before text, and cells without a value last whatever the direction.
  function key(cell) {
    const text = cell.textContent.trim();
    const number = Number.parseFloat(text);
    return { absent: text === "" || text === "-", number, text };
  }

  function compare(a, b) {
    const numbers = Number.isNaN(a.number) - Number.isNaN(b.number);
    if (numbers !== 0) return numbers;
    if (!Number.isNaN(a.number) && a.number !== b.number) return a.number - b.number;
    return a.text.localeCompare(b.text);
  }

  function sort(table, heading) {
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    const rows = Array.from(table.tBodies[0].rows, (row) => {
      return { row, key: key(row.cells[heading.cellIndex]) };
    });
    rows.sort((a, b) => {
      if (a.key.absent !== b.key.absent) return a.key.absent - b.key.absent;
      return ascending ? compare(a.key, b.key) : compare(b.key, a.key);
    });
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    table.tBodies[0].append(...rows.map((entry) => entry.row));
  }

  for (const heading of document.querySelectorAll(".data th")) {
    heading.querySelector("button").addEventListener("click", () => {
      sort(heading.closest("table"), heading);
    });
  }

  // --- Sections: a link opens the one that it leads to, paper shows them all -----------------------

  function open_target() {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") {
      target.open = true;
      target.scrollIntoView();
    }
  }
  window.addEventListener("hashchange", open_target);
  window.addEventListener("beforeprint", () => {
    for (const section of document.querySelectorAll("details")) section.open = true;
  });

  // --- Figures: drawn when their section is opened -------------------------------------------------

  const figures = JSON.parse(document.getElementById("figures").textContent);
  const views = new Map();

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function config() {
    return window.vega.config({
      font: getComputedStyle(document.body).fontFamily, ink: colour("--ink"),
      quiet: colour("--quiet"), line: colour("--line"), background: null,
    });
  }

  function draw(id) {
    const place = document.getElementById(id);
    if (place.clientWidth === 0) return null;  // in a section that is closed
    const spec = structuredClone(figures[id]);
    spec.width = place.clientWidth;
    window.vega.fit(spec, spec.width);
    if (views.has(id)) views.get(id).finalize();
    const view = new window.vega.View(window.vega.parse(spec, config()), {
      renderer: "svg", container: place, hover: true,
    });
    views.set(id, view);
    return view.runAsync();
  }

  // One after the other, so that the page answers while a long report is drawn.
  let round = 0;
  async function draw_all(wanted) {
    const mine = ++round;
    for (const id of Object.keys(figures)) {
      if (mine !== round) return;
      if (!wanted(id)) continue;
      await draw(id);
      await new Promise((done) => setTimeout(done, 0));
    }
    document.documentElement.dataset.drawn = views.size;
  }
  const again = () => draw_all(() => true);
  const missing = () => draw_all((id) => !views.has(id));

  open_target();
  if (!window.vega) return;
  missing();
  for (const section of document.querySelectorAll("details.result")) {
    section.addEventListener("toggle", missing);
  }
  let width = window.innerWidth;
  let timer = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(timer);
    timer = setTimeout(again, 150);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
})();
