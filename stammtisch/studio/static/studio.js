// What all pages of the studio share: elements, texts, the client of the API, the socket, notes and settings.

export { add as addWords, language, languages, setLanguage, t, say } from "./texts.js";
import { t } from "./texts.js";

const TOKEN_KEY = "studio-token";

/** Make an element: el("button", {class: "x", onclick: f}, "text", child, …). */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** Remember small things in this browser. */
export const remember = {
  get(name, otherwise) {
    try {
      const kept = localStorage.getItem(`studio:${name}`);
      return kept === null ? otherwise : JSON.parse(kept);
    } catch { return otherwise; }
  },
  set(name, value) {
    try { localStorage.setItem(`studio:${name}`, JSON.stringify(value)); } catch { /* private window */ }
  },
};

/** The token comes with the start link, is kept for this server only and disappears from the address. */
let token = "";
export function takeToken() {
  const address = new URL(location.href);
  const given = address.searchParams.get("token");
  if (given) {
    try { localStorage.setItem(TOKEN_KEY, given); } catch { /* private window */ }
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  try { token = given || localStorage.getItem(TOKEN_KEY) || ""; } catch { token = given || ""; }
}

export class Refused extends Error {
  constructor(message, status) { super(message); this.status = status; }
}

async function ask(method, path, body) {
  const headers = { "x-studio-token": token };
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Refused(t("studio.offline"), 0);
  }
  const kind = answer.headers.get("content-type") || "";
  const data = kind.includes("json") ? await answer.json() : await answer.text();
  if (!answer.ok) throw Object.assign(new Refused(data.error || `${answer.status}`, answer.status), { field: data.field });
  return data;
}

/** Requests to the server; what goes wrong is a Refused with its one line. */
export const api = {
  get: (path) => ask("GET", path),
  post: (path, body = {}) => ask("POST", path, body),
  put: (path, body = {}) => ask("PUT", path, body),
  remove: (path) => ask("DELETE", path),
};

