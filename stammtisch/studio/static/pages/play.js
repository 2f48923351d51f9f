// Play: the lobby, the table, and setting up a position.

import { agentName, agentPicker, catalogue, gameFacts, optionField } from "../agents.js";
import { byFamily, chip, FAMILIES, familyName, familyPicture, fillMoves, gameName, seatNumber } from "../games.js";
import { Board, pictureBlob, pictureText, sound } from "../board.js";
import { api, attempt, dialog, download, el, icon, note, remember, say, socket, t } from "../studio.js";

export async function open(root, path) {
  if (path.startsWith("setup/")) return setUp(root, decodeURIComponent(path.slice(6)));
  return path ? table(root, path) : lobby(root);
}

// The lobby

async function lobby(root) {
  const place = el("div", { class: "lobby" });
  root.append(place);
  place.append(el("p", { class: "empty" }, t("studio.loading")));
  const [{ games }, tables] = await Promise.all([catalogue(), api.get("play/games")]);
  const families = byFamily(games).map(([family]) => family);
  const form = el("section", { class: "card new-game", "aria-label": t("play.new") });
  const tiles = el("div", { class: "tiles", role: "radiogroup", "aria-label": t("play.game") });
  const choose = (family) => {
    remember.set("family", family);
    for (const tile of tiles.children) tile.setAttribute("aria-checked", String(tile.dataset.family === family));
    newGame(form, games.filter((game) => game.family === family));
  };
  for (const family of families) {
    const known = FAMILIES.includes(family);
    tiles.append(el("button", { type: "button", class: "tile", role: "radio", "data-family": family, onclick: () => choose(family) },
      known ? el("img", { src: familyPicture(family), alt: "", loading: "lazy" }) : icon("other"),
      el("span", {}, familyName(family))));
  }
  const list = el("section", { class: "card your-games", "aria-label": t("play.yours") }, el("h2", {}, t("play.yours")));
  place.replaceChildren(el("div", {}, el("h1", {}, t("play.title")), tiles), el("div", { class: "lobby-columns" }, form, list));
  const wanted = remember.get("family", families[0]);
  choose(families.includes(wanted) ? wanted : families[0]);
  fillList(list, tables.games);
}

function fillList(list, tables) {
  for (const old of list.querySelectorAll(".game-row, .empty")) old.remove();
  if (!tables.length) list.append(el("p", { class: "empty" }, t("play.none")));
  for (const each of tables.slice(0, 40)) {
    list.append(el("div", { class: "game-row" },
      el("a", { href: `#/play/${each.name}` }, el("strong", {}, gameName(each.game)), el("span", { class: "muted small block" }, whoPlays(each.seats))),
      howFar(each),
      el("button", { type: "button", class: "icon-button", "aria-label": t("play.delete"), title: t("play.delete"), onclick: attempt(async (event) => {
        await api.remove(`play/games/${each.name}`);
        event.target.closest(".game-row").remove();
      }) }, icon("trash"))));
  }
}

/** Who sits at a table, in short: what is the same several times is counted. */
export function whoPlays(seats) {
  const names = seats.map((seat) => (seat.kind === "person" ? seat.name || t("play.person") : seat.spec.split(":")[0]));
  return [...new Set(names)].map((name) => { const n = names.filter((each) => each === name).length; return n > 1 ? `${n} × ${name}` : name; }).join(" · ");
}

/** How far a game has come: over, or how many moves. */
export function howFar({ moves, over }) {
  return el("span", { class: "chip" }, over ? t("play.list-over") : t(moves === 1 ? "play.list-move" : "play.list-moves", { n: moves }));
}

