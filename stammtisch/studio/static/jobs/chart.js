// Line charts as SVG, drawn by hand: several series with bands, a grid, a crosshair for pointer and keyboard.

import { el, t } from "../studio.js";

const NS = "http://www.w3.org/2000/svg";
const HEIGHT = 210, LEFT = 46, RIGHT = 12, TOP = 10, BOTTOM = 26;

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Numbers that people like, at most about `count` of them between two ends. */
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const raw = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= raw) * power;
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) found.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  return found;
}

/** 12 300 as 12.3k, so that it fits beside an axis. */
export function short(value) {
  const size = Math.abs(value);
  for (const [limit, sign] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (size >= limit) return `${Number((value / limit).toPrecision(3))}${sign}`;
  }
  return `${Number(value.toPrecision(3))}`;
}

export const percent = (value) => `${Math.round(value * 1000) / 10} %`;

/**
 * A chart with a title. `update(series)` draws anew; a series is
 * {name, colour: 1..6, dash: bool, points: [[x, y], …], band: [[x, low, high], …], marks: bool}.
 * Options: format of values, a fixed range, what the x axis counts.
 */
export function chart(title, { format = short, range = null, least = 0, unit = "" } = {}) {
  const drawing = svg("svg", { class: "chart-drawing", role: "img", tabindex: "0" });
  const tip = el("div", { class: "chart-tip", hidden: true });
  const legend = el("div", { class: "chart-legend" });
  const node = el("figure", { class: "chart card" }, el("figcaption", {}, el("h3", {}, title), legend),
    el("div", { class: "chart-frame" }, drawing, tip));
  let series = [], scale = null, at = null, counts = unit;

  function draw() {
    const width = Math.max(220, drawing.clientWidth || node.clientWidth - 32 || 320);
    drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    drawing.replaceChildren();
    const full = series.filter((each) => each.points.length);
    legend.replaceChildren(...(series.length > 1 ? series : []).map((each) =>
      el("span", { class: "chart-name" }, mark(each), each.name)));
    node.classList.toggle("bare", !full.length);
    if (!full.length) {
      scale = null;
      drawing.append(svg("text", { x: width / 2, y: HEIGHT / 2, class: "chart-empty" }, t("jobs.no-data")));
      drawing.setAttribute("aria-label", `${title}: ${t("jobs.no-data")}`);
      return;
    }
    const xs = full.flatMap((each) => each.points.map((point) => point[0]));
    const ys = full.flatMap((each) => [...each.points.map((point) => point[1]), ...(each.band || []).flatMap((row) => row.slice(1))]);
    const x = [Math.min(0, ...xs), Math.max(1, ...xs)];
    const y = range ? [...range] : padded(Math.min(...ys), Math.max(...ys), least);
    scale = {
      x: (value) => LEFT + (value - x[0]) / (x[1] - x[0]) * (width - LEFT - RIGHT),
      y: (value) => TOP + (y[1] - Math.min(y[1], Math.max(y[0], value))) / (y[1] - y[0]) * (HEIGHT - TOP - BOTTOM),
      back: (place) => x[0] + (place - LEFT) / (width - LEFT - RIGHT) * (x[1] - x[0]),
      width, xs: [...new Set(xs)].sort((a, b) => a - b),
    };
    for (const value of ticks(y[0], y[1], 4)) {
      const place = scale.y(value);
      drawing.append(svg("line", { x1: LEFT, x2: width - RIGHT, y1: place, y2: place, class: "chart-grid" }),
        svg("text", { x: LEFT - 6, y: place + 4, class: "chart-label end" }, format(value)));
    }
    for (const value of ticks(x[0], x[1], width / 110)) {
      if (counts && scale.x(value) > width - 60) continue;
      drawing.append(svg("text", { x: scale.x(value), y: HEIGHT - 8, class: "chart-label middle" }, short(value)));
    }
    if (counts) drawing.append(svg("text", { x: width - RIGHT, y: HEIGHT - 8, class: "chart-unit end" }, counts));
    for (const each of full) {
      if (!each.band?.length) continue;
      const up = each.band.map((row) => `${scale.x(row[0])},${scale.y(row[2])}`);
      const down = [...each.band].reverse().map((row) => `${scale.x(row[0])},${scale.y(row[1])}`);
      drawing.append(svg("polygon", { points: [...up, ...down].join(" "), class: `chart-band series-${each.colour}` }));
      if (each.band.length > 40) continue;
      for (const [where, low, high] of each.band) {
        drawing.append(svg("line", { x1: scale.x(where), x2: scale.x(where), y1: scale.y(low), y2: scale.y(high), class: `chart-whisker series-${each.colour}` }));
      }
    }
    for (const each of full) {
      const line = each.points.map((point) => `${scale.x(point[0])},${scale.y(point[1])}`).join(" ");
      drawing.append(svg("polyline", { points: line, class: `chart-line series-${each.colour}${each.dash ? " dashed" : ""}` }));
      const last = each.points.at(-1);
      const shown = each.marks && each.points.length <= 60 ? each.points : [last];
      for (const point of shown) {
        drawing.append(svg("circle", { cx: scale.x(point[0]), cy: scale.y(point[1]), r: point === last ? 3.5 : 2, class: `chart-dot series-${each.colour}` }));
      }
    }
    drawing.setAttribute("aria-label", `${title}: ${full.map((each) => `${each.name} ${format(each.points.at(-1)[1])}`).join(", ")}`);
    if (at !== null) point(at);
  }

  function mark(each) {
    const made = svg("svg", { class: "chart-mark", viewBox: "0 0 18 8", "aria-hidden": "true" });
    made.append(svg("line", { x1: 1, x2: 17, y1: 4, y2: 4, class: `chart-line series-${each.colour}${each.dash ? " dashed" : ""}` }));
    return made;
  }

  /** Show the values at a place of the x axis. */
  function point(where) {
    drawing.querySelector(".chart-cross")?.remove();
    if (!scale) { tip.hidden = true; return; }
    at = where;
    const x = scale.x(where);
    drawing.append(svg("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM, class: "chart-cross" }));
    const rows = series.filter((each) => each.points.length).map((each) => {
      const near = each.points.reduce((best, now) => (Math.abs(now[0] - where) < Math.abs(best[0] - where) ? now : best));
      return el("div", { class: "row" }, mark(each), el("span", { class: "grow" }, each.name), el("b", {}, format(near[1])));
    });
    tip.replaceChildren(el("div", { class: "muted" }, `${Math.round(where).toLocaleString()} ${counts}`), ...rows);
    tip.hidden = false;
    const share = drawing.clientWidth / scale.width;
    tip.style.left = `${Math.min(Math.max(0, x * share + 10), Math.max(0, drawing.clientWidth - tip.offsetWidth))}px`;
  }

  function nearest(value) {
    return scale.xs.reduce((best, now) => (Math.abs(now - value) < Math.abs(best - value) ? now : best));
  }

  function hide() {
    at = null;
    tip.hidden = true;
    drawing.querySelector(".chart-cross")?.remove();
  }

  drawing.addEventListener("pointermove", (event) => {
    if (!scale) return;
    const box = drawing.getBoundingClientRect();
    point(nearest(scale.back((event.clientX - box.left) / box.width * scale.width)));
  });
  drawing.addEventListener("pointerleave", hide);
  drawing.addEventListener("blur", hide);
  drawing.addEventListener("keydown", (event) => {
    if (!scale) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const now = at === null ? scale.xs.length - 1 : scale.xs.indexOf(nearest(at)) + step;
      point(scale.xs[Math.min(scale.xs.length - 1, Math.max(0, now))]);
      event.preventDefault();
    } else if (event.key === "Escape") hide();
  });
  const watcher = new ResizeObserver(() => draw());
  watcher.observe(drawing);
  return {
    node,
    update(found, unitNow = counts) { series = found; counts = unitNow; draw(); },
    close() { watcher.disconnect(); },
  };
}

/** Ends of an axis with a little room, wide enough to be read. */
function padded(low, high, least) {
  const room = Math.max((high - low) * 0.08, Math.abs(high) * 0.02, least / 2, 1e-6);
  const from = low >= 0 && low - room < 0 ? 0 : low - room;
  return [from, high + room];
}
