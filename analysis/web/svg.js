// Draws figures without a browser: reads {id: specification} from the standard input and writes
// {id: text of an SVG} to the standard output.
(async function () {
  "use strict";
  const view_config = window.vega.config({
    font: "Helvetica, Arial, sans-serif", ink: "#1c2126", quiet: "#5b6570", line: "#d9dee3",
    background: "#fff",
  });
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const svgs = {};
  for (const [id, spec] of Object.entries(JSON.parse(Buffer.concat(chunks)))) {
    const view = new window.vega.View(window.vega.parse(spec, view_config), { renderer: "none" });
    svgs[id] = await view.toSVG();
    view.finalize();
  }
  process.stdout.write(JSON.stringify(svgs));
})();