function newGame(form, games) {
  const kept = remember.get(`variant:${games[0].family}`, games[0].id);
  const usual = { reversi: "reversi-8x8", einstein: "einstein-5x5" }[games[0].family];
  let facts = games.find((game) => game.id === kept && kept !== games[0].id) || games.find((game) => game.id === usual) || games[0];
  let readers = {};
  const options = () => Object.fromEntries(Object.entries(readers).map(([key, read]) => [key, read()]).filter(([key, value]) => value !== facts.options[key].default));
  const seatBox = el("div", { class: "stack" });
  const optionBox = el("div", { class: "options-grid" });
  let seats = [];
  const fill = () => {
    readers = {};
    optionBox.replaceChildren(...Object.entries(facts.options).filter(([key]) => key !== "observation").map(([key, option]) => {
      const made = optionField(key, option, option.default);
      readers[key] = made.read;
      return made.field;
    }));
    const strong = remember.get(`agent:${facts.id}`, facts.usual);
    seats = [...Array(facts.players)].map((_, seat) => (seat === 0 ? { kind: "person" } : { kind: "agent", spec: strong }));
    seatBox.replaceChildren(...seats.map((seat, number) => seatRow(facts, seats, number, options)));
  };
  const variant = el("select", { "aria-label": t("play.variant"), onchange: () => { facts = games.find((game) => game.id === variant.value); remember.set(`variant:${facts.family}`, facts.id); fill(); } },
    games.map((game) => el("option", { value: game.id, selected: game === facts }, gameName(game.id))));
  const start = attempt(async (event) => {
    const button = event.target.closest("button");
    button.disabled = true;
    const waiting = setTimeout(() => note(t("play.compiling")), 1500);
    try {
      const { name } = await api.post("play/new", { game: facts.id, options: options(), seats });
      location.hash = `#/play/${name}`;
    } finally { clearTimeout(waiting); button.disabled = false; }
  });
  form.replaceChildren(
    el("div", { class: "row" }, el("h2", { class: "grow" }, t("play.new")), games.length > 1 ? variant : el("strong", {}, gameName(facts.id))),
    el("p", { class: "muted small" }, t(`about.${facts.family}`).startsWith("about.") ? facts.about : t(`about.${facts.family}`)),
    seatBox,
    el("details", {}, el("summary", {}, t("play.options")), optionBox),
    el("div", { class: "row end" },
      el("button", { type: "button", onclick: () => { location.hash = `#/play/setup/${facts.id}`; } }, icon("edit"), t("play.setup")),
      el("button", { type: "button", onclick: (event) => { seats.forEach((seat) => Object.assign(seat, { kind: "agent", spec: seat.spec || facts.usual })); start(event); } }, icon("watch"), t("play.demo")),
      el("button", { type: "button", class: "primary", id: "start", onclick: start }, icon("play"), t("play.start"))));
  fill();
}

function seatRow(facts, seats, number, options) {
  const seat = seats[number];
  const place = el("div", { class: "row seat-row" });
  const fill = () => {
    const isPerson = seat.kind === "person";
    const pick = (kind) => () => { seat.kind = kind; seat.spec = kind === "agent" ? seat.spec || facts.usual : ""; fill(); };
    place.replaceChildren(
      el("span", { class: `seat-chip ${chip(facts.family, number, facts.teams)}` }, seatNumber(facts.family, number)),
      el("div", { class: "segmented", role: "group", "aria-label": t("play.seat", { n: number + 1 }) },
        el("button", { type: "button", "aria-pressed": String(isPerson), onclick: pick("person") }, t("play.person")),
        el("button", { type: "button", "aria-pressed": String(!isPerson), onclick: pick("agent") }, t("play.machine"))),
      isPerson
        ? el("input", { type: "text", class: "grow", maxlength: "40", placeholder: t("play.name"), "aria-label": t("play.name"), value: seat.name || "", oninput: (event) => { seat.name = event.target.value; } })
        : agentPicker(facts, seat.spec, options, (spec) => { seat.spec = spec; }));
  };
  fill();
  return place;
}

// The table

const MOST_BUTTONS = 40; // more numbers than these are chosen with a slider

function sayButton(each, play) {
  return el("button", { type: "button", class: "say", "data-action": String(each.action), onclick: () => play(each.action) }, say(each.text));
}

/** One of many numbers: a slider, and a button that says it. */
function numberChoice(spoken, play) {
  const sorted = [...spoken].sort((a, b) => Number(a.text) - Number(b.text));
  const place = el("span", {});
  const range = el("input", { type: "range", class: "grow", min: "0", max: String(sorted.length - 1), value: String(Math.floor(sorted.length / 4)), "aria-label": t("play.choices"),
    oninput: () => { place.replaceChildren(sayButton(sorted[Number(range.value)], play)); range.setAttribute("aria-valuetext", sorted[Number(range.value)].text); } });
  place.append(sayButton(sorted[Number(range.value)], play));
  return [el("div", { class: "row number-choice" }, range, place)];
}

