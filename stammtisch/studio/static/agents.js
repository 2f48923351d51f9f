// Choosing an agent: a level, or any agent with options from its own table.

import { help } from "./jobs/help.js";
import { api, attempt, dialog, el, note, remember, say, t } from "./studio.js";

let kept = null;
/** Games and agents, asked for once. */
export async function catalogue() {
  kept ??= await api.get("play/catalogue");
  return kept;
}

export async function gameFacts(id) {
  return (await catalogue()).games.find((game) => game.id === id);
}

/** A level without its rating; where several have one name, their step tells them apart. */
function plainLevelName(level) {
  return t(`level.${level.level}`) + (level.step ? ` ${level.step}` : "");
}

/** A level with its rating, if that was measured. */
function levelName(level) {
  return plainLevelName(level) + (Number.isFinite(level.elo) ? ` (Elo ${level.elo})` : "");
}

/** The name of a level for people, or the spec itself. */
export function agentName(spec, facts) {
  const level = facts?.levels.find((each) => each.spec === spec);
  return level ? plainLevelName(level) : spec;
}

/** A control for one value of an option table. */
export function optionField(name, option, value) {
  let input;
  if (option.choices) {
    input = el("select", {}, option.choices.map((choice) => el("option", { value: String(choice), selected: choice === value }, String(choice))));
  } else if (option.type === "bool") {
    input = el("input", { type: "checkbox", checked: Boolean(value) });
    return { input, read: () => input.checked, field: el("label", { class: "check" }, input, el("span", {}, name, el("small", { class: "muted block" }, help(option.help)))) };
  } else if (["int", "float"].includes(option.type)) {
    input = el("input", { type: "number", step: option.type === "int" ? "1" : "any", value: String(value ?? "") });
    if (option.minimum !== undefined) input.min = option.minimum;
    if (option.maximum !== undefined) input.max = option.maximum;
  } else input = el("input", { type: "text", value: String(value ?? "") });
  const read = () => {
    if (option.choices) return option.choices.find((choice) => String(choice) === input.value);
    return ["int", "float"].includes(option.type) ? Number(input.value) : input.value;
  };
  return { input, read, field: el("label", { class: "field" }, name, input, el("small", { class: "muted" }, help(option.help))) };
}

/** Ask for any agent with its options; returns a spec, checked by the server, or undefined. */
export async function askForAgent(game, options, spec) {
  const { agents } = await catalogue();
  let models = [];
  try { models = (await api.get("models")).models || []; } catch { /* there are none */ }
  const [name] = spec.split(":");
  const fields = el("div", { class: "options-grid" });
  const free = el("input", { type: "text", class: "grow", value: spec, "aria-label": t("agents.spec"), spellcheck: "false" });
  const problem = el("p", { class: "error-line", hidden: true });
  let readers = {};
  const rewrite = () => {
    const table = agents[select.value]?.options || {};
    const changed = Object.entries(readers).map(([key, read]) => [key, read()]).filter(([key, value]) => value !== table[key].default && value !== "");
    free.value = select.value + (changed.length ? `:${changed.map(([key, value]) => `${key}=${value}`).join(",")}` : "");
  };
  const fill = () => {
    readers = {};
    fields.replaceChildren();
    const given = Object.fromEntries(free.value.split(":").slice(1).join(":").split(",").filter(Boolean).map((pair) => pair.split("=")));
    for (const [key, option] of Object.entries(agents[select.value]?.options || {})) {
      let value = given[key] ?? option.default;
      if (option.type === "bool") value = value === true || value === "1" || value === "true";
      const made = optionField(key, option, option.choices ? option.choices.find((choice) => String(choice) === String(value)) : value);
      readers[key] = made.read;
      made.input.addEventListener("change", rewrite);
      fields.append(made.field);
    }
  };
  const about = el("p", { class: "muted small" });
  const select = el("select", { "aria-label": t("agents.agent"), onchange: () => { free.value = select.value; fill(); rewrite(); about.textContent = help(agents[select.value]?.help || ""); } },
    models.filter((model) => model.game === game).map((model) => el("option", { value: model.agent }, `${t("agents.model")}: ${model.name}`)),
    Object.keys(agents).map((each) => el("option", { value: each, selected: each === name }, each)));
  about.textContent = help(agents[name]?.help || "");
  fill();
  for (;;) {
    const content = el("div", { class: "stack" }, el("label", { class: "field" }, t("agents.agent"), select), about, fields,
      el("label", { class: "field" }, t("agents.spec"), free), problem);
    const wanted = await dialog(t("agents.title"), content, [[t("studio.cancel"), undefined], [t("studio.ok"), () => free.value.trim(), "primary"]]);
    if (!wanted) return undefined;
    try {
      note(t("agents.checking"));
      await api.post("play/check", { game, options, spec: wanted });
      return wanted;
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  }
}

/** A select of levels with "other …" at the end. */
export function agentPicker(facts, spec, options, onChange) {
  let current = spec;
  const select = el("select", { "aria-label": t("agents.level") });
  const fill = () => {
    const known = facts.levels.some((level) => level.spec === current);
    select.replaceChildren(
      ...facts.levels.map((level) => el("option", { value: level.spec, selected: level.spec === current }, levelName(level))),
      ...(known ? [] : [el("option", { value: current, selected: true }, current)]),
      el("option", { value: "" }, t("agents.other")));
    select.title = current;
  };
  select.addEventListener("change", attempt(async () => {
    if (!select.value) {
      const wanted = await askForAgent(facts.id, options(), current);
      if (wanted) current = wanted;
    } else current = select.value;
    fill();
    remember.set(`agent:${facts.id}`, current);
    onChange(current);
  }));
  fill();
  return select;
}
