// Train: a form for every learner, the runs, and live charts of those that are chosen.

import { api, attempt, dialog, el, icon, note, remember, t } from "../studio.js";
import { chart, percent, short } from "../jobs/chart.js";
import { agentList, duration, followJobs, gameSelect, LIVE, progressOf, stateChip, unitName, verbs, when } from "../jobs/client.js";
import { gameName } from "../games.js";
import { makeForm } from "../jobs/form.js";
import { help } from "../jobs/help.js";
import { nameDialog, playButton } from "../jobs/models.js";

const MOST_SHOWN = 6;
const CHARTS = [
  ["score", { format: percent, range: [0, 1] }],
  ["elo", { least: 40, format: (value) => `${value > 0 ? "+" : ""}${Math.round(value)}` }],
  ["error", {}],
  ["loss", {}],
  ["moves", {}],
  ["epsilon", { format: percent, least: 0.1 }],
  ["rate", {}],
  ["known", {}],
];
const ALWAYS = ["score", "moves"];

export async function open(root, path) {
  root.append(el("p", { class: "empty" }, t("studio.loading")));
  const [choices, { models }] = await Promise.all([api.get("jobs/choices"), api.get("models")]);
  const data = new Map(); // details of the runs whose curves are shown
  let shown = remember.get("train-shown", []);
  let focus = path || null;
  let jobs = [];
  let form = null;

  // The form
  const formBox = el("div", { class: "train-form-body" });
  const learnerBox = el("div", { class: "segmented learner-choice", role: "group", "aria-label": t("train.learner") });
  const learnerHelp = el("p", { class: "muted small" });
  const chosen = { learner: remember.get("train-learner", choices.learners[0].name), game: remember.get("train-game", "einstein-3x3") };
  if (!choices.learners.some((each) => each.name === chosen.learner)) chosen.learner = choices.learners[0].name;
  let gameNode = el("select", {});
  /** The games that the chosen learner can learn. */
  function showGames() {
    const { games } = choices.learners.find((each) => each.name === chosen.learner);
    const select = gameSelect(games.length ? games : choices.games, remember.get("train-game", "einstein-3x3"), (value) => { chosen.game = value; remember.set("train-game", value); showForm(); });
    chosen.game = select.value;
    gameNode.replaceWith(select);
    gameNode = select;
  }
  const nameInput = el("input", { id: "train-name", type: "text", maxlength: "48", autocomplete: "off", spellcheck: "false" });
  const nameWrong = el("span", { class: "field-wrong", role: "alert" });
  const startButton = el("button", { type: "submit", class: "primary", id: "train-start" }, icon("train"), t("train.start"));
  const formNode = el("form", { class: "stack", novalidate: true, onsubmit: (event) => { event.preventDefault(); begin(); } },
    learnerBox, learnerHelp,
    el("div", { class: "form-grid" },
      el("div", { class: "form-field" }, el("label", { for: "job-game" }, t("jobs.game")), gameNode),
      el("div", { class: "form-field" }, el("label", { for: "train-name" }, t("train.name")), nameInput, nameWrong)),
    formBox, el("div", { class: "row end" }, startButton));
  const formCard = el("details", { class: "card train-form" }, el("summary", {}, el("h2", {}, t("train.new"))), formNode);

  function showLearners() {
    learnerBox.replaceChildren(...choices.learners.map(({ name }) => el("button", { type: "button", "aria-pressed": String(name === chosen.learner), "data-learner": name,
      onclick: () => { chosen.learner = name; remember.set("train-learner", name); showLearners(); showForm(); } }, name)));
    showGames();
    learnerHelp.textContent = help(choices.learners.find((each) => each.name === chosen.learner).help);
  }

  let formOf = ""; // learner and game of the form that is there or asked for
  let asked = 0;
  const showForm = attempt(async () => {
    const wanted = `${chosen.learner} ${chosen.game}`;
    if (wanted === formOf) return; // what somebody has typed stays
    formOf = wanted;
    const mine = ++asked;
    form = null;
    formBox.replaceChildren(el("p", { class: "muted" }, t("studio.loading")));
    let found;
    try {
      found = await api.get(`jobs/forms/training?learner=${encodeURIComponent(chosen.learner)}&game=${encodeURIComponent(chosen.game)}`);
    } catch (error) {
      if (mine === asked) formOf = "";
      throw error;
    }
    if (mine !== asked) return;
    const agents = agentList(formNode, choices.agents, models, chosen.game);
    const settings = makeForm(found.fields, { agents });
    const options = makeForm(found.options, { agents });
    form = { settings, options };
    nameInput.placeholder = `${chosen.game}-${chosen.learner}`;
    const main = [found.work, "data", "minutes", "positions", "seed", "opponents", "ladder", "validate_against", "eval_against"];
    const first = settings.fields.filter((field) => main.includes(field.name)).sort((a, b) => main.indexOf(a.name) - main.indexOf(b.name));
    const rest = settings.fields.filter((field) => !main.includes(field.name));
    formBox.replaceChildren(el("div", { class: "form-grid" }, first.map((field) => field.node)),
      ...(found.fields.some((field) => field.name === "data" && field.names === "file") ? [el("p", { class: "note-line small" }, t(found.deals.length ? "train.deals" : "train.no-deals", { names: found.deals.map((each) => `deals:${each}`).join(", ") }))] : []),
      ...(options.fields.length ? [el("details", { class: "more" }, el("summary", {}, t("train.options", { count: options.fields.length })), el("div", { class: "form-grid" }, options.fields.map((field) => field.node)))] : []),
      el("details", { class: "more" }, el("summary", {}, t("train.settings", { count: rest.length })), el("div", { class: "form-grid" }, rest.map((field) => field.node))));
  });

  const begin = attempt(async () => {
    nameWrong.textContent = "";
    if (!form || form.settings.firstBad() || form.options.firstBad()) return;
    startButton.disabled = true;
    try {
      const order = { learner: chosen.learner, game: chosen.game, settings: form.settings.changed(), options: form.options.changed() };
      if (nameInput.value.trim()) order.name = nameInput.value.trim();
      const job = await api.post("jobs", { kind: "training", order });
      nameInput.value = "";
      list.put(job);
      choose(job.id, true);
      note(t("train.started", { name: job.model }));
      root.querySelector(".runs")?.scrollIntoView({ block: "start", behavior: "smooth" });
    } catch (error) {
      if (error.field === "name") { nameWrong.textContent = error.message; nameInput.focus(); return; }
      if (error.field && (form.settings.complain(error.field, error.message) || form.options.complain(error.field, error.message))) return;
      throw error;
    } finally { startButton.disabled = false; }
  });

  // The runs
  const runs = el("div", { class: "runs", role: "list" });
  const runsCard = el("section", { class: "card", "aria-label": t("train.runs") }, el("h2", {}, t("train.runs")), runs);
  const rows = new Map();

  function colourOf(id) { return shown.indexOf(id) % 6 + 1; }

  function row(job) {
    const isShown = shown.includes(job.id);
    const box = el("input", { type: "checkbox", "aria-label": t("train.show-curves", { name: job.model }), onclick: (event) => { event.stopPropagation(); toggle(job.id); } });
    box.checked = isShown;
    const node = el("div", { class: `run${job.id === focus ? " focus" : ""}`, role: "listitem", "data-job": job.id, "data-state": job.state },
      el("div", { class: "run-head" },
        el("span", { class: `run-colour ${isShown ? `series-${colourOf(job.id)}` : ""}` }, box),
        el("button", { type: "button", class: "run-name", "aria-expanded": String(job.id === focus), onclick: () => choose(job.id, true) }, job.model || job.title),
        stateChip(job)),
      el("div", { class: "muted small run-facts" }, `${job.learner} · ${gameName(job.game)} · ${when(job.created)}`),
      progressOf(job),
      job.message ? el("p", { class: "error-line small" }, job.message) : null,
      el("div", { class: "row run-verbs" }, verbs(job, list, (now) => { if (!now) { data.delete(job.id); shown = shown.filter((id) => id !== job.id); if (focus === job.id) focus = null; showAll(); } })));
    return node;
  }

  function showRuns() {
    const key = (job) => JSON.stringify([job, shown.includes(job.id) && colourOf(job.id), job.id === focus]);
    const now = jobs.map((job) => {
      const known = rows.get(job.id);
      if (known?.key === key(job)) return known.node;
      const node = row(job);
      rows.set(job.id, { key: key(job), node });
      return node;
    });
    const held = document.activeElement?.closest?.(".run")?.dataset.job;
    const verb = document.activeElement?.dataset?.verb;
    if (!now.length) runs.replaceChildren(el("p", { class: "empty" }, t("train.none")));
    else if (now.length !== runs.children.length || now.some((node, i) => runs.children[i] !== node)) runs.replaceChildren(...now);
    if (held && verb) runs.querySelector(`[data-job="${held}"] [data-verb="${verb}"]`)?.focus();
  }

  // The charts
  const charts = CHARTS.map(([name, options]) => ({ name, made: chart(t(`train.chart-${name}`), options) }));
  const chartsBox = el("div", { class: "charts" }, charts.map(({ made }) => made.node));
  const log = el("pre", { class: "log", tabindex: "0", "aria-label": t("train.log") });
  const about = el("div", { class: "run-about" });
  const focusCard = el("section", { class: "card focus-card", hidden: true }, about, el("h3", {}, t("train.log")), log);

  const nothing = el("section", { class: "card empty-charts" }, icon("analyse"), el("p", {}, t("train.no-charts")));

  function seriesOf(name) {
    const found = [];
    const several = shown.length > 1;
    for (const id of shown) {
      const told = data.get(id);
      if (!told) continue;
      const colour = colourOf(id), model = told.model;
      if (name === "score" || (name === "elo" && !told.figures.elo)) {
        const opponents = [...new Set(told.points.map((point) => point.opponent))];
        opponents.forEach((opponent, place) => {
          const points = told.points.filter((point) => point.opponent === opponent);
          const label = several ? `${model}, ${opponent}` : t("train.against", { agent: opponent });
          const paint = several ? colour : (colour + place - 1) % 6 + 1;
          const dash = several && place > 0;
          if (name === "score") {
            found.push({ name: label, colour: paint, dash, marks: true, points: points.map((point) => [point.step, point.score]), band: points.map((point) => [point.step, ...point.ci95]) });
          } else {
            found.push({ name: label, colour: paint, dash, marks: true, points: points.map((point) => [point.step, elo(point.score, point.games)]), band: points.map((point) => [point.step, elo(point.ci95[0], point.games), elo(point.ci95[1], point.games)]) });
          }
        });
      } else if (told.figures[name]?.length) {
        found.push({ name: model, colour, points: told.figures[name] });
      }
    }
    return found;
  }

  function showCharts() {
    const units = [...new Set(shown.map((id) => data.get(id)?.unit).filter(Boolean))];
    for (const { name, made } of charts) {
      const series = seriesOf(name);
      made.node.hidden = !series.some((each) => each.points.length) && !(ALWAYS.includes(name) && shown.length);
      if (!made.node.hidden) made.update(series, units.length === 1 ? unitName(units[0]) : "");
    }
    chartsBox.hidden = !shown.length;
    nothing.hidden = Boolean(shown.length);
  }

  function showFocus() {
    const told = focus && data.get(focus);
    focusCard.hidden = !told;
    if (!told) return;
    const job = list.get(focus) || told;
    const playable = job.done > 0;
    const links = [
      playButton(job.game, told.plan.settings.options, `model:${job.model}`),
      el("a", { class: "button small-button", href: `#/validate/${encodeURIComponent(job.model)}`, "data-act": "validate" }, icon("validate"), t("models.validate")),
      el("button", { type: "button", class: "small-button", "data-act": "copy", onclick: attempt(() => nameDialog(job.model)) }, icon("copy"), t("models.copy")),
      el("button", { type: "button", class: "small-button quiet", onclick: () => showSettings(told) }, icon("other"), t("train.all-settings")),
    ];
    const facts = [[t("train.done"), `${job.done.toLocaleString()} ${unitName(job.unit)}`], [t("train.time"), duration(job.seconds)],
      [t("train.left"), LIVE.includes(job.state) ? duration(job.left) : "–"], [t("train.speed"), job.seconds ? `${short(job.done / job.seconds)} / s` : "–"]];
    about.replaceChildren(el("div", { class: "row" }, el("h2", { class: "grow" }, job.model), stateChip(job)),
      el("dl", { class: "facts" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
      el("div", { class: "row" }, playable ? links : links.slice(3)));
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
    const lines = told.log.trimEnd() || job.line || "…";
    if (log.textContent !== lines) {
      log.textContent = lines;
      if (atEnd) log.scrollTop = log.scrollHeight;
    }
  }

  function showSettings(told) {
    const rows = Object.entries(told.plan.settings).map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", {}, typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "–"))));
    dialog(told.model, el("div", { class: "scroll-x tall" }, el("table", {}, el("tbody", {}, rows))), [[t("studio.close"), undefined]]);
  }

  function showAll() { remember.set("train-shown", shown); list?.watch([...new Set([...shown, ...(focus ? [focus] : [])])]); showRuns(); showCharts(); showFocus(); }

  const load = attempt(async (id) => {
    data.set(id, await api.get(`jobs/${id}`));
    showCharts();
    showFocus();
  });

  function choose(id, alone) {
    focus = id;
    if (!shown.includes(id)) shown = alone && shown.length < MOST_SHOWN ? [...shown, id] : [id];
    history.replaceState(null, "", `#/train/${id}`);
    showAll();
    load(id);
  }

  function toggle(id) {
    if (shown.includes(id)) shown = shown.filter((each) => each !== id);
    else if (shown.length < MOST_SHOWN) { shown = [...shown, id]; load(id); } else note(t("train.most", { most: MOST_SHOWN }));
    showAll();
  }

  function progress(message) {
    const told = data.get(message.id);
    if (!told) return;
    for (const line of message.lines) {
      for (const [name, value] of Object.entries(line.figures || {})) {
        const series = told.figures[name] ||= [];
        if (!series.length || series.at(-1)[0] < line.done) series.push([line.done, value]);
        else if (series.at(-1)[0] > line.done) { load(message.id); return; } // it went on from a checkpoint
      }
    }
    for (const point of message.points) {
      const at = told.points.findIndex((each) => each.step === point.step && each.opponent === point.opponent);
      if (at >= 0) told.points[at] = point; else { told.points.push(point); fetchLog(message.id); }
    }
    told.points.sort((a, b) => a.step - b.step);
    if (Object.values(told.figures).some((series) => series.length > 600)) { load(message.id); return; }
    showCharts();
    showFocus();
  }

  const fetchLog = async (id) => {
    if (id !== focus) return;
    try { const now = await api.get(`jobs/${id}`); const told = data.get(id); if (told) { told.log = now.log; showFocus(); } } catch { /* gone */ }
  };

  let list = null;
  list = await followJobs("training", (found) => {
    const before = new Map(jobs.map((job) => [job.id, job.state]));
    jobs = found;
    shown = shown.filter((id) => found.some((job) => job.id === id));
    if (focus && !found.some((job) => job.id === focus)) focus = null;
    showRuns();
    for (const job of found) if (data.has(job.id) && before.get(job.id) !== job.state) load(job.id);
    if (list) showFocus();
  }, progress);
  if (!shown.length && jobs.length) shown = [jobs[0].id];
  if (!focus && shown.length) focus = shown[0];
  formCard.open = !jobs.length;
  root.replaceChildren(el("h1", {}, t("train.title")), el("div", { class: "train-layout" },
    el("div", { class: "stack" }, formCard, runsCard), el("div", { class: "stack" }, nothing, chartsBox, focusCard)));
  showLearners();
  showForm();
  if (focus && jobs.some((job) => job.id === focus) && !shown.includes(focus)) shown = [...shown.slice(-MOST_SHOWN + 1), focus];
  showAll();
  for (const id of new Set([...shown, ...(focus ? [focus] : [])])) load(id);
  return () => { list.close(); for (const { made } of charts) made.close(); };
}

/** The difference of ratings that predicts a score; half a game keeps it finite. */
function elo(score, games) {
  const share = (score * games + 0.5) / (games + 1);
  return 400 * Math.log10(share / (1 - share));
}