async function table(root, name) {
  const facts = {};
  let view = null;
  let sent = -1;
  let shownEvents = -1;
  const holder = el("div", { class: "board-holder" });
  const explain = el("p", { class: "explain", role: "status", "aria-live": "polite" });
  const saidBox = el("div", { class: "said", role: "group", "aria-label": t("play.choices") });
  const players = el("section", { class: "card players", "aria-label": t("play.players") });
  const moveList = el("ol", { class: "moves", "aria-label": t("play.moves") });
  const result = el("div", { class: "result", hidden: true, role: "status" });
  const curtain = el("div", { class: "curtain", hidden: true });
  const fault = el("div", { class: "error-line row", hidden: true });
  const send = (message) => socket.send("play", { name, ...message });
  const board = new Board(holder, {
    onAction: (action) => play(action),
    onChosen: (chosen, next) => tellNext(chosen, next),
    onChoice: () => { explain.textContent = t("board.choose"); },
    onWrong: () => { if (view?.legal.length) { holder.classList.remove("shake"); void holder.offsetWidth; holder.classList.add("shake"); sound("error"); } },
  });
  holder.append(curtain);

  function play(action) {
    if (!view || sent === view.events) return;
    sent = view.events;
    send({ do: "move", action, events: view.events });
  }

  const tool = (glyph, label, onclick, extra = {}) => el("button", { type: "button", title: label, "aria-label": label, onclick, ...extra }, icon(glyph), el("span", { class: "tool-text" }, label));
  const hint = tool("hint", t("play.hint"), () => { send({ do: "hint" }); explain.textContent = t("play.hint-wait"); }, { id: "hint" });
  const back = tool("undo", t("play.back"), () => send({ do: "back" }), { id: "back" });
  const resign = tool("flag", t("play.resign"), attempt(async () => {
    if (await dialog(t("play.resign"), el("p", {}, t("play.resign-sure")), [[t("studio.cancel"), false], [t("play.resign"), true, "danger"]])) send({ do: "resign" });
  }), { id: "resign" });
  const again = tool("swap", t("play.rematch"), attempt(async () => { location.hash = `#/play/${(await api.post(`play/games/${name}/rematch`)).name}`; }), { id: "rematch" });
  const fresh = tool("plus", t("play.new"), () => { location.hash = "#/play"; });
  const pause = tool("pause", t("play.pause"), () => send({ do: "pace", paused: !view.paused }), { id: "pause" });
  const step = tool("step", t("play.step"), () => send({ do: "step" }), { id: "step" });
  const speed = el("input", { type: "range", min: "0", max: "100", "aria-label": t("play.speed"), title: t("play.speed"), onchange: () => send({ do: "pace", delay: (2.5 * (100 - speed.value) ** 2) / 10000 }) });
  const share = tool("share", t("play.share"), () => shareMenu(name, view, board));
  const analyse = tool("analyse", t("studio.analyse"), () => { location.hash = `#/analyse/game/${name}/${view?.events ?? 0}`; });
  const replay = tool("watch", t("play.replay"), () => { location.hash = `#/watch/game/${name}`; });
  const machines = el("div", { class: "row machines" }, pause, step, el("label", { class: "row grow small muted" }, t("play.speed"), speed));

  const place = el("div", { class: "table-page loading" },
    el("div", { class: "board-side" }, el("div", { class: "board-frame" }, holder, saidBox)),
    el("aside", { class: "side" }, el("div", { class: "status card" }, explain, fault, result, el("div", { class: "tools" }, hint, back, resign, again, fresh), machines),
      players,
      el("section", { class: "card moves-card" }, el("div", { class: "row" }, el("h3", { class: "grow" }, t("play.moves")), replay, analyse, share), moveList)));
  root.append(place);
  explain.textContent = t("studio.loading");

  function tellNext(chosen, next) {
    if (!view) return;
    if (chosen.length) { explain.textContent = t("play.target", { from: chosen.join(" → ") }); return; }
    explain.textContent = status(view, facts.known);
  }

  function show(message) {
    const animate = view !== null && Math.abs(message.events - shownEvents) <= 3;
    const forward = message.events > shownEvents && view !== null;
    const dice = forward && message.chance;
    view = message;
    place.classList.remove("loading");
    if (sent !== view.events) sent = -1;
    board.show(view.svg, { legal: view.legal, animate, label: `${gameName(view.game)}. ${status(view, facts.known)}`, fast: view.delay < 0.15 });
    if (dice) { board.throwDie(view.chance.value, view.chance.sides); sound("dice"); } else if (forward) sound("move");
    if (view.over && forward) sound("end");
    shownEvents = view.events;
    explain.textContent = status(view, facts.known);
    explain.classList.toggle("yours", view.legal.length > 0);
    explain.hidden = view.over;
    showSaid();
    showPlayers();
    showMoves();
    const person = view.seats.some((seat) => seat.kind === "person");
    const agents = view.seats.some((seat) => seat.kind === "agent");
    hint.disabled = !view.legal.length;
    back.disabled = !view.takeBack;
    hint.hidden = !person;
    resign.hidden = !person || view.over;
    again.hidden = !view.over;
    machines.hidden = !agents || view.over;
    pause.replaceChildren(icon(view.paused ? "play" : "pause"), el("span", { class: "tool-text" }, t(view.paused ? "play.go" : "play.pause")));
    pause.setAttribute("aria-label", t(view.paused ? "play.go" : "play.pause"));
    step.disabled = !view.paused;
    if (document.activeElement !== speed) speed.value = 100 - Math.sqrt((view.delay * 10000) / 2.5);
    curtain.hidden = view.curtain === null;
    if (view.curtain !== null) {
      curtain.replaceChildren(el("div", { class: "card" }, el("h2", {}, t("play.pass-on", { name: seatName(view, view.curtain, facts.known) })), el("p", { class: "muted" }, t("play.pass-help")),
        el("button", { type: "button", class: "primary", id: "look", onclick: () => send({ do: "look" }) }, icon("watch"), t("play.look"))));
    }
    fault.hidden = !view.fault;
    fault.replaceChildren(el("span", { class: "grow" }, view.fault), el("button", { type: "button", onclick: () => send({ do: "retry" }) }, t("play.retry")));
    result.hidden = !view.over;
    if (view.over) result.replaceChildren(...verdict(view, facts.known));
  }

  function showSaid() {
    const spoken = board.unspotted;
    const isNumber = spoken.length > MOST_BUTTONS && spoken.every((each) => /^\d+$/.test(each.text));
    saidBox.replaceChildren(...(isNumber ? numberChoice(spoken, play) : spoken.map((each) => sayButton(each, play))));
    saidBox.hidden = !spoken.length;
    saidBox.classList.toggle("on-board", view.hidden && spoken.length === view.legal.length);
    saidBox.classList.toggle("many", spoken.length > 12);
  }

  function showPlayers() {
    players.classList.toggle("many", view.seats.length > 4);
    players.replaceChildren(...view.seats.map((seat, number) => {
      const turn = view.player === number;
      return el("div", { class: `player ${turn ? "turn" : ""}` },
        el("span", { class: `seat-chip ${chip(facts.known?.family, number, view.teams)}` }, seatNumber(facts.known?.family, number)),
        el("span", { class: "grow" }, el("strong", { class: "block ellipsis", title: seat.spec }, seatName(view, number, facts.known)), seat.kind === "agent" && seatName(view, number, facts.known) !== seat.spec ? el("small", { class: "muted block ellipsis" }, seat.spec) : null),
        turn && view.thinking ? el("span", { class: "thinking", role: "img", "aria-label": t("play.thinks") }, el("i"), el("i"), el("i")) : null,
        view.over && view.returns ? el("strong", {}, points(view.returns[number], view.points)) : null);
    }));
  }

  function showMoves() {
    const stay = moveList.scrollHeight - moveList.scrollTop - moveList.clientHeight < 60;
    fillMoves(moveList, view.moves, { family: facts.known?.family, teams: view.teams, link: (number) => ({ href: `#/watch/game/${name}/${number + 1}` }) });
    if (stay) moveList.scrollTop = moveList.scrollHeight;
  }

  const stops = [
    socket.on("play", (message) => {
      if (message.what === "error") { note(message.error, "error"); sent = -1; return; }
      if (message.name !== name) return;
      if (message.what === "table") {
        facts.known ? show(message) : gameFacts(message.game).then((known) => { facts.known = known; show(message); });
      } else if (message.what === "loading") explain.textContent = t("play.compiling");
      else if (message.what === "hint" && view && message.events === view.events) {
        board.mark([{ way: message.way, kind: "hint" }]);
        explain.textContent = t("play.hint-is", { move: say(message.text) });
      }
    }),
    socket.on("open", (isOpen) => { if (isOpen) send({ do: "follow" }); }),
  ];
  if (socket.isOpen) send({ do: "follow" });
  const keys = (event) => {
    if (event.target.closest?.("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = { h: hint, u: back, p: pause, n: step }[event.key];
    if (action && !action.disabled && !action.hidden) action.click();
  };
  addEventListener("keydown", keys);
  return () => { stops.forEach((stop) => stop()); removeEventListener("keydown", keys); if (socket.isOpen) send({ do: "leave" }); };
}

export function seatName(view, seat, facts) {
  const each = view.seats[seat];
  if (each.name) return each.name;
  if (each.kind === "agent") return agentName(each.spec, facts);
  return view.seats.filter((other) => other.kind === "person").length > 1 ? t("play.person-n", { n: seatNumber(facts?.family, seat) }) : t("play.you");
}

/** One line that says what is to be done. */
function status(view, facts) {
  if (view.over) return t("play.over");
  if (view.player === -1) return t("play.chance");
  const name = seatName(view, view.player, facts);
  if (view.seats[view.player].kind === "agent") return view.paused ? t("play.paused", { name }) : t("play.their-turn", { name });
  if (view.curtain !== null) return t("play.pass-on", { name });
  const legal = view.legal;
  if (!legal.length) return t("play.their-turn", { name });
  const texts = legal.map((each) => each.text);
  if (texts.every((text) => /^x[a-g]\d$/.test(text))) return t("play.do-remove", { name });
  if (legal.every((each) => each.way.length === 2)) return t(view.chance ? "play.do-dice-move" : "play.do-move", { name, die: view.chance?.value ?? "" });
  if (legal.every((each) => each.way.length === 0)) return texts.length === 1 ? t("play.do-only", { name, move: say(texts[0]) }) : t(view.hidden ? "play.do-say" : "play.do-choose", { name });
  if (view.hidden) return t("play.do-card", { name });
  return t("play.do-place", { name });
}

export function points(value, unit) {
  const number = unit ? Math.round(value * unit) : value;
  return `${number > 0 ? "+" : ""}${Number.isInteger(number) ? number : number.toFixed(2)}`;
}

function verdict(view, facts) {
  const best = Math.max(...view.returns);
  const winners = view.returns.map((value, seat) => [value, seat]).filter(([value]) => value > best - 1e-9).map(([, seat]) => seatName(view, seat, facts));
  const everyone = winners.length === view.returns.length;
  const title = everyone ? t("play.draw") : t(winners.length > 1 ? "play.win-many" : winners[0] === t("play.you") ? "play.win-you" : "play.win", { name: winners.join(" & ") });
  const reason = view.resigned !== null ? el("p", { class: "muted" }, t("play.resigned", { name: seatName(view, view.resigned, facts) })) : null;
  return [el("h2", {}, title), ...(reason ? [reason] : [])];
}

// Sharing

export async function shareMenu(name, view, board) {
  const copy = async (text) => { await navigator.clipboard.writeText(text); note(t("share.copied")); };
  let record = null;
  try { record = await api.get(`play/games/${name}`); } catch (error) { if (error.status !== 400) throw error; }
  const link = record ? positionLink(record.game, record.options, record.text) : null;
  await dialog(t("play.share"), shareContent(board, record?.text, link, copy, view.game), [[t("studio.close"), undefined]]);
}

export function positionLink(game, options, text) {
  return `${location.origin}/#/analyse/position/${encodeURIComponent(game)}/${encodeURIComponent(JSON.stringify(options || {}))}/${encodeURIComponent(text)}`;
}

export function shareContent(board, text, link, copy, game) {
  const safe = (work) => attempt(work);
  return el("div", { class: "stack" },
    link ? el("label", { class: "field" }, t("share.link"), el("input", { type: "text", readonly: true, value: link, onfocus: (event) => event.target.select() })) : el("p", { class: "note-line" }, t("share.hidden")),
    el("div", { class: "row" },
      link ? el("button", { type: "button", onclick: safe(() => copy(link)) }, icon("copy"), t("share.copy-link")) : null,
      text ? el("button", { type: "button", onclick: safe(() => copy(text)) }, icon("copy"), t("share.copy-text")) : null,
      el("button", { type: "button", onclick: safe(() => copy(pictureText(board.svg))) }, icon("copy"), t("share.copy-svg")),
      el("button", { type: "button", onclick: safe(async () => download(`${game}.svg`, new Blob([pictureText(board.svg)], { type: "image/svg+xml" }))) }, "SVG"),
      el("button", { type: "button", onclick: safe(async () => {
        const blob = await pictureBlob(board.svg);
        try { await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]); note(t("share.copied")); } catch { download(`${game}.png`, blob); }
      }) }, icon("copy"), t("share.copy-png")),
      el("button", { type: "button", onclick: safe(async () => download(`${game}.png`, await pictureBlob(board.svg))) }, "PNG")),
    text ? el("textarea", { class: "code", rows: "10", readonly: true }, text) : null);
}

