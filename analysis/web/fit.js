// Fits a figure to the width that it gets: names of arms are broken into lines, never cut; a
// logarithmic axis gets as many ticks as its range can bear. What a specification wants is in its
// `usermeta`: `rows`, `columns` and `legend` name the fields whose values are labels, `ticks` the
// signals that hold an axis' ticks with the fields that it shows, and whether it stands upright.
(function () {
  "use strict";
  const kCharacter = 6.1;  // pixels of a label's character, on average

  function unique(spec, field) {
    return Array.from(new Set(spec.data[0].values.map((row) => row[field]).filter((v) => v !== undefined)));
  }

  // Lines of at most `limit` characters, broken behind separators where there are any.
  function broken(name, limit) {
    const parts = String(name).match(/[+/]?[^-_+/, ]*[-_, ]*/g).filter((part) => part !== "");
    const lines = [""];
    for (let part of parts) {
      if (lines[lines.length - 1].length + part.trimEnd().length > limit && lines[lines.length - 1] !== "") {
        lines.push("");
      }
      while (part.trimEnd().length > limit) {
        lines[lines.length - 1] += part.slice(0, limit);
        part = part.slice(limit);
        lines.push("");
      }
      lines[lines.length - 1] += part;
    }
    return lines.filter((line) => line !== "").map((line) => line.trimEnd());
  }

  // In every decade, from few to many.
  const kSteps = [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]];

  function logarithmic_ticks(low, high, wanted) {
    for (const steps of kSteps) {
      const ticks = [];
      for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); ++decade) {
        for (const step of steps) {
          const tick = Number((step * 10 ** decade).toPrecision(12));
          if (tick >= low && tick <= high) ticks.push(tick);
        }
      }
      if (ticks.length >= wanted) return ticks;
    }
    // Less than a factor of 2 or so: as on a linear axis.
    const rough = (high - low) / wanted;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].find((s) => s * unit >= rough) * unit;
    const ticks = [];
    for (let i = Math.ceil(low / step); i * step <= high; ++i) ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
  }

  function fit(spec, width) {
    const wants = spec.usermeta || {};
    const set = (name, value) => {
      const signal = (spec.signals || []).find((candidate) => candidate.name === name);
      if (signal) {
        delete signal.update;
        signal.value = value;
      }
    };
    let room = width;
    if (wants.rows) {
      const limit = Math.max(14, Math.min(34, Math.floor(0.36 * width / kCharacter)));
      const lines = {};
      for (const name of unique(spec, wants.rows)) lines[name] = broken(name, limit);
      const most = Math.max(...Object.values(lines).map((list) => list.length), 1);
      const longest = Math.max(...Object.values(lines).flat().map((line) => line.length), 1);
      set("lines", lines);
      set("rowHeight", (wants.rowHeight || 24) + 13 * (most - 1));
      room = width - kCharacter * longest - 12;
    }
    if (wants.columns) {
      const names = unique(spec, wants.columns);
      const limit = Math.floor(room / names.length / kCharacter) - 1;
      const longest = Math.max(...names.flatMap((name) => broken(name, 1e3).concat(String(name).split(/(?<=[-_+/, ])/)))
        .map((part) => part.length > limit && /[-_+/, ]/.test(part.slice(0, -1)) ? 0 : part.length), 1);
      const tilted = longest > limit;
      const lines = {};
      for (const name of names) lines[name] = tilted ? [String(name)] : broken(name, Math.max(1, limit));
      set("columnLines", lines);
      set("tilt", tilted ? -35 : 0);
    }
    if (wants.legend) {
      const longest = Math.max(...unique(spec, wants.legend).map((name) => String(name).length), 1);
      set("legendColumns", Math.max(1, Math.floor(width / (kCharacter * longest + 40))));
    }
    for (const [signal, { fields, with: more = [], upright }] of Object.entries(wants.ticks || {})) {
      const values = spec.data[0].values.flatMap((row) => fields.map((field) => row[field])).flat()
        .filter((value) => value > 0).concat(more);
      if (values.length === 0) continue;
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const wanted = upright ? 4 : Math.max(3, Math.min(6, Math.floor(room / 90)));
      // Labels have four digits: ticks that would read alike are one.
      const seen = new Set();
      set(signal, logarithmic_ticks(low, high, wanted).filter((tick) => {
        const label = tick.toPrecision(upright ? 2 : 4);
        return !seen.has(label) && seen.add(label);
      }));
    }
  }

  window.vega.fit = fit;
})();
