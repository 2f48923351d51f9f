// Play: the page of the tables.

import { el, t } from "../studio.js";

export async function open(root) {
  root.append(el("h1", {}, t("studio.play")));
}
