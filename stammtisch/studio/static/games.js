// What games and their seats are called and which colours they have, on all pages.

import { el, say, t } from "./studio.js";

export const FAMILIES = ["reversi", "muehle", "einstein", "jass", "reversixt"];

export function familyName(family) {
  const name = t(`family.${family}`);
  return name.startsWith("family.") ? family : name;
}

export function gameName(id) {
  const name = t(`game.${id}`);
  return name.startsWith("game.") ? id : name;
}

/** Where the picture of a family is. */
export function familyPicture(family) { return new URL(`./games/${family}.svg`, import.meta.url).href; }

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

/** What a move is called in a list; of a throw of the die only its number, in a small die. */
function moveText(move) {
  const said = say(move.text);
  return move.seat < 0 && /^roll \d$/.test(move.text) ? el("b", { class: "tiny-die", title: said, "aria-label": said }, move.text.slice(5)) : said;
}

/**
 * Fill a list of moves; `link(number)` gives the attributes of the link of a move. Where two play, their moves stand
 * side by side in numbered rows, with the die before the move that it was thrown for.
 */
export function fillMoves(list, moves, { family, teams, link }) {
  const items = moves.map((move, number) => el("li", { class: move.seat < 0 ? "chance" : "" }, el("a", link(number),
    move.seat >= 0 ? el("span", { class: `dot-chip ${chip(family, move.seat, teams)}` }) : null, moveText(move))));
  list.classList.toggle("pairs", teams.length === 2);
  list.classList.toggle("with-dice", teams.length === 2 && moves.some((move) => move.seat < 0));
  if (teams.length === 2) arrange(list, items, moves);
  list.replaceChildren(...items);
}

/** Give every move its row and column; a second move of the same seat (a man taken) stands below its first. */
function arrange(list, items, moves) {
  const withDice = list.classList.contains("with-dice");
  let row = 0, round = 0, column = 9, seat = -1;
  moves.forEach((move, number) => {
    const mover = move.seat >= 0 ? move.seat : moves[number + 1]?.seat ?? 1 - Math.max(0, seat);
    const place = withDice ? 2 * mover + (move.seat < 0 ? 1 : 2) : mover + 1;
    if (place <= column) {
      row += 1;
      if (mover !== seat) { round += 1; items[number].dataset.round = `${round}.`; }
    }
    items[number].style.gridArea = `${row} / ${place}`;
    [column, seat] = [place, mover];
  });
}
