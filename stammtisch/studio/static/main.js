// The shell: navigation, language, colours, and which page is shown.

import { addWords, api, el, icon, language, note, Refused, remember, setLanguage, socket, t, takeToken } from "./studio.js";
import * as words from "./words.js"; // the server puts words/*.js together

for (const table of Object.values(words)) addWords(table);
takeToken();
setLanguage(language());

const page = document.getElementById("page");
const nav = document.getElementById("nav");
const pages = nav.dataset.pages.split(" ");
let leave = null;
let shown = 0;

function wantedTheme() {
  return remember.get("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function paint() {
  const dark = wantedTheme() === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const theme = document.getElementById("theme");
  theme.replaceChildren(icon(dark ? "sun" : "moon"));
  theme.setAttribute("aria-label", t(dark ? "studio.light" : "studio.dark"));
  theme.title = t(dark ? "studio.light" : "studio.dark");
  const tongue = document.getElementById("language");
  tongue.replaceChildren(language() === "de" ? "EN" : "DE");
  tongue.setAttribute("aria-label", t("studio.language"));
  tongue.title = t("studio.language");
  const sound = document.getElementById("sound");
  const loud = remember.get("sound", false);
  sound.replaceChildren(icon(loud ? "sound" : "mute"));
  sound.setAttribute("aria-label", t(loud ? "studio.sound-off" : "studio.sound-on"));
  sound.title = t(loud ? "studio.sound-off" : "studio.sound-on");
  document.getElementById("skip").textContent = t("studio.skip");
  nav.setAttribute("aria-label", t("studio.pages"));
}

function route() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  return [name || pages[0], rest.join("/")];
}

/** What fits under an icon on a phone. */
function shortName(name) {
  const short = t(`studio.${name}-short`);
  return short.startsWith("studio.") ? t(`studio.${name}`) : short;
}

function showNavigation(current) {
  nav.replaceChildren(
    ...pages.map((name) => el("a", { href: `#/${name}`, "aria-current": name === current ? "page" : null },
      icon(name), el("span", { class: "nav-long" }, t(`studio.${name}`)), el("span", { class: "nav-short", "aria-hidden": "true" }, shortName(name)))),
  );
}

/** Wait for what a page looks like, so that it need not move what it has laid out. */
function styled(name) {
  if (document.getElementById(`style-${name}`)) return null;
  return new Promise((resolve) => {
    document.head.append(el("link", { id: `style-${name}`, rel: "stylesheet", href: new URL(`./pages/${name}.css`, import.meta.url).href, onload: resolve, onerror: resolve }));
  });
}

async function show() {
  const mine = ++shown;
  const [name, path] = route();
  showNavigation(name);
  if (leave) { leave(); leave = null; }
  page.replaceChildren();
  page.dataset.page = name;
  if (!pages.includes(name)) {
    page.append(el("p", { class: "empty" }, t("studio.missing")));
    return;
  }
  const [module] = await Promise.all([import(`./pages/${name}.js`), styled(name)]);
  if (mine !== shown) return;
  document.title = `${t(`studio.${name}`)} · stammtisch`;
  let done;
  document.body.classList.add("busy");
  try {
    done = await module.open(page, path);
  } catch (error) {
    if (error.status === 401) { lock(); return; }
    if (mine === shown) page.replaceChildren(el("section", { class: "locked" }, el("p", { class: "error-line", role: "alert" }, error.message), el("a", { class: "button", href: `#/${name}` }, t(`studio.${name}`))));
    if (!(error instanceof Refused)) throw error;
  } finally {
    if (mine === shown) document.body.classList.remove("busy");
  }
  if (mine !== shown) { done?.(); return; }
  leave = done || null;
}

document.getElementById("theme").addEventListener("click", () => {
  remember.set("theme", wantedTheme() === "dark" ? "light" : "dark");
  paint();
  dispatchEvent(new Event("studio-theme"));
});
document.getElementById("language").addEventListener("click", () => {
  setLanguage(language() === "de" ? "en" : "de");
  paint();
  show();
});
document.getElementById("sound").addEventListener("click", () => {
  remember.set("sound", !remember.get("sound", false));
  paint();
});
document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); page.focus(); });
addEventListener("hashchange", show);

let wasOpen = null;
socket.on("open", (isOpen) => {
  const state = document.getElementById("link-state");
  state.textContent = isOpen ? "" : t("studio.offline");
  state.classList.toggle("shown", !isOpen);
  if (isOpen && wasOpen === false) note(t("studio.back"));
  wasOpen = isOpen;
});

function lock() {
  shown += 1;
  document.body.classList.remove("busy");
  nav.replaceChildren();
  page.replaceChildren(el("section", { class: "locked" }, el("h1", {}, t("studio.locked")), el("p", {}, t("studio.locked-help"))));
}

/** Show the first page at once; whether the token is right and the server there comes out meanwhile. */
async function start() {
  const known = api.get("studio").then(() => true, (error) => error);
  await show();
  const answer = await known;
  if (answer === true) socket.connect();
  else if (answer.status === 401) lock();
  else setTimeout(start, 800);
}

paint();
start();