// Setting up

/** What a sign in the text of a position stands for, where people have a word for it. */
function symbolName(family, symbol) {
  if ([".", "-", "0"].includes(symbol.trim())) return t("setup.empty");
  const name = t(`symbol.${family}.${symbol.trim()}`);
  return name.startsWith("symbol.") ? symbol : name;
}

async function setUp(root, id) {
  const facts = await gameFacts(id);
  if (!facts) { root.append(el("p", { class: "empty" }, t("studio.missing"))); return undefined; }
  let symbol = facts.symbols[1] ?? "";
  const holder = el("div", { class: "board-holder" });
  const text = el("textarea", { class: "code", rows: "12", spellcheck: "false", "aria-label": t("setup.text"), id: "position-text" });
  const problem = el("p", { class: "error-line", hidden: true, role: "alert" });
  const board = new Board(holder, { showFirst: false, onSpot: (spot) => { if (facts.symbols.length) ask({ spot, symbol }); return true; } });
  let shown = false;
  const ask = attempt(async (change = {}) => {
    const answer = await api.post("play/position", { game: id, options: {}, text: text.value, ...change });
    text.value = answer.text;
    text.rows = Math.max(4, Math.min(16, text.value.split("\n").length + 1));
    problem.hidden = !answer.error;
    problem.textContent = answer.error;
    if (answer.svg) { board.show(answer.svg, { legal: [], animate: shown, label: gameName(id) }); shown = true; }
    begin.disabled = Boolean(answer.error);
  });
  const palette = el("div", { class: "row palette", role: "group", "aria-label": t("setup.palette") }, facts.symbols.map((each) => el("button", { type: "button", "data-symbol": each, "aria-pressed": String(each === symbol), onclick: (event) => {
    symbol = each;
    for (const other of palette.children) other.setAttribute("aria-pressed", String(other === event.target));
  } }, symbolName(facts.family, each))));
  let seats = [...Array(facts.players)].map((_, seat) => (seat === 0 ? { kind: "person" } : { kind: "agent", spec: facts.usual }));
  const begin = el("button", { type: "button", class: "primary", id: "begin", onclick: attempt(async () => {
    const { name } = await api.post("play/new", { game: id, options: {}, seats, text: text.value });
    location.hash = `#/play/${name}`;
  }) }, icon("play"), t("play.start"));
  let timer = 0;
  text.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 350); });
  root.append(el("div", { class: "table-page" }, el("div", { class: "board-side" }, holder),
    el("aside", { class: "side" },
      el("section", { class: "card stack" }, el("h2", {}, t("setup.title", { game: gameName(id) })), facts.symbols.length ? el("p", { class: "muted small" }, t("setup.help")) : el("p", { class: "muted small" }, t("setup.help-text")), palette,
        text, problem, el("div", { class: "row" }, el("button", { type: "button", onclick: () => { text.value = ""; ask(); } }, t("setup.reset")), el("span", { class: "grow" }), begin)),
      el("section", { class: "card stack" }, el("h3", {}, t("play.players")), seats.map((_, number) => seatRow(facts, seats, number, () => ({})))))));
  await ask();
  return undefined;
}
