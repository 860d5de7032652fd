// Panels as SVG and HTML: series over time, heatmaps, bars, numbers, tables.

import { told } from "./units.mjs";

const COLOURS = ["#3274d9", "#e0752d", "#37872d", "#a352cc", "#c4162a", "#1f9ba6", "#b58900", "#8f3bb8", "#5c6b73", "#d44a7a",
  "#6e9f18", "#0b5394", "#a64d00", "#2f4f4f"];
const LEFT = 62, BOTTOM = 16, TOP = 9;

export function element(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function shape(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

function ticks(most, unit) {
  const raw = most / 4, base = unit === "bytes" ? 2 : 10, factors = base === 2 ? [1, 2] : [1, 2, 2.5, 5, 10];
  const power = base ** Math.floor(Math.log(raw) / Math.log(base) + 1e-9);
  const step = factors.map((factor) => factor * power).find((candidate) => candidate >= raw * 0.999999);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => at * step);
}

function canvas(width, height, range) {
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  const x = (time) => LEFT + ((time - range.start) / (range.end - range.start)) * (width - LEFT - 6);
  const labels = width < 300 ? 2 : 5;
  for (let at = 1; at < labels; at += 1) {
    const time = range.start + ((range.end - range.start) * at) / labels;
    const label = new Date(time * 1000).toISOString().slice(11, range.end - range.start < 900 ? 19 : 16);
    svg.append(shape("text", { x: x(time), y: height - 4, "text-anchor": "middle" }, label));
  }
  return { svg, x };
}

function stacked(series) {
  const sums = new Map();
  return series.map((one) => ({
    ...one,
    points: one.points.map(([time, value]) => {
      const below = sums.get(time) ?? 0;
      sums.set(time, below + value);
      return [time, below + value, below];
    }),
  }));
}

export function lines(body, panel, series, range) {
  const isStacked = panel.fieldConfig.defaults.custom?.stacking?.mode === "normal";
  const unit = panel.fieldConfig.defaults.unit;
  const shown = isStacked ? stacked(series) : series;
  const tall = Math.min(78, 15 * Math.ceil(shown.reduce((sum, one) => sum + one.name.length * 6.2 + 26, 0) / (body.clientWidth - 12)));
  const width = body.clientWidth - 12, height = body.clientHeight - tall - 4;
  const most = Math.max(...shown.flatMap((one) => one.points.map((point) => point[1]))) || 1;
  const marks = ticks(most, unit), top = marks.at(-1);
  const y = (value) => TOP + (1 - value / top) * (height - TOP - BOTTOM);
  const { svg, x } = canvas(width, height, range);
  for (const mark of marks) {
    svg.append(shape("line", { x1: LEFT, x2: width, y1: y(mark), y2: y(mark), stroke: "#e8e8e8" }));
    svg.append(shape("text", { x: LEFT - 5, y: y(mark) + 3, "text-anchor": "end" }, told(mark, unit)));
  }
  shown.forEach((one, at) => {
    const colour = COLOURS[at % COLOURS.length];
    for (const run of runs(one.points, range.step)) {
      const path = run.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`);
      if (isStacked) {
        const floor = run.map(([time, , below]) => `${x(time).toFixed(1)},${y(below).toFixed(1)}`).reverse();
        svg.append(shape("polygon", { points: [...path, ...floor].join(" "), fill: colour, opacity: 0.35 }));
      }
      svg.append(shape("polyline", { points: path.join(" "), fill: "none", stroke: colour, "stroke-width": 1.4 }));
    }
  });
  body.append(svg, legend(shown.map((one) => one.name), tall));
}

function runs(points, step) {
  const found = [];
  for (const point of points) {
    const last = found.at(-1);
    if (last && point[0] - last.at(-1)[0] <= step * 1.5) last.push(point);
    else found.push([point]);
  }
  return found;
}

function legend(names, tall) {
  const made = element("div", "", { class: "legend", style: `height:${tall}px` });
  names.slice(0, 14).forEach((name, at) => {
    const entry = element("span");
    entry.append(element("i", "", { style: `background:${COLOURS[at % COLOURS.length]}` }), name);
    made.append(entry);
  });
  if (names.length > 14) made.append(`and ${names.length - 14} more`);
  return made;
}

export function heat(body, panel, series, range) {
  const unit = panel.options.yAxis.unit;
  const rows = series.map((one) => ({ le: Number(one.labels.le.replace("+Inf", "Infinity")), points: new Map(one.points) }))
    .sort((one, other) => one.le - other.le);
  const times = [...new Set(rows.flatMap((row) => [...row.points.keys()]))].sort((one, other) => one - other);
  const counts = rows.map((row, at) => times.map((time) =>
    Math.max(0, (row.points.get(time) ?? 0) - (at ? rows[at - 1].points.get(time) ?? 0 : 0))));
  const used = counts.map((row) => row.some((count) => count > 0));
  const first = used.indexOf(true), last = used.lastIndexOf(true);
  if (first < 0) { body.append(element("div", "no observations", { class: "none" })); return; }
  const most = Math.max(...counts.flat());
  const width = body.clientWidth - 12, height = body.clientHeight - 6;
  const { svg, x } = canvas(width, height, range);
  const tall = (height - TOP - BOTTOM) / (last - first + 1);
  const wide = Math.max(1, x(range.start + range.step) - x(range.start) - 0.5);
  for (let at = first; at <= last; at += 1) {
    const y = TOP + (last - at) * tall;
    svg.append(shape("text", { x: LEFT - 5, y: y + tall / 2 + 3, "text-anchor": "end" },
      rows[at].le === Infinity ? "longer" : `≤ ${told(rows[at].le, unit)}`));
    times.forEach((time, column) => {
      const count = counts[at][column];
      if (count <= 0) return;
      const depth = 0.12 + 0.88 * Math.sqrt(count / most);
      svg.append(shape("rect", { x: x(time) - wide / 2, y: y + 0.5, width: wide, height: tall - 1, fill: "#d9480f", opacity: depth.toFixed(2) }));
    });
  }
  body.append(svg);
}

export function bars(body, panel, series) {
  const unit = panel.fieldConfig.defaults.unit;
  const most = Math.max(1e-9, ...series.map((one) => one.value));
  const room = Math.floor(body.clientHeight / 17) - (series.length * 17 > body.clientHeight ? 1 : 0);
  for (const one of series.slice(0, room)) {
    const line = element("div", "", { class: "bar" });
    const bar = element("b", "", { style: `width:${Math.max(1, (one.value / most) * 100)}%` });
    const track = element("div");
    track.append(bar);
    line.append(element("span", one.name), track, told(one.value, unit));
    bar.style.display = "block";
    body.append(line);
  }
  if (series.length > room) body.append(element("div", `and ${series.length - room} more`, { class: "legend" }));
}

export function number(body, panel, series) {
  const { unit, thresholds } = panel.fieldConfig.defaults;
  const value = series[0]?.value ?? null;
  const step = thresholds.steps.filter((one) => one.value === null || (value !== null && value >= one.value)).at(-1);
  const colours = { green: "#37872d", red: "#c4162a" };
  body.append(element("div", told(value, unit), { class: "stat", style: `color:${colours[step.color]}` }));
}

export function table(body, panel, series) {
  const hidden = panel.transformations?.[0]?.options.excludeByName ?? {};
  const columns = [...new Set(series.flatMap((one) => Object.keys(one.labels)))].filter((name) => !hidden[name]);
  const made = element("table"), head = element("tr");
  columns.forEach((name) => head.append(element("th", name)));
  made.append(head);
  for (const one of series) {
    const line = element("tr");
    columns.forEach((name) => line.append(element("td", one.labels[name] ?? "")));
    made.append(line);
  }
  body.append(made);
}