/** The one WebSocket of this tab; it comes back by itself, and pages are told so that they can ask again. */
class Socket {
  #socket = null;
  #listeners = new Map();
  #waiting = [];
  #wait = 250;
  #asked = new Map();
  #count = 0;

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/ws`, ["stammtisch", `token.${token}`]);
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = 250;
      this.#tell("open", true);
      for (const text of this.#waiting.splice(0)) socket.send(text);
    };
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.ask !== undefined && this.#asked.has(message.ask)) {
        const { resolve, reject } = this.#asked.get(message.ask);
        this.#asked.delete(message.ask);
        if (message.what === "error") reject(new Refused(message.error, 400)); else resolve(message);
        return;
      }
      this.#tell(message.page, message);
    };
    socket.onclose = () => {
      this.#tell("open", false);
      for (const { reject } of this.#asked.values()) reject(new Refused(t("studio.offline"), 0));
      this.#asked.clear();
      setTimeout(() => this.connect(), this.#wait);
      this.#wait = Math.min(5000, this.#wait * 1.7);
    };
  }

  get isOpen() { return this.#socket?.readyState === WebSocket.OPEN; }

  /** Send {page, …}; while the server is away, up to fifty messages wait. */
  send(page, message) {
    const text = JSON.stringify({ page, ...message });
    if (this.isOpen) this.#socket.send(text);
    else if (this.#waiting.length < 50) this.#waiting.push(text);
  }

  /** Send a message and wait for the answer to it; the server repeats `ask`. */
  ask(page, message) {
    return new Promise((resolve, reject) => {
      if (!this.isOpen) { reject(new Refused(t("studio.offline"), 0)); return; }
      const number = ++this.#count;
      this.#asked.set(number, { resolve, reject });
      this.#socket.send(JSON.stringify({ page, ask: number, ...message }));
    });
  }

  /** Listen to the messages of a page, or with "open" to the state of the connection; returns how to stop. */
  on(page, listener) {
    if (!this.#listeners.has(page)) this.#listeners.set(page, new Set());
    this.#listeners.get(page).add(listener);
    return () => this.#listeners.get(page).delete(listener);
  }

  #tell(page, message) {
    for (const listener of [...(this.#listeners.get(page) || [])]) listener(message);
  }
}

export const socket = new Socket();

/** Show a line for a few seconds; kind "error" stays longer. */
export function note(text, kind = "") {
  const box = document.getElementById("notes");
  const line = el("div", { class: `note ${kind}` }, text);
  line.append(el("button", { class: "note-close", type: "button", "aria-label": t("studio.close"), onclick: () => line.remove() }, "×"));
  while (box.children.length > 2) box.firstChild.remove();
  box.append(line);
  setTimeout(() => line.remove(), kind === "error" ? 9000 : 4000);
}

/** Run something a person asked for; what goes wrong becomes a note. */
export function attempt(work) {
  return async (...given) => {
    try { return await work(...given); } catch (error) {
      if (!(error instanceof Refused)) console.error(error);
      note(error.message, "error");
      return undefined;
    }
  };
}

/** A dialog of the browser with a title; resolves with what the closing button stands for. */
export function dialog(title, content, buttons = []) {
  return new Promise((resolve) => {
    const close = (value) => { box.close(); box.remove(); resolve(value); };
    const row = el("div", { class: "row end" }, buttons.map(([label, value, style = ""]) =>
      el("button", { type: "button", class: style, onclick: () => close(typeof value === "function" ? value() : value) }, label)));
    const box = el("dialog", { class: "dialog", "aria-label": title, oncancel: () => close(undefined) },
      el("header", {}, el("h2", {}, title), el("button", { type: "button", class: "icon-button", "aria-label": t("studio.close"), onclick: () => close(undefined) }, "×")),
      content, row);
    document.body.append(box);
    box.showModal();
  });
}

/** Hand a file to the person. */
export function download(name, blob) {
  const link = el("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const ICONS = {
  play: "M8 5v14l11-7z",
  watch: "M12 5C6 5 2 12 2 12s4 7 10 7 10-7 10-7-4-7-10-7zm0 11a4 4 0 110-8 4 4 0 010 8zm0-2.2a1.8 1.8 0 100-3.6 1.8 1.8 0 000 3.6z",
  analyse: "M4 20V10h3v10zm6 0V4h3v16zm6 0v-7h3v7z",
  train: "M12 3l9 5-9 5-9-5zm-6 8.5V16c0 1.5 3 3 6 3s6-1.5 6-3v-4.5l-6 3.3z",
  models: "M12 2l9 5v10l-9 5-9-5V7zm0 2.3L6.2 7.5 12 10.7l5.8-3.2zM5 9.2v6.6l6 3.3v-6.6zm14 0l-6 3.3v6.6l6-3.3z",
  validate: "M9.5 16.6l-4.1-4.1L4 13.9l5.5 5.5L20 8.9l-1.4-1.4z",
  benchmarks: "M6 3h12v2h3v4a4 4 0 01-4 4 5 5 0 01-4 3v3h4v2H7v-2h4v-3a5 5 0 01-4-3 4 4 0 01-4-4V5h3zm0 4H5v2a2 2 0 001 1.7zm12 0v3.7A2 2 0 0019 9V7z",
  sun: "M12 7a5 5 0 100 10 5 5 0 000-10zM11 1h2v4h-2zm0 18h2v4h-2zM1 11h4v2H1zm18 0h4v2h-4zM4.2 5.6l1.4-1.4 2.8 2.8L7 8.4zm11.4 11.4l1.4-1.4 2.8 2.8-1.4 1.4zM4.2 18.4L7 15.6 8.4 17l-2.8 2.8zM15.6 7l2.8-2.8 1.4 1.4L17 8.4z",
  moon: "M20 14.5A8.5 8.5 0 019.5 4 8.5 8.5 0 1020 14.5z",
  sound: "M4 9v6h4l5 4V5L8 9zm12.5 3a4 4 0 00-2-3.5v7a4 4 0 002-3.5z",
  mute: "M4 9v6h4l5 4V5L8 9zm11.3 5.8l2-2 2 2 1-1-2-2 2-2-1-1-2 2-2-2-1 1 2 2-2 2z",
  first: "M6 5h2v14H6zm12 0v14l-9-7z",
  back: "M15.5 5v14l-9-7z",
  next: "M8.5 5v14l9-7z",
  last: "M16 5h2v14h-2zM6 5v14l9-7z",
  pause: "M7 5h4v14H7zm6 0h4v14h-4z",
  step: "M6 5v14l9-7zm10 0h2v14h-2z",
  undo: "M12 6V2L6 7l6 5V8a5 5 0 11-5 5H5a7 7 0 107-7z",
  hint: "M12 2a7 7 0 00-4 12.7V17h8v-2.3A7 7 0 0012 2zM9 19h6v1.5a1.5 1.5 0 01-1.5 1.5h-3A1.5 1.5 0 019 20.5z",
  flag: "M5 3h2v1h11l-2.5 4L18 12H7v9H5z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  swap: "M7 7h11l-3-3 1.4-1.4L22 8l-5.6 5.4L15 12l3-3H7zm10 10H6l3 3-1.4 1.4L2 16l5.6-5.4L9 12l-3 3h11z",
  share: "M18 8a3 3 0 10-2.8-4L9 7.6a3 3 0 100 4.8l6.2 3.6a3 3 0 10.9-1.8L10 10.7a3 3 0 000-1.4l6.1-3.5A3 3 0 0018 8z",
  copy: "M8 3h11v13h-2V5H8zM5 7h10v14H5z",
  edit: "M4 16.5V20h3.5L18 9.5 14.5 6zM20 7l-2-2-1.5 1.5L20 10z",
  flip: "M12 3v3a6 6 0 016 6h3a9 9 0 00-9-9zm0 18v-3a6 6 0 01-6-6H3a9 9 0 009 9z",
  trash: "M6 7h12l-1 14H7zm3-4h6l1 2h4v1.5H4V5h4z",
  dice: "M5 3h14a2 2 0 012 2v14a2 2 0 01-2 2H5a2 2 0 01-2-2V5a2 2 0 012-2zm2.5 3a1.5 1.5 0 100 3 1.5 1.5 0 000-3zm9 9a1.5 1.5 0 100 3 1.5 1.5 0 000-3zM12 10.500a1.5 1.5 0 100 3 1.5 1.5 0 000-3z",
  other: "M4 6h16v2H4zm0 5h16v2H4zm0 5h16v2H4z",
};

/** A small picture of the set above. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name] || ICONS.other);
  svg.append(path);
  return svg;
}
