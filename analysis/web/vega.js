// Joins Vega's modules, each of which was written for CommonJS, into one global `vega`.
(function () {
  "use strict";
  const definitions = window.vegaModules;
  const loaded = {};
  // Maps are not drawn: the geographic projections behind this module may be empty.
  const absent = new Set(["d3-geo-projection"]);

  function load(name) {
    if (absent.has(name)) return {};
    if (!(name in loaded)) {
      const module = { exports: {} };
      loaded[name] = module;
      definitions[name].call(module.exports, module, module.exports, load);
    }
    return loaded[name].exports;
  }

  const { transforms } = load("vega-dataflow");
  for (const name of ["vega-transforms", "vega-view-transforms", "vega-encode", "vega-label"]) {
    Object.assign(transforms, load(name));
  }

  // How all figures look, in the fonts and colours of the place where they stand.
  function config({ font, ink, quiet, line, background }) {
    return {
      background,
      axis: {
        domainColor: line, gridColor: line, tickColor: line, labelColor: ink, titleColor: quiet,
        labelFont: font, titleFont: font, labelFontSize: 11, titleFontSize: 11,
        titleFontWeight: "normal",
      },
      legend: { labelColor: ink, titleColor: quiet, labelFont: font, titleFont: font },
      text: { fill: ink, font, fontSize: 11 },
      title: { color: ink, font, fontSize: 13, anchor: "start", offset: 12 },
    };
  }

  window.vega = { View: load("vega-view").View, parse: load("vega-parser").parse, config };
})();
