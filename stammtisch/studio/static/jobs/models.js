// What several pages do with models.

import { api, dialog, el, note, t } from "../studio.js";

/** Ask for a name and copy a model under it; returns the copy, or nothing. */
export async function nameDialog(model) {
  const input = el("input", { type: "text", maxlength: "48", value: `${model}-2`, "aria-label": t("models.new-name"), spellcheck: "false" });
  const name = await dialog(t("models.copy-of", { name: model }), el("label", { class: "field" }, t("models.new-name"), input),
    [[t("studio.cancel"), undefined], [t("models.save"), () => input.value.trim(), "primary"]]);
  if (!name) return undefined;
  const copy = await api.post(`models/${encodeURIComponent(model)}/copy`, { name });
  note(t("models.copied", { name: copy.name }));
  return copy;
}

/** Where a game against an agent begins. */
export function playLink(game, agent) {
  return `#/play/new/${encodeURIComponent(game)}/${encodeURIComponent(agent)}`;
}
