// One dashboard: its file as Grafana gets it, each panel's queries sent to Prometheus, and drawn.
// ?minutes=60 says how far back, ?until=<unix time> to when, ?scrape=15 how often Prometheus scrapes.

import { bars, element, heat, lines, number, table } from "./draw.mjs";

const DRAWN = { timeseries: lines, heatmap: heat, bargauge: bars, stat: number, table };
const asked = new URLSearchParams(location.search);
const name = location.pathname.split("/").at(-1) || "players";
const scrape = Number(asked.get("scrape") ?? 15);
const end = Number(asked.get("until") ?? Math.floor(Date.now() / 1000));
const start = end - 60 * Number(asked.get("minutes") ?? 60);
const range = { start, end, step: Math.max(scrape, Math.ceil((end - start) / 240)) };

async function ask(path, query) {
  const reply = await fetch(`/api/v1/${path}?${new URLSearchParams(query)}`);
  const told = await reply.json();
  if (told.status !== "success") throw new Error(told.error ?? reply.statusText);
  return told.data.result;
}

async function seriesOf(target) {
  const query = target.expr.replaceAll("$__rate_interval", `${Math.max(4 * scrape, range.step + scrape)}s`);
  const found = target.instant
    ? await ask("query", { query, time: end })
    : await ask("query_range", { query, start, end, step: range.step });
  return found.map((one) => ({
    name: called(target.legendFormat, one.metric),
    labels: one.metric,
    value: one.value ? Number(one.value[1]) : null,
    points: (one.values ?? []).map(([time, text]) => [time, Number(text)]).filter((point) => Number.isFinite(point[1])),
  }));
}

function called(format, labels) {
  if (format === "__auto") return Object.entries(labels).map(([key, value]) => `${key}=${value}`).join(" ") || "value";
  return format.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => labels[label] ?? "");
}

async function drawn(panel, body) {
  try {
    const series = (await Promise.all(panel.targets.map(seriesOf))).flat()
      .filter((one) => one.value !== null || one.points.length > 0);
    if (series.length === 0 && panel.type !== "stat") body.append(element("div", "none", { class: "none" }));
    else DRAWN[panel.type](body, panel, series, range);
  } catch (error) {
    body.append(element("div", String(error.message), { class: "error" }));
  }
}

async function main() {
  const dashboard = await (await fetch(`/${name}.json`)).json();
  document.title = dashboard.title;
  document.getElementById("title").textContent = dashboard.title;
  const shown = [start, end].map((time) => new Date(time * 1000).toISOString().slice(0, 19).replace("T", " "));
  document.getElementById("range").textContent = `${shown[0]} to ${shown[1].slice(11)} UTC`;
  const waiting = dashboard.panels.map((panel) => {
    const { x, y, w, h } = panel.gridPos;
    const place = `grid-column:${x + 1}/span ${w};grid-row:${y + 1}/span ${h}`;
    const made = element("section", "", { class: panel.type, style: place });
    document.getElementById("grid").append(made);
    made.append(element("h2", panel.title, { title: panel.description ?? "" }));
    if (panel.type === "row") return null;
    const body = element("div", "", { class: "body" });
    made.append(body);
    return drawn(panel, body);
  });
  await Promise.all(waiting);
  document.body.dataset.ready = "yes";
}

main();
