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

  for (const heading of document.querySelectorAll("th")) {
    heading.querySelector("button").addEventListener("click", () => {
      sort(heading.closest("table"), heading);
    });
  }

  // --- Figures -----------------------------------------------------------------------------------

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
    const spec = structuredClone(figures[id]);
    spec.width = place.clientWidth;
    // On a narrow screen the names of arms must leave room for the marks.
    const limit = (spec.signals || []).find((signal) => signal.name === "labelLimit");
    if (limit) limit.value = Math.max(90, Math.min(200, 0.34 * place.clientWidth));
    if (views.has(id)) views.get(id).finalize();
    const view = new window.vega.View(window.vega.parse(spec, config()), {
      renderer: "svg", container: place, hover: true,
    });
    views.set(id, view);
    return view.runAsync();
  }

  // One after the other, so that the page answers while a long report is drawn.
  let round = 0;
  async function draw_all() {
    const mine = ++round;
    for (const id of Object.keys(figures)) {
      if (mine !== round) return;
      await draw(id);
      await new Promise((done) => setTimeout(done, 0));
    }
    document.documentElement.dataset.drawn = views.size;
  }

  if (!window.vega) return;
  draw_all();
  let width = window.innerWidth;
  let timer = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(timer);
    timer = setTimeout(draw_all, 150);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_all);
})();
