// Watch: stored games, running ones and texts, with a scrubber, the moves and the keyboard.

import { catalogue, gameFacts } from "../agents.js";
import { Board, sound } from "../board.js";
import { api, attempt, dialog, el, icon, note, remember, say, socket, t } from "../studio.js";
import { chip, gameName, points, positionLink, shareContent } from "./play.js";

export async function open(root, path) {
  addStyle();
  const [kind, ...rest] = path.split("/").map(decodeURIComponent);
  if (kind === "game") return player(root, { kind, name: rest[0] }, rest[1]);
  if (kind === "text") return player(root, { kind, name: rest[0] }, rest[1]);
  if (kind === "store") return player(root, { kind, file: rest[0], match: rest[1], number: rest[2] }, rest[3]);
  return library(root);
}

export function addStyle() {
  if (!document.getElementById("style-play")) document.head.append(el("link", { id: "style-play", rel: "stylesheet", href: "/static/pages/play.css" }));
}

async function library(root) {
  const mine = el("section", { class: "card" }, el("h2", {}, t("watch.mine")));
  const stores = el("section", { class: "card" }, el("h2", {}, t("watch.stores")), el("p", { class: "muted small" }, t("watch.stores-help")));
  const text = el("section", { class: "card stack" });
  root.append(el("h1", {}, t("watch.title")), el("div", { class: "lobby-columns" }, el("div", { class: "stack" }, mine, stores), text));
  const [{ games }, { files }, { games: known }] = await Promise.all([api.get("play/games"), api.get("watch/sources"), catalogue()]);
  if (!games.length) mine.append(el("p", { class: "empty" }, t("play.none")));
  for (const each of games.slice(0, 30)) {
    const names = each.seats.map((seat) => (seat.kind === "person" ? seat.name || t("play.person") : seat.spec.split(":")[0])).join(" · ");
    mine.append(el("div", { class: "game-row" }, el("a", { href: `#/watch/game/${each.name}` }, el("strong", {}, gameName(each.game)), el("span", { class: "muted small block" }, names)), el("span", { class: "chip" }, String(each.moves))));
  }
  if (!files.length) stores.append(el("p", { class: "empty" }, t("watch.no-stores")));
  for (const file of files) {
    const box = el("details", { ontoggle: attempt(async () => {
      if (!box.open || box.dataset.full) return;
      box.dataset.full = "1";
      const { matches } = await api.get(`watch/matches?file=${encodeURIComponent(file)}`);
      box.append(...matches.map((match) => el("div", { class: "game-row" },
        el("a", { href: `#/watch/store/${encodeURIComponent(file)}/${match.match}/0` }, el("strong", {}, gameName(match.game)), el("span", { class: "muted small block" }, match.agents.join(" – "))), el("span", { class: "chip" }, t("watch.games", { n: match.games })))));
    }) }, el("summary", {}, file));
    stores.append(box);
  }
  const game = el("select", { "aria-label": t("play.game") }, known.map((each) => el("option", { value: each.id }, gameName(each.id))));
  const start = el("textarea", { class: "code", rows: "4", "aria-label": t("watch.start"), placeholder: t("watch.start") });
  const moves = el("textarea", { class: "code", rows: "6", "aria-label": t("watch.moves"), placeholder: t("watch.moves") });
  game.value = "reversi-8x8";
  text.append(el("h2", {}, t("watch.text")), game, start, moves, el("div", { class: "row end" }, el("button", { type: "button", class: "primary", id: "show-text", onclick: attempt(async () => {
    const { name } = await api.post("watch/record", { game: game.value, options: {}, start: start.value, moves: moves.value });
    location.hash = `#/watch/text/${name}`;
  }) }, icon("watch"), t("watch.show"))));
  return undefined;
}

function query(source) {
  return new URLSearchParams(Object.entries(source).filter(([, value]) => value !== undefined)).toString();
}

