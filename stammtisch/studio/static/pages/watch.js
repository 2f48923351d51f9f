// Watch: stored games, running ones and texts, with a scrubber, the moves and the keyboard.

import { catalogue, gameFacts } from "../agents.js";
import { chip, fillMoves, gameName, seatNumber } from "../games.js";
import { Board, sound } from "../board.js";
import { api, attempt, dialog, el, icon, note, remember, say, socket, t } from "../studio.js";
import { howFar, points, positionLink, shareContent, whoPlays } from "./play.js";

export async function open(root, path) {
  const [kind, ...rest] = path.split("/").map(decodeURIComponent);
  if (kind === "game") return player(root, { kind, name: rest[0] }, rest[1]);
  if (kind === "text") return player(root, { kind, name: rest[0] }, rest[1]);
  if (kind === "live") return live(root, rest[0]);
  if (kind === "store") return player(root, { kind, file: rest[0], match: rest[1], number: rest[2] }, rest[3]);
  return library(root);
}

async function library(root) {
  const mine = el("section", { class: "card" }, el("h2", {}, t("watch.mine")));
  const stores = el("section", { class: "card" }, el("h2", {}, t("watch.stores")), el("p", { class: "muted small" }, t("watch.stores-help")));
  const text = el("section", { class: "card stack" });
  root.append(el("h1", {}, t("watch.title")), el("div", { class: "lobby-columns" }, mine, el("div", { class: "stack" }, stores, text)));
  const [{ games }, { files }, { games: known }] = await Promise.all([api.get("play/games"), api.get("watch/sources"), catalogue()]);
  if (!games.length) mine.append(el("p", { class: "empty" }, t("play.none")));
  for (const each of games.slice(0, 14)) {
    mine.append(el("div", { class: "game-row" }, el("a", { href: `#/watch/game/${each.name}` }, el("strong", {}, gameName(each.game)), el("span", { class: "muted small block" }, whoPlays(each.seats))), howFar(each)));
  }
  const list = el("div", {});
  stores.append(list);
  const showFiles = (found) => {
    const held = new Map([...list.querySelectorAll("details")].map((each) => [each.dataset.file, each]));
    list.replaceChildren(...(found.length ? found.map((each) => fileBox(each, held.get(each.file))) : [el("p", { class: "empty" }, t("watch.no-stores"))]));
  };
  showFiles(files);
  const game = el("select", { "aria-label": t("play.game") }, known.map((each) => el("option", { value: each.id }, gameName(each.id))));
  const start = el("textarea", { class: "code", rows: "4", "aria-label": t("watch.start"), placeholder: t("watch.start") });
  const moves = el("textarea", { class: "code", rows: "6", "aria-label": t("watch.moves"), placeholder: t("watch.moves") });
  game.value = "reversi-8x8";
  text.append(el("h2", {}, t("watch.text")), game, start, moves, el("div", { class: "row end" }, el("button", { type: "button", class: "primary", id: "show-text", onclick: attempt(async () => {
    const { name } = await api.post("watch/record", { game: game.value, options: {}, start: start.value, moves: moves.value });
    location.hash = `#/watch/text/${name}`;
  }) }, icon("watch"), t("watch.show"))));
  const timer = setInterval(async () => { try { showFiles((await api.get("watch/sources")).files); } catch { /* the next time */ } }, LOOK_MS);
  return () => clearInterval(timer);
}

/** The name of a results file without what all of them have. */
function shortFile(file, title) { return title || file.replace(/^stammtisch-results\/|(\/results)?\.sqlite$/g, ""); }

/** A results file in the list: its matches when it is opened, and a way to follow it. */
function fileBox({ file, title, running }, old) {
  const head = [el("span", { class: "grow ellipsis", title: file }, shortFile(file, title)), running ? el("span", { class: "chip state-running" }, t("watch.running")) : null,
    el("a", { class: "button small-button", href: `#/watch/live/${encodeURIComponent(file)}`, "data-act": "live" }, icon("watch"), t(running ? "watch.follow" : "watch.overview"))];
  if (old) { old.querySelector("summary").replaceChildren(...head.filter(Boolean)); return old; }
  const box = el("details", { "data-file": file, ontoggle: attempt(async () => {
    if (!box.open) { box.querySelector(".matches")?.remove(); return; }
    const { matches } = await api.get(`watch/standing?file=${encodeURIComponent(file)}`);
    box.querySelector(".matches")?.remove();
    box.append(el("div", { class: "matches" }, matches.map((match) => el("div", { class: "game-row" },
      el("a", { href: `#/watch/store/${encodeURIComponent(file)}/${match.match}/0` }, el("strong", {}, gameName(match.game)), el("span", { class: "muted small block" }, match.agents.join(" – "))), el("span", { class: "chip" }, t("watch.games", { n: match.games }))))));
  }) }, el("summary", { class: "row file-row" }, head));
  return box;
}

