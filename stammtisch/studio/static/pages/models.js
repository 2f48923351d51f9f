// Models: what was learned here; play against one, validate it, compare two, copy, delete and take back.

import { api, attempt, el, icon, note, t } from "../studio.js";
import { short } from "../jobs/chart.js";
import { followJobs, LIVE, undoNote, unitName, when } from "../jobs/client.js";
import { gameName } from "../games.js";
import { nameDialog, playButton } from "../jobs/models.js";

export async function open(root) {
  let models = [];
  let frozen = [];
  let jobs = [];
  let chosen = [];
  const box = el("div", { class: "model-grid", role: "list" });
  const compare = el("button", { type: "button", class: "primary", id: "models-compare", disabled: true, onclick: () => startCompare() }, icon("swap"), t("models.compare"));
  const filter = el("select", { "aria-label": t("jobs.game"), onchange: () => show() });
  const hint = el("span", { class: "muted small" }, t("models.compare-help"));

  const load = attempt(async () => {
    ({ models, frozen } = await api.get("models"));
    chosen = chosen.filter((name) => models.some((model) => model.name === name));
    show();
  });

  function startCompare() {
    const [one, other] = chosen.map((name) => models.find((model) => model.name === name));
    if (one.game !== other.game) { note(t("models.same-game"), "error"); return; }
    location.hash = `#/validate/${encodeURIComponent(one.name)}/${encodeURIComponent(other.agent)}`;
  }

  function card(model) {
    const training = jobs.find((job) => job.model === model.name && LIVE.includes(job.state));
    const scores = Object.entries(model.facts.scores || {});
    const box = el("input", { type: "checkbox", disabled: !model.playable, "aria-label": t("models.choose", { name: model.name }), onchange: () => {
      chosen = box.checked ? [...chosen, model.name].slice(-2) : chosen.filter((name) => name !== model.name);
      show();
    } });
    box.checked = chosen.includes(model.name);
    return el("article", { class: `card model${box.checked ? " chosen" : ""}`, role: "listitem", "data-model": model.name },
      el("div", { class: "row" }, box, el("h2", { class: "grow model-name" }, model.name),
        training ? el("a", { class: "chip state-running", href: `#/train/${training.id}` }, t("models.training")) : el("span", { class: "chip" }, model.learner)),
      el("p", { class: "muted small" }, [gameName(model.game), model.facts.done ? `${short(model.facts.done)} ${unitName(model.facts.unit)}` : null, size(model.bytes), model.created ? when(model.created) : null].filter(Boolean).join(" · ")),
      scores.length ? el("dl", { class: "facts" }, scores.map(([opponent, told]) => el("div", {}, el("dt", {}, t("train.against", { agent: opponent })), el("dd", {}, `${(100 * told.score).toFixed(1)} %`)))) : null,
      el("div", { class: "row" },
        model.playable ? [
          playButton(model.game, model.options, model.agent, "primary"),
          el("a", { class: "button small-button", href: `#/validate/${encodeURIComponent(model.name)}`, "data-act": "validate" }, icon("validate"), t("models.validate")),
          el("button", { type: "button", class: "small-button", "data-act": "copy", onclick: attempt(async () => { if (await nameDialog(model.name)) await load(); }) }, icon("copy"), t("models.copy")),
        ] : el("span", { class: "muted small" }, t("models.not-yet")),
        el("button", { type: "button", class: "small-button quiet", "data-act": "delete", disabled: Boolean(training), onclick: attempt(async () => {
          const { mark } = await api.remove(`models/${encodeURIComponent(model.name)}`);
          undoNote(t("jobs.deleted", { name: model.name }), async () => { await api.post("models/restore", { mark }); await load(); });
          await load();
        }) }, icon("trash"), t("jobs.delete"))));
  }

  const shipped = el("section", { class: "card shipped" });

  function showShipped() {
    const rated = frozen.some((each) => each.elo !== null);
    const rows = frozen.filter((each) => !filter.value || each.game === filter.value).map((each) => el("tr", {}, el("td", {}, gameName(each.game)), el("td", { class: "about" }, each.about),
      rated ? el("td", { class: "number" }, each.elo === null ? "" : `${Math.round(each.elo)}`) : null,
      el("td", { class: "number" }, playButton(each.game, {}, each.agent))));
    shipped.hidden = !rows.length;
    const heads = [t("jobs.game"), t("models.champion"), ...(rated ? ["Elo"] : []), ""].map((head, place) => el("th", { class: place > 1 ? "number" : null }, head));
    shipped.replaceChildren(el("h2", {}, t("models.frozen")), el("div", { class: "scroll-x" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows))));
  }

  function show() {
    const games = [...new Set([...models, ...frozen].map((model) => model.game))].sort();
    const wanted = filter.value;
    filter.replaceChildren(el("option", { value: "" }, t("models.all-games")), ...games.map((game) => el("option", { value: game }, gameName(game))));
    filter.value = games.includes(wanted) ? wanted : "";
    const listed = models.filter((model) => !filter.value || model.game === filter.value);
    const held = document.activeElement?.closest?.(".model")?.dataset.model;
    box.replaceChildren(...(listed.length ? listed.map(card) : [el("p", { class: "card empty" }, t("models.none"), " ", el("a", { href: "#/train" }, t("models.train-one")))]));
    if (held) box.querySelector(`[data-model="${CSS.escape(held)}"] input`)?.focus();
    compare.disabled = chosen.length !== 2;
    showShipped();
  }

  function size(bytes) {
    return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  }

  root.append(el("h1", {}, t("models.title")), el("div", { class: "row models-tools" }, filter, el("span", { class: "grow" }), hint, compare), box, shipped);
  await load();
  const list = await followJobs("training", (found) => {
    const before = JSON.stringify(jobs.map((job) => [job.model, job.state]));
    jobs = found;
    if (before !== JSON.stringify(found.map((job) => [job.model, job.state]))) load();
  });
  return () => list.close();
}
