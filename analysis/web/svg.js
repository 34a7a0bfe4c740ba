// Draws figures without a browser: reads {id: specification} from the standard input and writes
// {id: text of an SVG} to the standard output.
(async function () {
  "use strict";
  const view_config = window.vega.config({
    font: "Helvetica, Arial, sans-serif", ink: "#1c2126", quiet: "#5b6570", line: "#d9dee3",
    background: "#fff",
  });

  // Vega logs its errors and goes on with a part of the figure.
  const errors = [];
  const logger = {
    level() { return this; },
    error(...words) { errors.push(words.join(" ")); return this; },
    warn(...words) { errors.push(words.join(" ")); return this; },
    info() { return this; },
    debug() { return this; },
  };

  async function draw(spec) {
    // node.js has a canvas that measures, not one that draws.
    const canvas = (spec.signals || []).find((signal) => signal.name === "canvas");
    if (canvas) canvas.value = false;
    window.vega.fit(spec, spec.width);
    const runtime = window.vega.parse(spec, view_config);
    const view = new window.vega.View(runtime, { renderer: "none", logger });
    const svg = await view.toSVG();
    view.finalize();
    return svg;
  }

  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const svgs = {};
  for (const [id, spec] of Object.entries(JSON.parse(Buffer.concat(chunks)))) {
    svgs[id] = await draw(spec);
    if (errors.length > 0) throw new Error(`${id}: ${errors.join("; ")}`);
  }
  process.stdout.write(JSON.stringify(svgs));
})();
