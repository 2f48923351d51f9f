// Analyse: values of agents on the board as they search, exact values, the curve of a game, two agents side by side.

import { agentPicker, catalogue, gameFacts } from "../agents.js";
import { Board } from "../board.js";
import { byFamily, chip, FAMILIES, familyName, familyPicture, gameName } from "../games.js";
import { api, attempt, el, icon, note, remember, say, socket, t } from "../studio.js";
import { howFar, positionLink, whoPlays } from "./play.js";

const BLUNDER = 0.12; // share of the range of results that a move gives away

export async function open(root, path) {
  const [kind, ...rest] = path.split("/").map(decodeURIComponent);
  let source = null;
  if (kind === "game" || kind === "text") source = { kind, name: rest[0], at: Number(rest[1] || 0) };
  else if (kind === "store") source = { kind, file: rest[0], match: rest[1], number: rest[2], at: Number(rest[3] || 0) };
  else if (kind === "position") source = { kind, game: rest[0], options: JSON.parse(rest[1] || "{}"), text: rest.slice(2).join("/") };
  return source ? board(root, source) : choose(root);
}

async function choose(root) {
  const [{ games }, tables] = await Promise.all([catalogue(), api.get("play/games")]);
  root.append(el("h1", {}, t("analyse.title")), el("div", { class: "lobby-columns" },
    el("section", { class: "card" }, el("h2", {}, t("analyse.start")), byFamily(games).map(([family, members]) => el("div", { class: "family-row" }, FAMILIES.includes(family) ? el("img", { src: familyPicture(family), alt: "", width: "64", height: "64", loading: "lazy" }) : icon("other"),
      el("div", { class: "grow" }, el("h3", {}, familyName(family)), el("div", { class: "row" }, members.map((game) => el("a", { class: "button small-button", href: `#/analyse/position/${game.id}/%7B%7D/` }, gameName(game.id)))))))),
    el("section", { class: "card your-games" }, el("h2", {}, t("analyse.games")), tables.games.length ? tables.games.slice(0, 30).map((each) => el("div", { class: "game-row" }, el("a", { href: `#/analyse/game/${each.name}/0` }, el("strong", {}, gameName(each.game)), el("span", { class: "muted small block" }, whoPlays(each.seats))), howFar(each))) : el("p", { class: "empty" }, t("play.none")))));
}

