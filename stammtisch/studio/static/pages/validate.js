// Validate: a match of two players that counts as it is played, and stays as an ordinary match in the store.

import { api, attempt, el, icon, note, remember, say, t } from "../studio.js";
import { agentList, followJobs, gameSelect, progressOf, stateChip, verbs, when } from "../jobs/client.js";
import { gameName } from "../games.js";
import { makeForm } from "../jobs/form.js";

export async function open(root, path) {
  root.append(el("p", { class: "empty" }, t("studio.loading")));
  const [choices, { models }, found] = await Promise.all([api.get("jobs/choices"), api.get("models"), api.get("jobs/forms/validation")]);
  const wanted = path ? path.split("/").map(decodeURIComponent) : [];
  const model = models.find((each) => each.name === wanted[0]);
  const chosen = { game: model ? model.game : remember.get("validate-game", models[0]?.game || "einstein-3x3") };
  const box = el("div", { class: "stack" });
  let form = null;
  const game = gameSelect(choices.games, chosen.game, (value) => { chosen.game = value; remember.set("validate-game", value); showForm(); });
  chosen.game = game.value;
  const start = el("button", { type: "submit", class: "primary", id: "validate-start" }, icon("validate"), t("validate.start"));
  const formNode = el("form", { class: "stack", novalidate: true, onsubmit: (event) => { event.preventDefault(); begin(); } },
    el("div", { class: "form-field" }, el("label", { for: "job-game" }, t("jobs.game")), game), box, el("div", { class: "row end" }, start));

  function showForm() {
    const agents = agentList(formNode, choices.agents, models, chosen.game);
    form = makeForm(found.fields, { agents });
    const label = { agent: t("validate.agent"), opponent: t("validate.opponent"), games: t("validate.games"), opening: t("validate.opening") };
    for (const field of form.fields) if (label[field.name]) field.node.querySelector("label").textContent = label[field.name];
    const mine = models.filter((each) => each.game === chosen.game && each.playable);
    if (model && model.game === chosen.game) form.named("agent").set(model.agent);
    else form.named("agent").set(mine[0]?.agent || "heuristic");
    if (wanted[1] && model?.game === chosen.game) form.named("opponent").set(wanted[1]);
    const swap = el("button", { type: "button", class: "small-button quiet", onclick: () => {
      const [one, other] = [form.named("agent").input.value, form.named("opponent").input.value];
      form.named("agent").set(other);
      form.named("opponent").set(one);
    } }, icon("swap"), t("validate.swap"));
    const main = ["agent", "opponent"];
    box.replaceChildren(...main.map((name) => form.named(name).node), el("div", { class: "row end" }, swap),
      el("div", { class: "form-grid" }, form.fields.filter((field) => !main.includes(field.name)).map((field) => field.node)));
  }

  const begin = attempt(async () => {
    if (!form || form.firstBad()) return;
    start.disabled = true;
    try {
      const order = { game: chosen.game, agent: form.named("agent").value(), opponent: form.named("opponent").value(), ...form.changed() };
      const job = await api.post("jobs", { kind: "validation", order });
      list.put(job);
      note(t("validate.started"));
    } catch (error) {
      if (error.field && form.complain(error.field, error.message)) return;
      throw error;
    } finally { start.disabled = false; }
  });

  const cards = el("div", { class: "stack", role: "list" });
  const nodes = new Map();

  function card(job) {
    const [first, second] = job.agents.length ? job.agents : job.title.split(" – ");
    const [won, drawn, lost] = job.wdl || [0, 0, 0];
    const played = won + drawn + lost;
    const facts = job.facts;
    const bars = el("div", { class: "wdl", role: "img", "aria-label": t("validate.counts", { won, drawn, lost }) });
    for (const [name, count] of [["won", won], ["drawn", drawn], ["lost", lost]]) {
      const part = el("span", { class: name }, count && count / played > 0.07 ? String(count) : "");
      part.style.flexGrow = String(played ? count : name === "drawn" ? 1 : 0);
      bars.append(part);
    }
    const score = played ? (won + drawn / 2) / played : null;
    const figures = [
      [t("validate.won"), won], [t("validate.drawn"), drawn], [t("validate.lost"), lost],
      [t("validate.score"), score === null ? "–" : `${(100 * score).toFixed(1)} %`],
      [t("validate.interval"), facts.ci95 ? facts.ci95.map((end) => (100 * end).toFixed(1)).join(" – ") + " %" : "–"],
      ["Elo", facts.games ? (facts.elo === null ? "∞" : `${facts.elo > 0 ? "+" : ""}${Math.round(facts.elo)}`) : "–"],
    ];
    return el("article", { class: "card validation", role: "listitem", "data-job": job.id, "data-state": job.state },
      el("div", { class: "row" }, el("h2", { class: "grow" }, first, el("span", { class: "muted" }, ` ${t("validate.against")} `), second), stateChip(job)),
      el("p", { class: "muted small" }, `${gameName(job.game)} · ${when(job.created)}`),
      bars, el("dl", { class: "facts wdl-facts" }, figures.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value))))),
      job.state === "done" ? null : progressOf(job),
      job.message ? el("p", { class: "error-line small" }, say(job.message)) : null,
      el("div", { class: "row" }, verbs(job, list),
        job.games && played ? el("a", { class: "button small-button", href: `#/watch/store/${encodeURIComponent(`jobs/${job.id}/results.sqlite`)}/0/0`, "data-act": "watch" }, icon("watch"), t("validate.watch")) : null,
        job.report ? el("a", { class: "button small-button", href: `/report/${job.id}/${job.report}`, target: "_blank", rel: "noopener", "data-act": "report" }, icon("analyse"), t("bench.report"))
          : job.state === "done" ? el("button", { type: "button", class: "small-button", "data-act": "write-report", onclick: attempt(async (event) => {
            const button = event.target.closest("button");
            button.disabled = true;
            note(t("validate.writing"));
            try { list.put(await api.post(`jobs/${job.id}/report`)); } finally { button.disabled = false; }
          }) }, icon("analyse"), t("validate.report")) : null,
        job.agents.every((each) => each) && job.state === "done" ? el("button", { type: "button", class: "small-button quiet", onclick: () => again(job) }, icon("undo"), t("validate.again")) : null));
  }

  function again(job) {
    game.value = chosen.game = job.game;
    showForm();
    form.named("agent").set(job.agents[0]);
    form.named("opponent").set(job.agents[1]);
    form.named("seed").set(Math.floor(Math.random() * 1e6));
    formNode.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  let list = null;
  list = await followJobs("validation", (jobs) => {
    const now = jobs.map((job) => {
      const key = JSON.stringify(job);
      if (nodes.get(job.id)?.key !== key) nodes.set(job.id, { key, node: null });
      const kept = nodes.get(job.id);
      kept.node ||= list ? card(job) : null;
      return kept.node;
    });
    if (!list) return;
    if (!now.length) cards.replaceChildren(el("p", { class: "card empty" }, t("validate.none")));
    else if (now.length !== cards.children.length || now.some((node, i) => cards.children[i] !== node)) cards.replaceChildren(...now);
  });
  root.replaceChildren(el("h1", {}, t("validate.title")), el("div", { class: "train-layout" },
    el("section", { class: "card" }, el("h2", {}, t("validate.new")), formNode), cards));
  showForm();
  await list.refresh();
  return () => list.close();
}
