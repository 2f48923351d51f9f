// Benchmarks: start a suite, see it fill in, open its report; and the ladder of everybody on this machine.

import { api, attempt, el, icon, note, remember, t } from "../studio.js";
import { followJobs, LIVE, progressOf, stateChip, verbs, when } from "../jobs/client.js";
import { gameName } from "../games.js";
import { makeForm } from "../jobs/form.js";
import { suiteTexts } from "../jobs/suites.js";

const LOOK_MS = 3000;

export async function open(root, path) {
  root.append(el("p", { class: "empty" }, t("studio.loading")));
  const found = await api.get("jobs/forms/suite");
  let focus = path || null;
  let form = makeForm(found.fields);
  let jobs = [];
  const suites = el("div", { class: "suites", role: "radiogroup", "aria-label": t("bench.suite") });
  const chosen = { suite: remember.get("bench-suite", "quick") };
  const start = el("button", { type: "submit", class: "primary", id: "bench-start" }, icon("benchmarks"), t("bench.start"));
  const formNode = el("form", { class: "stack", novalidate: true, onsubmit: (event) => { event.preventDefault(); begin(); } },
    suites, el("details", { class: "more" }, el("summary", {}, t("bench.settings")), el("div", { class: "form-grid" }, form.fields.map((field) => field.node))), el("div", { class: "row end" }, start));

  function showSuites() {
    const sorted = [...found.suites].sort((a, b) => !a.games - !b.games || a.trainings - b.trainings || a.games - b.games);
    suites.replaceChildren(...sorted.map((suite) => {
      const input = el("input", { type: "radio", name: "suite", value: suite.name, onchange: () => { chosen.suite = suite.name; remember.set("bench-suite", suite.name); } });
      input.checked = suite.name === chosen.suite;
      return el("label", { class: "suite" }, input, el("span", {}, el("b", {}, suiteTexts(suite)[0]), el("span", { class: "muted small about" }, suiteTexts(suite)[1]),
        el("span", { class: "muted small" }, t(suite.trainings ? "bench.size-train" : suite.games ? "bench.size" : "bench.size-study", { games: suite.games.toLocaleString(), trainings: suite.trainings }))));
    }));
  }

  const begin = attempt(async () => {
    if (form.firstBad()) return;
    start.disabled = true;
    try {
      const job = await api.post("jobs", { kind: "suite", order: { suite: chosen.suite, ...form.changed() } });
      list.put(job);
      choose(job.id);
      note(t("bench.started"));
    } catch (error) {
      if (error.field && form.complain(error.field, error.message)) return;
      throw error;
    } finally { start.disabled = false; }
  });

  const runs = el("div", { class: "runs", role: "list" });
  const filling = el("section", { class: "card", hidden: true });
  const ladder = el("section", { class: "card ladder" }, el("p", { class: "empty" }, t("studio.loading")));

  function showRuns() {
    const held = document.activeElement?.dataset?.verb && document.activeElement.closest(".run")?.dataset.job;
    const verb = document.activeElement?.dataset?.verb;
    runs.replaceChildren(...(jobs.length ? jobs.map((job) => el("div", { class: `run${job.id === focus ? " focus" : ""}`, role: "listitem", "data-job": job.id, "data-state": job.state },
      el("div", { class: "run-head" }, el("button", { type: "button", class: "run-name", "aria-expanded": String(job.id === focus), onclick: () => choose(job.id) }, titleOf(job)), stateChip(job)),
      el("div", { class: "muted small" }, [when(job.created), LIVE.includes(job.state) ? job.line : ""].filter(Boolean).join(" · ")), progressOf(job),
      job.message ? el("p", { class: "error-line small" }, job.message) : null,
      el("div", { class: "row run-verbs" },
        job.report ? el("a", { class: "button small-button primary", href: `/report/${job.id}/${job.report}`, target: "_blank", rel: "noopener", "data-act": "report" }, icon("analyse"), t("bench.report")) : null,
        verbs(job, list, (now) => { if (!now && focus === job.id) { focus = null; showFilling([]); } })))) : [el("p", { class: "empty" }, t("bench.none"))]));
    if (held) runs.querySelector(`[data-job="${held}"] [data-verb="${verb}"]`)?.focus();
  }

  function titleOf(job) {
    const suite = found.suites.find((each) => each.title === job.title);
    return suite ? suiteTexts(suite)[0] : job.title;
  }

  function choose(id) {
    focus = id;
    history.replaceState(null, "", `#/benchmarks/${id}`);
    showRuns();
    look();
  }

  function showFilling(matches) {
    filling.hidden = !focus || !matches.length;
    if (filling.hidden) return;
    const rows = matches.map((match) => {
      const share = match.games ? match.done / match.games : 0;
      const bar = el("div", { class: "cell-bar" }, el("div", {}));
      bar.firstChild.style.width = `${100 * share}%`;
      const [won, drawn, lost] = match.wdl || [0, 0, 0];
      const score = match.wdl ? `${(100 * (won + drawn / 2) / (won + drawn + lost)).toFixed(1)} %` : "";
      return el("tr", { class: match.built ? "" : "muted" }, el("td", {}, gameName(match.game)), el("td", {}, match.agents.join(" – ")),
        el("td", { class: "number" }, match.built || match.done ? [`${match.done} / ${match.games}`, bar] : t("bench.not-built")),
        el("td", { class: "number" }, match.wdl ? `${won} / ${drawn} / ${lost}` : ""), el("td", { class: "number" }, score));
    });
    const heads = ["jobs.game", "bench.agents", "bench.played", "bench.wdl", "validate.score"].map((key, place) => el("th", { class: place > 1 ? "number" : null }, t(key)));
    filling.replaceChildren(el("h2", {}, t("bench.filling")), el("div", { class: "scroll-x tall" }, el("table", { class: "matches" }, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))));
  }

  async function look() {
    if (!focus) return;
    const asked = focus;
    try {
      const { matches } = await api.get(`benchmarks/${asked}`);
      if (asked === focus) showFilling(matches);
    } catch { if (asked === focus) showFilling([]); }
  }

  const showLadder = attempt(async () => {
    const { tables } = await api.get("benchmarks/ladder");
    const wanted = remember.get("ladder-game", "");
    const select = el("select", { "aria-label": t("jobs.game"), onchange: () => { remember.set("ladder-game", select.value); draw(); } },
      tables.map((table, place) => el("option", { value: String(place) }, label(table))));
    const body = el("div", { class: "scroll-x" });
    function draw() {
      const table = tables[Number(select.value) || 0];
      if (!table) { body.replaceChildren(el("p", { class: "empty" }, t("bench.no-games"))); return; }
      const tops = table.rows.map((row) => row.elo);
      const [low, high] = [Math.min(...tops, 0), Math.max(...tops, 1)];
      body.replaceChildren(el("table", { class: "ladder-table" },
        el("thead", {}, el("tr", {}, [t("bench.rank"), t("bench.agent"), "Elo", t("bench.interval"), t("validate.score"), t("bench.games")].map((head, place) => el("th", { class: place > 1 || !place ? "number" : null }, head)))),
        el("tbody", {}, table.rows.map((row, place) => {
          const bar = el("div", { class: "cell-bar" }, el("div", {}));
          bar.firstChild.style.width = `${100 * (row.elo - low) / (high - low)}%`;
          return el("tr", {}, el("td", { class: "number" }, String(place + 1)), el("td", { class: "agent-name" }, row.agent, bar), el("td", { class: "number" }, el("b", {}, `${row.elo > 0 ? "+" : ""}${Math.round(row.elo)}`)),
            el("td", { class: "number" }, interval(row)), el("td", { class: "number" }, `${(100 * row.score).toFixed(1)} %`), el("td", { class: "number" }, row.games.toLocaleString()));
        }))));
    }
    if (wanted && tables[Number(wanted)]) select.value = wanted;
    ladder.replaceChildren(el("div", { class: "row ladder-head" }, el("h2", { class: "grow" }, t("bench.ladder")), tables.length ? select : null,
      el("button", { type: "button", class: "small-button quiet", onclick: showLadder, "aria-label": t("bench.refresh"), title: t("bench.refresh") }, icon("undo"))), el("p", { class: "muted small" }, t("bench.ladder-help")), body);
    draw();
  });

  function interval({ low, high, interval: said }) {
    if (said === "anchor") return t("bench.anchor");
    const signed = (value) => `${value > 0 ? "+" : ""}${Math.round(value)}`;
    if (low === null && high === null) return "–";
    return low === null ? `≤ ${signed(high)}` : high === null ? `≥ ${signed(low)}` : `${signed(low)} … ${signed(high)}`;
  }

  function label(table) {
    const options = Object.entries(table.options).map(([name, value]) => `${name}=${value}`).join(", ");
    return `${gameName(table.game)}${options ? ` (${options})` : ""} · ${table.games.toLocaleString()}`;
  }

  let list = null;
  list = await followJobs("suite", (now) => {
    const finished = now.some((job) => job.state === "done" && jobs.find((each) => each.id === job.id && each.state !== "done"));
    jobs = now;
    if (!list) return;
    showRuns();
    if (finished) { showLadder(); look(); }
  });
  if (!focus && jobs.length) focus = jobs[0].id;
  root.replaceChildren(el("h1", {}, t("bench.title")), el("div", { class: "train-layout" },
    el("div", { class: "stack" }, el("section", { class: "card" }, el("h2", {}, t("bench.new")), formNode), el("section", { class: "card" }, el("h2", {}, t("bench.runs")), runs)),
    el("div", { class: "stack" }, filling, ladder)));
  showSuites();
  suites.querySelector(":checked")?.closest(".suite").scrollIntoView({ block: "nearest" });
  showRuns();
  look();
  showLadder();
  const timer = setInterval(() => { const job = jobs.find((each) => each.id === focus); if (job && LIVE.includes(job.state)) look(); }, LOOK_MS);
  return () => { clearInterval(timer); list.close(); };
}
