// What games and their seats are called and which colours they have, on all pages.

import { t } from "./studio.js";

export const FAMILIES = ["reversi", "muehle", "einstein", "jass", "reversixt"];

export function familyName(family) {
  const name = t(`family.${family}`);
  return name.startsWith("family.") ? family : name;
}

export function gameName(id) {
  const name = t(`game.${id}`);
  return name.startsWith("game.") ? id : name;
}

/** The number of a seat as the pictures of its family have it. */
export function seatNumber(family, seat) { return String(family === "jass" ? seat : seat + 1); }

/** The colour of a seat in the pictures of its family. */
export function chip(family, seat, teams) {
  if (family === "reversi") return ["black", "white"][seat];
  if (family === "muehle") return ["white", "black"][seat];
  if (family === "jass") return `p${teams[seat]}`;
  return family === "reversixt" ? `x${seat}` : `p${seat}`;
}

/** Families in their usual order, each with those of some games that belong to it. */
export function byFamily(games) {
  const families = [...new Set([...FAMILIES, ...games.map((game) => game.family)])];
  return families.map((family) => [family, games.filter((game) => game.family === family)]).filter(([, members]) => members.length);
}