async function player(root, source, wanted) {
  let reel = await api.get(`watch/reel?${query(source)}`);
  const facts = await gameFacts(reel.game);
  let at = -1;
  let playing = null;
  let frame = null;
  const holder = el("div", { class: "board-holder" });
  const board = new Board(holder, {});
  const line = el("p", { class: "explain", role: "status" });
  const list = el("ol", { class: "moves", "aria-label": t("play.moves") });
  const slider = el("input", { type: "range", class: "scrubber grow", min: "0", max: String(reel.moves.length), value: "0", "aria-label": t("watch.position"), oninput: () => go(Number(slider.value), false) });
  const button = (glyph, label, onclick, id) => el("button", { type: "button", id, title: label, "aria-label": label, onclick }, icon(glyph));
  const play = button("play", t("watch.play"), () => (playing ? halt() : run()), "run");
  const controls = el("div", { class: "row controls" }, button("first", t("watch.first"), () => go(0), "first"), button("back", t("watch.back"), () => go(at - 1), "previous"), play,
    button("next", t("watch.next"), () => go(at + 1), "next"), button("last", t("watch.last"), () => go(reel.moves.length), "last"), slider);
  const players = el("section", { class: "card players" });
  const live = el("label", { class: "check small" }, el("input", { type: "checkbox", id: "live", checked: source.kind !== "text" && remember.get("live", false), onchange: (event) => remember.set("live", event.target.checked) }), t("watch.live"));
  const numbers = source.kind === "store" ? el("div", { class: "row" }, button("back", t("watch.earlier"), () => other(-1)), el("span", { class: "grow" }, t("watch.number", { n: Number(source.number) + 1 })), button("next", t("watch.later"), () => other(1), "next-game")) : null;

  function other(step) {
    location.hash = `#/watch/store/${encodeURIComponent(source.file)}/${source.match}/${Math.max(0, Number(source.number) + step)}`;
  }

  function showSide() {
    players.replaceChildren(...reel.names.map((name, seat) => el("div", { class: `player ${frame?.player === seat ? "turn" : ""}` }, el("span", { class: `seat-chip ${chip(facts?.family, seat, reel.teams)}` }, String(seat + (facts?.family === "jass" ? 0 : 1))),
      el("span", { class: "grow ellipsis" }, name), reel.returns.length ? el("strong", {}, points(reel.returns[seat], reel.points)) : null)));
  }

  function fillList() {
    list.replaceChildren(...reel.moves.map((move, number) => el("li", { class: move.seat < 0 ? "chance" : "" }, el("a", { href: "#", onclick: (event) => { event.preventDefault(); go(number + 1); } },
      move.seat >= 0 ? el("span", { class: `dot-chip ${chip(facts?.family, move.seat, reel.teams)}` }) : null, say(move.text)))));
    slider.max = String(reel.moves.length);
  }

  const frames = new Map();
  async function fetchFrame(number) {
    if (!frames.has(number)) frames.set(number, api.get(`watch/frame?${query({ ...source, at: number })}`).catch((error) => { frames.delete(number); throw error; }));
    return frames.get(number);
  }

  const go = attempt(async (number, animate = true) => {
    const target = Math.max(0, Math.min(reel.moves.length, number));
    const step = target - at;
    at = target;
    slider.value = String(at);
    const found = await fetchFrame(at);
    if (at !== target) return;
    frame = found;
    board.show(frame.svg, { animate: animate && Math.abs(step) === 1 });
    if (step === 1 && frame.chance && animate) board.throwDie(frame.chance.value, frame.chance.sides); else if (step === 1) sound("move");
    const move = reel.moves[at - 1];
    line.textContent = at ? `${at}/${reel.moves.length}: ${say(move.text)}` : t("watch.beginning");
    [...list.children].forEach((item, i) => item.classList.toggle("now", i === at - 1));
    const now = list.children[at - 1];
    if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
    showSide();
    if (at < reel.moves.length) fetchFrame(at + 1).catch(() => {});
  });

  function run() {
    if (at >= reel.moves.length) at = -1;
    const tick = () => { if (at >= reel.moves.length) halt(); else go(at + 1); };
    playing = setInterval(tick, 750);
    tick();
    play.replaceChildren(icon("pause"));
  }
  function halt() {
    clearInterval(playing);
    playing = null;
    play.replaceChildren(icon("play"));
  }

  const share = button("share", t("play.share"), attempt(async () => {
    const copy = async (text) => { await navigator.clipboard.writeText(text); note(t("share.copied")); };
    await dialog(t("play.share"), shareContent(board, frame.text || null, frame.text ? positionLink(reel.game, reel.options, frame.text) : null, copy, reel.game), [[t("studio.close"), undefined]]);
  }), "share");
  const analyse = button("analyse", t("studio.analyse"), () => {
    location.hash = source.kind === "game" ? `#/analyse/game/${source.name}/${at}` : source.kind === "text" ? `#/analyse/text/${source.name}/${at}` : `#/analyse/store/${encodeURIComponent(source.file)}/${source.match}/${source.number}/${at}`;
  }, "analyse");
  root.append(el("div", { class: "table-page" }, el("div", { class: "board-side" }, holder, el("div", { class: "card wide" }, controls)),
    el("aside", { class: "side" }, el("section", { class: "card" }, el("h2", {}, gameName(reel.game)), line, numbers, source.kind === "text" ? null : live), players,
      el("section", { class: "card moves-card" }, el("div", { class: "row" }, el("h3", { class: "grow" }, t("play.moves")), analyse, share), list))));
  fillList();
  await go(wanted === undefined ? (source.kind === "game" ? reel.moves.length : 0) : Number(wanted), false);

  // A running game or match: look for more, and go along if the person wants to.
  const refresh = async () => {
    if (!document.getElementById("live")?.checked) return;
    const wasLast = at === reel.moves.length;
    if (source.kind === "store") {
      const { matches } = await api.get(`watch/matches?file=${encodeURIComponent(source.file)}`);
      const latest = matches[Number(source.match)].games - 1;
      if (latest > Number(source.number) && wasLast) { location.hash = `#/watch/store/${encodeURIComponent(source.file)}/${source.match}/${latest}`; } else if (!playing && !wasLast) run();
      return;
    }
    const next = await api.get(`watch/reel?${query(source)}`);
    if (next.moves.length === reel.moves.length && next.returns.length === reel.returns.length) return;
    frames.clear();
    reel = next;
    fillList();
    await go(wasLast ? reel.moves.length : at);
  };
  const stops = [];
  if (source.kind === "game") {
    let due = 0;
    stops.push(socket.on("play", (message) => { if (message.what === "table" && message.name === source.name) { clearTimeout(due); due = setTimeout(attempt(refresh), 60); } }));
    socket.send("play", { do: "follow", name: source.name });
    stops.push(() => socket.send("play", { do: "leave", name: source.name }));
  }
  const timer = source.kind === "store" ? setInterval(attempt(refresh), 2000) : 0;
  const keys = (event) => {
    if (event.target.closest?.("textarea, select, dialog, input[type=text]") || event.ctrlKey || event.metaKey) return;
    const deed = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(reel.moves.length), " ": () => (playing ? halt() : run()) }[event.key];
    if (deed && !event.target.closest?.("button")) { event.preventDefault(); deed(); }
  };
  addEventListener("keydown", keys);
  return () => { halt(); clearInterval(timer); stops.forEach((each) => each()); removeEventListener("keydown", keys); };
}
