// What several pages do with models.

import { api, attempt, dialog, el, icon, note, t } from "../studio.js";

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

/** A button that begins a game of one person against an agent in all other seats. */
export function playButton(game, options, agent, style = "") {
  return el("button", { type: "button", class: `small-button ${style}`, "data-act": "play", onclick: attempt(async (event) => {
    const button = event.target.closest("button");
    button.disabled = true;
    try {
      const { games } = await api.get("play/catalogue");
      const { players } = games.find((each) => each.id === game);
      const seats = [...Array(players)].map((_, seat) => (seat === 0 ? { kind: "person" } : { kind: "agent", spec: agent }));
      const { name } = await api.post("play/new", { game, options, seats });
      location.hash = `#/play/${name}`;
    } finally { button.disabled = false; }
  }) }, icon("play"), t("models.play"));
}