async function board(root, source) {
  let view = await api.post("analyse/position", source);
  const facts = await gameFacts(view.game);
  const reel = source.kind === "position" ? null : await api.get(`watch/reel?${new URLSearchParams(Object.entries(source).map(([key, value]) => [key, String(value)]))}`);
  let here = { ...source };
  const past = [];
  const reports = {};
  let exact = null;
  const range = Math.max(1e-9, facts.range[1] - facts.range[0]);
  const holder = el("div", { class: "board-holder" });
  const shown = new Board(holder, { showFirst: false, onAction: (action) => step(action) });
  const saidBox = el("div", { class: "said many" });
  const specs = remember.get(`analyse:${facts.id}`, [defaultSpec(facts), ""]);
  const panels = [0, 1].map((slot) => el("section", { class: "card analyst" }));
  const exactLine = el("p", { class: "small exact-line", role: "status" });
  const agreement = el("p", { class: "small agreement", hidden: true, role: "status" });
  const curveBox = el("section", { class: "card" });
  const time = el("select", { "aria-label": t("analyse.time") }, [3, 10, 30, 120].map((seconds) => el("option", { value: String(seconds), selected: seconds === remember.get("analyse-time", 10) }, t("analyse.seconds", { n: seconds }))));
  time.addEventListener("change", () => { remember.set("analyse-time", Number(time.value)); search(); });
  const back = el("button", { type: "button", id: "analyse-back", onclick: attempt(async () => { if (past.length) { here = past.pop(); await reload(); } }) }, icon("undo"), t("play.back"));
  const link = el("button", { type: "button", onclick: attempt(async () => { await navigator.clipboard.writeText(positionLink(view.game, view.options, view.text)); note(t("share.copied")); }) }, icon("share"), t("share.copy-link"));
  const from = el("button", { type: "button", onclick: attempt(async () => {
    const seats = [...Array(facts.players)].map((_, seat) => (seat === Math.max(0, view.player) ? { kind: "person" } : { kind: "agent", spec: facts.usual }));
    const { name } = await api.post("play/new", { game: view.game, options: view.options, seats, text: view.text });
    location.hash = `#/play/${name}`;
  }) }, icon("play"), t("analyse.play"));
  const place = el("div", { class: "table-page analyse-page" }, el("div", { class: "board-side" }, holder, saidBox, curveBox),
    el("aside", { class: "side" }, el("section", { class: "card stack" }, el("h2", {}, gameName(view.game)), el("div", { class: "analyse-tools" }, back, link, from), el("label", { class: "row small muted" }, t("analyse.time"), time), exactLine), el("div", { class: "analysts" }, panels), agreement));
  root.append(place);
  curveBox.hidden = !reel;
  place.classList.toggle("with-curve", Boolean(reel));

  async function reload() {
    view = await api.post("analyse/position", here);
    show(true);
    search();
  }

  async function step(action) {
    const after = await attempt(() => api.post("analyse/child", { ...here, action }))();
    if (!after) return;
    past.push(here);
    here = { kind: "position", game: after.game, options: after.options, text: after.text };
    view = after;
    show(true);
    search();
  }

  function show(animate = false) {
    shown.show(view.svg, { legal: view.legal, animate, label: gameName(view.game) });
    const spoken = shown.unspotted;
    saidBox.replaceChildren(...(view.player === -1 ? [] : spoken).slice(0, 60).map((each) => el("button", { type: "button", onclick: () => step(each.action) }, say(each.text))));
    saidBox.hidden = !spoken.length;
    back.disabled = !past.length;
    mark();
    markCurve();
  }

  function search() {
    exact = null;
    exactLine.classList.remove("exact-known");
    exactLine.textContent = view.player >= 0 ? t("analyse.exact-wait") : view.player === -1 ? t("analyse.at-chance") : t("play.over");
    for (const slot of [0, 1]) {
      delete reports[slot];
      if (specs[slot] && view.player >= 0) socket.send("analyse", { do: "search", slot, ...here, spec: specs[slot], time_s: Number(time.value) });
      else socket.send("analyse", { do: "stop", slot });
      showPanel(slot);
    }
    if (view.player >= 0) socket.send("analyse", { do: "exact", slot: "exact", ...here });
    mark();
  }

  function best(slot) {
    const report = reports[slot];
    return report?.rows.find((row) => row.action === report.action);
  }

  /** Values on the board: exact ones if they are known, else those of the first agent. */
  function mark() {
    const marks = [];
    const rows = exact ? view.legal.map((each) => ({ ...each, value: exact.values[exact.actions.indexOf(each.action)] })) : reports[0]?.rows || [];
    const known = rows.filter((row) => Number.isFinite(row.value));
    const top = Math.max(...known.map((row) => row.value));
    const byEnd = new Map();
    for (const row of known) { const end = row.way.at(-1); if (end && (!byEnd.has(end) || byEnd.get(end).value < row.value)) byEnd.set(end, row); }
    for (const row of byEnd.values()) marks.push({ way: row.way.slice(-1), kind: "value", text: figure(row.value, facts), share: row.value >= top - 1e-9 ? 1 : Math.max(0, 1 - (top - row.value) / range) * 0.7 });
    if (best(0)?.way.length > 1) marks.unshift({ way: best(0).way, kind: "line" });
    if (best(1)) marks.unshift({ way: best(1).way, kind: "other" });
    shown.mark(marks);
  }

  /** Whether the two agents want the same, and what each thinks of the other's move. */
  function showAgreement() {
    const [one, other] = [best(0), best(1)];
    agreement.hidden = !one || !other;
    if (agreement.hidden) return;
    const same = one.action === other.action;
    const valued = (slot, action) => figure(reports[slot].rows.find((row) => row.action === action)?.value, facts);
    agreement.classList.toggle("differs", !same);
    agreement.textContent = same ? t("analyse.agree", { move: say(one.text), one: valued(0, one.action), other: valued(1, one.action) })
      : t("analyse.differ", { first: say(one.text), second: say(other.text), one: valued(0, one.action), oneOther: valued(0, other.action), other: valued(1, other.action), otherOne: valued(1, one.action) });
  }

  function showPanel(slot) {
    const panel = panels[slot];
    place.classList.toggle("comparing", Boolean(specs[1]));
    showAgreement();
    const report = reports[slot];
    const picker = specs[slot] ? agentPicker({ ...facts, levels: analysts(facts) }, specs[slot], () => view.options, (spec) => { specs[slot] = spec; keep(); search(); }) : null;
    const head = el("div", { class: "row" }, el("span", { class: `dot-chip ${slot ? "other-dot" : "line-dot"}` }), el("div", { class: "grow" }, picker || el("button", { type: "button", id: "compare", onclick: () => { specs[1] = analysts(facts).find((each) => each.spec !== specs[0])?.spec || specs[0]; keep(); search(); } }, icon("plus"), t("analyse.compare"))),
      slot && specs[1] ? el("button", { type: "button", class: "icon-button", "aria-label": t("studio.close"), onclick: () => { specs[1] = ""; keep(); search(); } }, "×") : null);
    if (!report) { panel.replaceChildren(head, specs[slot] && view.player >= 0 ? el("p", { class: "muted small" }, t("analyse.thinking")) : ""); return; }
    if (report.error) { panel.replaceChildren(head, el("p", { class: "error-line" }, report.error)); return; }
    const rows = [...report.rows].sort((a, b) => (b.visits ?? 0) - (a.visits ?? 0) || (b.value ?? -9) - (a.value ?? -9)).slice(0, 8);
    const most = Math.max(1, ...rows.map((row) => row.visits ?? 0));
    panel.replaceChildren(head,
      el("table", { class: "values" }, el("thead", {}, el("tr", {}, el("th", {}, t("analyse.move")), el("th", {}, t("analyse.value")), el("th", {}, t("analyse.visits")))),
        el("tbody", {}, rows.map((row) => el("tr", { class: row.action === report.action ? "best" : "" }, el("td", {}, say(row.text)), el("td", {}, Number.isFinite(row.value) ? figure(row.value, facts) : "–"),
          el("td", {}, el("meter", { min: "0", max: String(most), value: String(row.visits ?? 0) }), " ", compact(row.visits)))))),
      el("p", { class: "small" }, el("strong", {}, `${t("analyse.line")}: `), report.line.map(say).join(" ")),
      el("p", { class: "small muted" }, Object.entries(report.effort).map(([key, value]) => `${effortName(key)} ${compact(value)}`).join(" · "), report.done ? "" : " …"));
  }

  function keep() { remember.set(`analyse:${facts.id}`, specs); }

  // The curve of the game
  const curve = [];
  function startCurve() {
    curve.length = 0;
    socket.send("analyse", { do: "curve", slot: "curve", ...source, spec: specs[0], time_s: 0.1 });
    drawCurve();
  }
  function drawCurve() {
    const n = Math.max(1, reel.moves.length);
    const w = 720, h = 150;
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    svg.setAttribute("class", "curve");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", t("analyse.curve"));
    const team = (seat) => reel.teams[seat];
    const y = (value) => h / 2 - (value / Math.max(Math.abs(facts.range[0]), Math.abs(facts.range[1]))) * (h / 2 - 8);
    const add = (tag, attributes, parent = svg) => { const made = document.createElementNS(ns, tag); for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value); parent.append(made); return made; };
    add("line", { x1: 0, x2: w, y1: h / 2, y2: h / 2, class: "axis" });
    const points = curve.filter((each) => Number.isFinite(each.value)).map((each) => ({ ...each, x: (each.at / n) * w, own: team(each.seat) === 0 ? each.value : -each.value }));
    if (points.length > 1) {
      add("polygon", { class: "curve-area", points: `${points[0].x},${h / 2} ${points.map((p) => `${p.x},${y(p.own)}`).join(" ")} ${points.at(-1).x},${h / 2}` });
      add("polyline", { class: "curve-line", points: points.map((p) => `${p.x},${y(p.own)}`).join(" ") });
    }
    for (const p of points) {
      const lost = Number.isFinite(p.played) ? (p.value - p.played) / range : 0;
      const dot = add("circle", { cx: p.x, cy: y(p.own), r: lost > BLUNDER ? 6 : 3, class: lost > BLUNDER ? "blunder" : "curve-dot", tabindex: "0", role: "button" });
      const title = add("title", {}, dot);
      title.textContent = `${p.at + 1}. ${say(p.text)} ${figure(p.value, facts)}${lost > BLUNDER ? ` – ${t("analyse.blunder", { best: say(p.best) })}` : ""}`;
      dot.addEventListener("click", () => jump(p.at));
    }
    add("line", { id: "curve-now", class: "curve-now", x1: 0, x2: 0, y1: 0, y2: h });
    svg.addEventListener("click", (event) => { if (event.target.tagName !== "circle") jump(Math.round(((event.clientX - svg.getBoundingClientRect().left) / svg.getBoundingClientRect().width) * n)); });
    const bad = points.filter((p) => Number.isFinite(p.played) && (p.value - p.played) / range > BLUNDER);
    curveBox.replaceChildren(el("div", { class: "row" }, el("h3", { class: "grow" }, t("analyse.curve")), el("span", { class: "small muted" }, curve.length ? t("analyse.judged", { n: curve.length, bad: bad.length }) : ""),
      el("button", { type: "button", id: "curve-start", onclick: startCurve }, icon("analyse"), t("analyse.judge"))), svg,
    el("div", { class: "row controls" }, el("button", { type: "button", "aria-label": t("watch.back"), onclick: () => jump((here.at ?? 0) - 1) }, icon("back")), el("input", { type: "range", class: "grow", min: "0", max: String(n), value: String(here.at ?? 0), "aria-label": t("watch.position"), onchange: (event) => jump(Number(event.target.value)) }), el("button", { type: "button", "aria-label": t("watch.next"), onclick: () => jump((here.at ?? 0) + 1) }, icon("next"))));
    markCurve();
  }
  function markCurve() {
    const now = document.getElementById("curve-now");
    if (!now || !reel) return;
    const x = ((here.at ?? 0) / Math.max(1, reel.moves.length)) * 720;
    now.setAttribute("x1", x);
    now.setAttribute("x2", x);
    const slider = curveBox.querySelector("input[type=range]");
    if (slider) slider.value = String(here.at ?? 0);
  }
  const jump = attempt(async (at) => {
    past.length = 0;
    here = { ...source, at: Math.max(0, Math.min(reel.moves.length, at)) };
    await reload();
  });

  const stop = socket.on("analyse", (message) => {
    if (message.what === "error") { note(message.error, "error"); return; }
    if (message.what === "report") { reports[message.slot] = message; showPanel(Number(message.slot)); mark(); }
    else if (message.what === "failed" && ["0", "1"].includes(message.slot)) { reports[message.slot] = { error: message.error, rows: [], line: [], effort: {} }; showPanel(Number(message.slot)); }
    else if (message.what === "failed") { if (message.slot === "curve") note(message.error, "error"); else exactLine.textContent = t("analyse.no-exact"); }
    else if (message.what === "exact") {
      exact = message.covered ? message : null;
      const top = exact && exact.values.length ? Math.max(...exact.values) : null;
      exactLine.textContent = exact ? t("analyse.exact", { value: figure(top, facts) }) : t("analyse.no-exact");
      exactLine.classList.toggle("exact-known", Boolean(exact));
      mark();
    } else if (message.what === "point") { curve.push(message); drawCurve(); }
  });
  const keys = (event) => {
    if (!reel || event.target.closest?.("input, textarea, select, .spot")) return;
    if (event.key === "ArrowLeft") jump((here.at ?? 0) - 1);
    if (event.key === "ArrowRight") jump((here.at ?? 0) + 1);
  };
  addEventListener("keydown", keys);
  const again = socket.on("open", (isOpen) => { if (isOpen) search(); });
  show();
  if (reel) drawCurve();
  search();
  return () => { stop(); again(); removeEventListener("keydown", keys); for (const slot of [0, 1, "exact", "curve"]) socket.send("analyse", { do: "stop", slot }); };
}

function analysts(facts) {
  const own = facts.hidden ? ["ismcts:iterations=2000", "pimc"] : facts.chance === "explicit" ? ["mctse:iterations=100000", "alphabeta:depth=20"] : ["mcts:iterations=1000000", "alphabeta:depth=40"];
  return [...own.map((spec) => ({ level: spec.split(":")[0], spec })), ...facts.levels];
}

/** What a search counts, in the language of the page where there is a word for it. */
function effortName(key) {
  const name = t(`effort.${key}`);
  return name.startsWith("effort.") ? key : name;
}

function defaultSpec(facts) { return analysts(facts)[0].spec; }

function figure(value, facts) {
  if (!Number.isFinite(value)) return "–";
  const most = Math.max(Math.abs(facts.range[0]), Math.abs(facts.range[1]));
  if (most > 1.5) return value.toFixed(1);
  return `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2).replace(/^0/, "")}`;
}

function compact(number) {
  if (!Number.isFinite(number)) return "";
  return number >= 1e6 ? `${(number / 1e6).toFixed(1)}M` : number >= 1e4 ? `${Math.round(number / 1e3)}k` : String(Math.round(number));
}