// A match or tournament while it is played: how it stands, and its latest games on the board.

const LOOK_MS = 1500;
const GAME_MS = 7000; // that the replay of a game takes about

async function live(root, file) {
  const address = (match, number) => `#/watch/store/${encodeURIComponent(file)}/${match}/${number}`;
  const holder = el("div", { class: "board-holder" });
  const board = new Board(holder, {});
  const line = el("p", { class: "explain", role: "status" });
  const chipBox = el("span", {});
  const heading = el("h2", { class: "grow ellipsis", title: file }, shortFile(file));
  const table = el("tbody", {});
  const list = el("div", { class: "live-matches" });
  const players = el("section", { class: "card players" });
  root.append(el("div", { class: "table-page" }, el("div", { class: "board-side" }, holder),
    el("aside", { class: "side live-side" },
      el("section", { class: "card" }, el("div", { class: "row" }, heading, chipBox), line),
      players,
      el("section", { class: "card" }, el("h3", {}, t("watch.standing")), el("div", { class: "scroll-x" }, el("table", { class: "live-table" }, el("thead", {}, el("tr", {}, el("th", {}, t("watch.agent")), el("th", { class: "number" }, t("watch.points")), el("th", { class: "number" }, t("watch.played")), el("th", { class: "number" }, "%"))), table))),
      el("section", { class: "card" }, el("h3", {}, t("watch.matches")), list))));
  let standing = null, shown = null, gone = false, wake = () => {};

  function bar([won, drawn, lost]) {
    const bars = el("div", { class: "wdl thin", role: "img", "aria-label": t("watch.wdl", { won, drawn, lost }), title: t("watch.wdl", { won, drawn, lost }) });
    for (const [name, count] of [["won", won], ["drawn", drawn], ["lost", lost]]) { const part = el("span", { class: name }); part.style.flexGrow = String(count); bars.append(part); }
    return bars;
  }

  function showStanding() {
    heading.textContent = shortFile(file, standing.title);
    chipBox.replaceChildren(el("span", { class: `chip ${standing.running ? "state-running" : ""}` }, t(standing.running ? "watch.running" : "watch.finished")));
    table.replaceChildren(...standing.table.map((row) => el("tr", {}, el("td", { class: "agent-name" }, row.agent), el("td", { class: "number" }, String(row.points)), el("td", { class: "number" }, String(row.games)), el("td", { class: "number" }, (100 * row.score).toFixed(1)))));
    list.replaceChildren(...standing.matches.map((match) => el("a", { class: `live-match ${match.match === shown?.match ? "now" : ""}`, href: address(match.match, match.last) },
      el("span", { class: "row" }, el("strong", { class: "grow" }, gameName(match.game)), el("span", { class: "muted small" }, t("watch.games", { n: match.games }))),
      el("span", { class: "small muted block" }, match.agents.join(" – ")), bar(match.wdl))));
  }

  async function look() {
    try {
      standing = await api.get(`watch/standing?file=${encodeURIComponent(file)}`);
      if (!gone) showStanding();
      wake();
    } catch (error) { if (!standing) throw error; }
  }

  const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

  async function replay(match, number) {
    const source = { kind: "store", file, match, number };
    const reel = await api.get(`watch/reel?${query(source)}`);
    const facts = await gameFacts(reel.game);
    shown = { match, number };
    showStanding();
    const step = Math.max(90, Math.min(700, GAME_MS / Math.max(1, reel.moves.length)));
    for (let at = 0; at <= reel.moves.length && !gone; at += 1) {
      const [frame] = await Promise.all([api.get(`watch/frame?${query({ ...source, at })}`), pause(step)]);
      if (gone) return;
      board.show(frame.svg, { animate: at > 0, fast: step < 300, label: gameName(reel.game) });
      line.textContent = t("watch.live-line", { game: gameName(reel.game), n: number + 1, at, all: reel.moves.length, move: at ? say(reel.moves[at - 1].text) : "" });
      const over = at === reel.moves.length;
      players.replaceChildren(...reel.names.map((name, seat) => el("div", { class: `player ${frame.player === seat ? "turn" : ""}` }, el("span", { class: `seat-chip ${chip(facts?.family, seat, reel.teams)}` }, seatNumber(facts?.family, seat)),
        el("span", { class: "grow ellipsis", title: name }, name === "person" ? t("play.person") : name), over && reel.returns.length ? el("strong", {}, points(reel.returns[seat], reel.points)) : null)));
    }
  }

  await look();
  const timer = setInterval(attempt(look), LOOK_MS);
  (async () => {
    while (!gone) {
      const match = standing.matches[standing.latest];
      if (match && (match.match !== shown?.match || match.last !== shown?.number)) {
        try { await replay(match.match, match.last); await pause(900); } catch { await pause(LOOK_MS); }
      } else {
        if (!match) line.textContent = t("watch.no-games");
        await new Promise((resolve) => { wake = resolve; });
      }
    }
  })();
  return () => { gone = true; clearInterval(timer); wake(); };
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
  const live = source.kind === "game" && !reel.returns.length
    ? el("label", { class: "check small" }, el("input", { type: "checkbox", id: "live", checked: remember.get("live", true), onchange: (event) => remember.set("live", event.target.checked) }), t("watch.live"))
    : source.kind === "store" ? el("a", { class: "button small-button", href: `#/watch/live/${encodeURIComponent(source.file)}`, "data-act": "live" }, icon("watch"), t("watch.overview")) : null;
  const numbers = source.kind === "store" ? el("div", { class: "row" }, button("back", t("watch.earlier"), () => other(-1)), el("span", { class: "grow" }, t("watch.number", { n: Number(source.number) + 1 })), button("next", t("watch.later"), () => other(1), "next-game")) : null;

  function other(step) {
    location.hash = `#/watch/store/${encodeURIComponent(source.file)}/${source.match}/${Math.max(0, Number(source.number) + step)}`;
  }

  function showSide() {
    players.replaceChildren(...reel.names.map((name, seat) => el("div", { class: `player ${frame?.player === seat ? "turn" : ""}` }, el("span", { class: `seat-chip ${chip(facts?.family, seat, reel.teams)}` }, seatNumber(facts?.family, seat)),
      el("span", { class: "grow ellipsis", title: name }, name === "person" ? t("play.person") : name), reel.returns.length ? el("strong", {}, points(reel.returns[seat], reel.points)) : null)));
  }

  function fillList() {
    fillMoves(list, reel.moves, { family: facts?.family, teams: reel.teams, link: (number) => ({ href: "#", onclick: (event) => { event.preventDefault(); go(number + 1); } }) });
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
    showSide(); // before the list scrolls: it takes room from it
    const now = list.children[at - 1];
    if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
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
  root.append(el("div", { class: "table-page" }, el("div", { class: "board-side with-controls" }, holder, el("div", { class: "card wide" }, controls)),
    el("aside", { class: "side" }, el("section", { class: "card" }, el("h2", {}, gameName(reel.game)), line, numbers, live), players,
      el("section", { class: "card moves-card" }, el("div", { class: "row" }, el("h3", { class: "grow" }, t("play.moves")), analyse, share), list))));
  fillList();
  await go(wanted === undefined ? (source.kind === "game" ? reel.moves.length : 0) : Number(wanted), false);

  // A running game or match: look for more, and go along if the person wants to.
  const refresh = async () => {
    if (!document.getElementById("live")?.checked) return;
    const wasLast = at === reel.moves.length;
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
  const keys = (event) => {
    if (event.target.closest?.("textarea, select, dialog, input[type=text]") || event.ctrlKey || event.metaKey) return;
    const deed = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(reel.moves.length), " ": () => (playing ? halt() : run()) }[event.key];
    if (deed && !event.target.closest?.("button")) { event.preventDefault(); deed(); }
  };
  addEventListener("keydown", keys);
  return () => { halt(); stops.forEach((each) => each()); removeEventListener("keydown", keys); };
}
