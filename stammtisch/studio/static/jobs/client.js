// The jobs of the server in this tab: the list, kept up to date, what can be done with one, and how it is shown.

import { gameName } from "../games.js";
import { addWords, api, attempt, el, icon, language, note, socket, t } from "../studio.js";
import { short } from "./chart.js";
import words from "./words.js";

addWords(words);

export const LIVE = ["waiting", "starting", "running", "paused", "stopping"];

// While a button is held down nothing below it is drawn anew: the click would miss what it was meant for.
let held = false;
let postponed = null;
addEventListener("pointerdown", () => { held = true; }, true);
for (const end of ["pointerup", "pointercancel", "blur"]) {
  addEventListener(end, () => setTimeout(() => { held = false; const work = postponed; postponed = null; work?.(); }, 30), true);
}

/** Keeps the list of jobs of some kind, and calls back with it whenever it changes. */
export async function followJobs(kind, changed, progress = () => {}) {
  let jobs = new Map();
  let watched = [];
  const mine = () => [...jobs.values()].filter((job) => job.kind === kind).sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  let closed = false;
  const tell = () => { if (closed) return; if (held) postponed = tell; else changed(mine()); };
  async function fetchAll() {
    const found = await api.get("jobs");
    jobs = new Map(found.jobs.map((job) => [job.id, job]));
    tell();
  }
  const follow = () => socket.send("jobs", { what: "follow", jobs: watched });
  const stops = [
    socket.on("jobs", (message) => {
      if (message.what === "jobs") {
        for (const job of message.jobs) jobs.set(job.id, job);
        for (const id of message.gone) jobs.delete(id);
        if (message.gone.length || message.jobs.some((job) => job.kind === kind)) tell();
      } else if (message.what === "progress") progress(message);
    }),
    socket.on("open", (isOpen) => { if (isOpen) { follow(); fetchAll().catch(() => {}); } }),
  ];
  follow();
  await fetchAll();
  return {
    all: mine,
    get: (id) => jobs.get(id),
    put(job) { jobs.set(job.id, job); changed(mine()); },
    drop(id) { jobs.delete(id); changed(mine()); },
    watch(ids) { watched = ids.slice(0, 8); follow(); },
    refresh: fetchAll,
    close() { closed = true; for (const stop of stops) stop(); },
  };
}

const VERBS = {
  pause: ["running"],
  resume: ["paused", "stopped", "failed", "interrupted"],
  stop: ["waiting", "running", "paused", "stopping"],
  delete: ["waiting", "done", "stopped", "failed", "interrupted"],
};
const VERB_ICONS = { pause: "pause", resume: "play", stop: "stop", delete: "trash" };

/** Buttons for what can be done with a job now. */
export function verbs(job, list, after = () => {}) {
  return Object.entries(VERBS).filter(([, states]) => states.includes(job.state)).map(([verb]) => {
    const key = verb === "stop" && job.state === "stopping" ? "kill" : verb;
    return el("button", { type: "button", class: `small-button ${verb === "delete" ? "quiet" : ""}`, "data-verb": verb,
      onclick: attempt(async (event) => {
        event.stopPropagation();
        if (verb === "delete") {
          const { mark } = await api.remove(`jobs/${job.id}`);
          list.drop(job.id);
          undoNote(t("jobs.deleted", { name: job.title }), async () => list.put(await api.post("jobs/restore", { mark })));
          after(null);
        } else {
          const now = await api.post(`jobs/${job.id}/${verb}`);
          list.put(now);
          after(now);
        }
      }) }, verb === "stop" ? el("span", { class: "stop-sign", "aria-hidden": "true" }) : icon(VERB_ICONS[verb]), t(`jobs.${key}`));
  });
}

/** A line with a way back. */
export function undoNote(text, undo) {
  note(text);
  const line = document.getElementById("notes").lastElementChild;
  line.insertBefore(el("button", { type: "button", class: "note-undo", onclick: attempt(async () => { line.remove(); await undo(); }) }, t("jobs.undo")), line.lastElementChild);
}

export function stateChip(job) {
  return el("span", { class: `chip state-${job.state}` }, t(`jobs.state-${job.state}`));
}

export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  if (whole < 172800) return `${Math.floor(whole / 3600)} h ${String(Math.floor(whole % 3600 / 60)).padStart(2, "0")} min`;
  return t("jobs.days", { days: Math.round(whole / 86400) });
}

/** What work is counted in, in the language of the page; a learner may count something that nobody has translated. */
export function unitName(unit) {
  const name = t(`jobs.unit-${unit}`);
  return name.startsWith("jobs.unit-") ? unit : name;
}

/** The bar of a job and the words beside it. */
export function progressOf(job) {
  const share = job.total ? Math.min(1, job.done / job.total) : 0;
  const bar = el("div", { class: `job-bar state-${job.state}`, role: "progressbar", "aria-valuenow": String(Math.round(share * 100)), "aria-valuemin": "0", "aria-valuemax": "100", "aria-label": job.title });
  const fill = el("div", {});
  fill.style.width = `${share * 100}%`;
  bar.append(fill);
  const words = [`${short(job.done)} / ${short(job.total)} ${unitName(job.unit)}`];
  if (job.left !== null && job.state === "running") words.push(t("jobs.left", { time: duration(job.left) }));
  else if (job.state === "running" && !job.done) words.push(t("jobs.preparing"));
  else if (job.seconds) words.push(duration(job.seconds));
  return el("div", { class: "job-progress" }, bar, el("span", { class: "muted small" }, words.join(" · ")));
}

export function when(seconds) {
  const then = new Date(seconds * 1000), tongue = language() === "de" ? "de" : "en-GB";
  const day = then.toDateString() === new Date().toDateString() ? "" : `${then.toLocaleDateString(tongue, { day: "numeric", month: "short" })}, `;
  return day + then.toLocaleTimeString(tongue, { hour: "2-digit", minute: "2-digit" });
}

/** The picker of games, with the last one chosen. */
export function gameSelect(games, chosen, onchange) {
  const select = el("select", { id: "job-game", "aria-label": t("jobs.game"), onchange: () => onchange(select.value) },
    games.map((game) => el("option", { value: game }, gameName(game))));
  select.value = games.includes(chosen) ? chosen : games[0];
  return select;
}

/** Agents that can be typed, as a list that inputs refer to by the id that is returned. */
export function agentList(root, agents, models, game) {
  const id = "job-agents";
  root.querySelector(`#${id}`)?.remove();
  const named = models.filter((model) => model.game === game && model.playable).map((model) => el("option", { value: model.agent }, `${model.learner}`));
  root.append(el("datalist", { id }, named, agents.filter((agent) => !agent.learned).map((agent) => el("option", { value: agent.name }, agent.help))));
  return id;
}
