// The board that all pages share: a live picture whose spots carry actions; clicks, drags, keys, animations, marks.

import { el, remember, say, t } from "./studio.js";

const SVG = "http://www.w3.org/2000/svg";
const SMALLEST = 11; // pixels of letters that can be read

function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Read a picture of the server; nothing in it may run. */
export function readPicture(text) {
  const found = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  for (const bad of found.querySelectorAll("script, foreignObject, a, use, image")) bad.remove();
  return document.importNode(found, true);
}

function middle(element) {
  const box = element.getBBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export class Board {
  /**
   * @param holder where the picture goes
   * @param options onAction(action), onSpot(name), explain(text) for the line that tells what to do next
   */
  constructor(holder, options = {}) {
    this.holder = holder;
    this.options = options;
    this.legal = [];
    this.chosen = [];
    this.svg = null;
    this.marks = [];
    holder.classList.add("board");
    holder.addEventListener("keydown", (event) => { this.byKey = true; this.#key(event); });
    holder.addEventListener("pointerdown", () => { this.byKey = false; });
    this.dice = el("div", { class: "dice", hidden: true, "aria-hidden": "true" });
    this.caption = el("p", { class: "board-caption", "aria-hidden": "true" });
    holder.append(this.dice, this.caption);
  }

  /** Show a picture; `legal` is a list of {action, text, way}. */
  show(text, { legal = [], animate = true, label = "", fast = false } = {}) {
    const before = this.svg ? this.#pieces(this.svg) : null;
    const focused = document.activeElement?.dataset?.spot;
    const svg = readPicture(text);
    svg.style.setProperty("--ratio", svg.viewBox.baseVal.width / svg.viewBox.baseVal.height);
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", say(label));
    for (const each of svg.querySelectorAll("text")) each.textContent = say(each.textContent);
    this.under = shape("g", { class: "marks-under" });
    this.over = shape("g", { class: "marks" });
    const firstSpot = svg.querySelector(".spot");
    if (firstSpot) firstSpot.before(this.under, this.over); else svg.append(this.under, this.over);
    if (this.svg) this.svg.replaceWith(svg); else this.holder.prepend(svg);
    this.#caption(svg);
    this.svg = svg;
    this.legal = legal;
    this.chosen = [];
    this.marks = [];
    this.spots = new Map([...svg.querySelectorAll(".spot")].map((spot) => [spot.dataset.spot, spot]));
    for (const spot of this.spots.values()) this.#wire(spot);
    this.#paint();
    if (before && animate && remember.get("motion", true)) this.#animate(before, fast);
    if (focused && this.byKey && this.spots.has(focused)) this.spots.get(focused).focus({ preventScroll: true });
  }

  /** What the picture says in sentences, repeated below it where the picture is too small to be read. */
  #caption(svg) {
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width || 0;
    const small = [...svg.querySelectorAll("text")].filter((each) => parseFloat(each.getAttribute("font-size")) * scale < SMALLEST);
    const sentences = small.map((each) => each.textContent.trim()).filter((text) => text.length > 12 && text.includes(" "));
    const shapes = sentences.map((text) => text.replace(/\d+/g, "0")); // what is said of several seats is for their places in the picture
    const lone = sentences.filter((_, place) => shapes.filter((each) => each === shapes[place]).length === 1);
    this.caption.replaceChildren(...lone.slice(0, 2).map((text) => el("span", { class: "block" }, text)));
  }

  get unspotted() { return this.legal.filter((each) => !each.way.length || !each.way.every((name) => this.spots.has(name))); }

  /** Mark moves or spots: [{way, text, kind}]. */
  mark(marks) {
    this.marks = marks;
    this.#paint();
  }

  #wire(spot) {
    const name = spot.dataset.spot;
    spot.addEventListener("click", (event) => {
      if (this.dragged) { this.dragged = false; return; }
      event.preventDefault();
      this.point(name);
    });
    spot.addEventListener("pointerdown", (event) => this.#grab(event, name));
  }

  /** What a person points at, whichever way. */
  point(name) {
    if (this.options.onSpot?.(name)) return;
    const at = this.chosen.length;
    const going = this.#candidates();
    let next = going.filter((each) => each.way[at] === name);
    if (!next.length && at) {
      if (this.chosen.at(-1) === name) { this.clear(); return; }
      this.chosen = [];
      next = this.legal.filter((each) => each.way[0] === name);
    }
    if (!next.length) {
      const ending = this.legal.filter((each) => each.way.length > 1 && each.way.at(-1) === name);
      if (ending.length === 1 && !this.chosen.length) { this.options.onAction?.(ending[0].action); return; }
      this.clear();
      if (this.legal.length) this.options.onWrong?.(name);
      return;
    }
    this.chosen = [...this.chosen, name];
    const done = next.filter((each) => each.way.length === this.chosen.length);
    if (done.length === next.length) {
      if (done.length === 1) { const { action } = done[0]; this.clear(); this.options.onAction?.(action); } else this.#choose(done);
      return;
    }
    this.#paint();
    this.options.onChosen?.(this.chosen, next);
  }

  clear() {
    this.chosen = [];
    this.chooser?.remove();
    this.#paint();
    this.options.onChosen?.([], this.legal);
  }

  #candidates() {
    return this.legal.filter((each) => this.chosen.every((name, i) => each.way[i] === name));
  }

  /** Several actions share their spots: ask which is meant. */
  #choose(actions) {
    this.chooser?.remove();
    this.#paint();
    this.options.onChoice?.(actions);
    this.chooser = el("div", { class: "chooser card", role: "menu", "aria-label": t("board.choose") },
      el("p", { class: "small" }, t("board.choose")),
      actions.map((each) => el("button", { type: "button", role: "menuitem", onclick: () => { this.clear(); this.options.onAction?.(each.action); } }, say(each.text))),
      el("button", { type: "button", class: "quiet", onclick: () => this.clear() }, t("studio.cancel")));
    this.holder.append(this.chooser);
    this.chooser.querySelector("button").focus();
  }

  #grab(event, name) {
    if (event.button !== 0 || !this.legal.some((each) => each.way.length > 1 && each.way[0] === name)) return;
    const start = { x: event.clientX, y: event.clientY };
    const piece = this.svg.querySelector(`.piece[data-place="${CSS.escape(name)}"]`);
    const scale = this.svg.viewBox.baseVal.width / this.svg.getBoundingClientRect().width;
    let moved = false;
    const move = (now) => {
      const dx = now.clientX - start.x, dy = now.clientY - start.y;
      if (!moved && Math.hypot(dx, dy) < 6) return;
      if (!moved) {
        moved = true;
        this.chosen = [];
        this.point(name);
        piece?.parentNode.insertBefore(piece, this.under);
        piece?.classList.add("dragged");
      }
      piece?.setAttribute("transform", `translate(${dx * scale} ${dy * scale})`);
    };
    const drop = (now) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
      removeEventListener("pointercancel", drop);
      if (!moved) return;
      this.dragged = true;
      setTimeout(() => { this.dragged = false; }, 50);
      piece?.removeAttribute("transform");
      piece?.classList.remove("dragged");
      const target = document.elementsFromPoint(now.clientX, now.clientY).find((each) => each.dataset?.spot && this.svg.contains(each));
      if (target && target.dataset.spot !== name) this.point(target.dataset.spot); else this.clear();
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
    addEventListener("pointercancel", drop);
  }

  #key(event) {
    const name = event.target.dataset?.spot;
    if (event.key === "Escape" && (this.chosen.length || this.chooser)) { this.clear(); event.stopPropagation(); return; }
    if (!name) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (step) {
      const from = middle(event.target);
      let best = null, least = Infinity;
      for (const spot of this.spots.values()) {
        if (spot === event.target) continue;
        const at = middle(spot);
        const along = (at.x - from.x) * step[0] + (at.y - from.y) * step[1];
        const aside = Math.abs((at.x - from.x) * step[1]) + Math.abs((at.y - from.y) * step[0]);
        const cost = along + 2.5 * aside;
        if (along > 1 && cost < least) { best = spot; least = cost; }
      }
      if (best) { best.focus(); event.preventDefault(); event.stopPropagation(); }
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      this.point(name);
    }
  }

  /** Draw what can be done and what is marked. */
  #paint() {
    this.under.replaceChildren();
    this.over.replaceChildren();
    const going = this.#candidates();
    const at = this.chosen.length;
    const open = new Map();
    for (const each of going) {
      const name = each.way[at];
      if (name !== undefined) open.set(name, [...(open.get(name) || []), each]);
    }
    let first = true;
    for (const [name, spot] of this.spots) {
      const actions = open.get(name);
      spot.classList.toggle("legal", Boolean(actions));
      spot.classList.toggle("chosen", this.chosen.includes(name));
      spot.setAttribute("role", "button");
      spot.setAttribute("tabindex", actions && first ? "0" : "-1");
      if (actions) first = false;
      const label = actions ? (actions.length === 1 ? say(actions[0].text) : `${name}, ${t("board.moves", { n: actions.length })}`) : name;
      spot.setAttribute("aria-label", label);
      spot.setAttribute("aria-disabled", actions ? "false" : "true");
      if (actions && (at || this.options.showFirst !== false)) this.#dot(spot, at > 0);
    }
    for (const name of this.chosen) if (this.spots.has(name)) this.#frame(this.spots.get(name), "chosen-frame");
    for (const mark of this.marks) this.#mark(mark);
  }

  #dot(spot, isTarget) {
    const { x, y } = middle(spot);
    const box = spot.getBBox();
    const size = Math.min(box.width, box.height);
    const isCard = box.height > 1.3 * box.width && box.height < 140;
    const isTaken = Boolean(this.svg.querySelector(`.piece[data-place="${CSS.escape(spot.dataset.spot)}"]`));
    if (isCard) this.over.append(shape("rect", { class: "can-card", x: box.x + 1, y: box.y + 1, width: box.width - 2, height: box.height - 2, rx: size * 0.1 }));
    else if (isTaken) this.over.append(shape("circle", { class: "can-ring", cx: x, cy: y, r: size * 0.44, "stroke-width": size * 0.06 }));
    else this.over.append(shape("circle", { class: "can-dot", cx: x, cy: box.height > 2 * box.width ? box.y + box.width / 2 : y, r: size * (isTarget ? 0.17 : 0.12) }));
  }

  #frame(spot, name) {
    const box = spot.getBBox();
    this.over.append(shape("rect", { class: name, x: box.x + 1.5, y: box.y + 1.5, width: box.width - 3, height: box.height - 3, rx: Math.min(box.width, box.height) * 0.1 }));
  }

  #mark({ way = [], text = "", kind = "hint", share = 0 }) {
    const spots = way.map((name) => this.spots.get(name)).filter(Boolean);
    if (!spots.length) return;
    const points = spots.map(middle);
    const last = spots.at(-1).getBBox();
    const size = Math.min(last.width, last.height);
    if (kind === "value") {
      const { x, y } = points.at(-1);
      const box = shape("g", { class: `value-mark ${share > 0.999 ? "best" : ""}`, "data-spot": way.at(-1) });
      const letters = size * (last.height > 1.3 * last.width ? 0.3 : 0.25), wide = Math.max(size * 0.5, letters * (0.62 * text.length + 0.7)), high = letters * 1.7;
      box.append(shape("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: high / 2, "fill-opacity": 0.62 + 0.35 * share, "stroke-width": size * (share > 0.999 ? 0.045 : 0.015) }));
      const label = shape("text", { x, y, "font-size": letters, "text-anchor": "middle", "dominant-baseline": "central" });
      label.textContent = text;
      box.append(label);
      this.over.append(box);
      return;
    }
    if (points.length > 1) {
      this.over.append(shape("polyline", { class: `arrow ${kind}`, points: points.map(({ x, y }) => `${x},${y}`).join(" "), "stroke-width": size * 0.1 }));
      const [a, b] = points.slice(-2);
      const turn = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
      const tip = size * 0.2;
      this.over.append(shape("polygon", { class: `arrow-tip ${kind}`, points: `0,0 ${-tip * 1.5},${tip * 0.8} ${-tip * 1.5},${-tip * 0.8}`, transform: `translate(${b.x} ${b.y}) rotate(${turn})` }));
    } else if (last.height > 1.3 * last.width) this.#frame(spots[0], `ring ${kind}`);
    else this.over.append(shape("circle", { class: `ring ${kind}`, cx: points[0].x, cy: points[0].y, r: size * 0.42, "stroke-width": size * 0.09 }));
  }

  #pieces(svg) {
    return [...svg.querySelectorAll(".piece")].map((piece) => ({ kind: piece.dataset.kind, place: piece.dataset.place, at: middle(piece), piece }));
  }

  /** Let pieces that have gone somewhere glide there, new ones appear and others turn over. */
  #animate(before, fast) {
    const after = this.#pieces(this.svg);
    const was = new Map(before.map((each) => [`${each.kind}|${each.place}`, each]));
    const is = new Set(after.map((each) => `${each.kind}|${each.place}`));
    const gone = before.filter((each) => !is.has(`${each.kind}|${each.place}`));
    const come = after.filter((each) => !was.has(`${each.kind}|${each.place}`));
    if (come.length > 60) return;
    const oldPlaces = new Map(before.map((each) => [each.place, each]));
    const time = fast ? 110 : 240;
    for (const each of come) {
      if (each.kind.startsWith("die")) { this.#spin(each.piece); continue; }
      const source = gone.findIndex((other) => other.kind === each.kind);
      const back = source < 0 ? gone.findIndex((other) => other.kind.startsWith("back") && each.place === "table") : -1;
      const found = source >= 0 ? source : back;
      if (found >= 0) {
        const [from] = gone.splice(found, 1);
        const dx = from.at.x - each.at.x, dy = from.at.y - each.at.y;
        each.piece.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: time + 60, easing: "cubic-bezier(.25,.8,.35,1)" });
      } else if (oldPlaces.has(each.place) && !each.place.startsWith("hand")) {
        each.piece.style.transformOrigin = `${each.at.x}px ${each.at.y}px`;
        each.piece.animate([{ transform: "scaleX(0.05)" }, { transform: "none" }], { duration: time, easing: "ease-out" });
      } else {
        each.piece.style.transformOrigin = `${each.at.x}px ${each.at.y}px`;
        each.piece.animate([{ transform: "scale(0.4)", opacity: 0 }, { transform: "scale(1.06)", opacity: 1, offset: 0.7 }, { transform: "none", opacity: 1 }], { duration: time, easing: "ease-out" });
      }
    }
  }

  #spin(piece) {
    const { x, y } = middle(piece);
    piece.style.transformOrigin = `${x}px ${y}px`;
    piece.animate([{ transform: "rotate(-220deg) scale(.5)" }, { transform: "none" }], { duration: 420, easing: "cubic-bezier(.2,1.2,.4,1)" });
  }

  /** Throw a die over the board, so that nobody misses the number. */
  throwDie(value, sides) {
    if (!remember.get("motion", true)) return;
    const faces = [...Array(6)].map(() => 1 + Math.floor(Math.random() * sides));
    const face = el("div", { class: "die-face" });
    this.dice.replaceChildren(face);
    this.dice.hidden = false;
    const draw = (number) => face.replaceChildren(...pips(number));
    draw(faces[0]);
    face.animate([{ transform: "translate(-140px,-60px) rotate(-540deg) scale(.6)", opacity: 0.2 }, { transform: "translate(10px,0) rotate(20deg)", opacity: 1, offset: 0.8 }, { transform: "none", opacity: 1 }],
      { duration: 460, easing: "cubic-bezier(.2,.8,.3,1)" });
    faces.slice(1).forEach((number, i) => setTimeout(() => draw(number), 70 * (i + 1)));
    setTimeout(() => draw(value), 400);
    clearTimeout(this.diceTimer);
    this.diceTimer = setTimeout(() => { this.dice.hidden = true; }, 950);
  }
}

const PIPS = { 1: [5], 2: [1, 9], 3: [1, 5, 9], 4: [1, 3, 7, 9], 5: [1, 3, 5, 7, 9], 6: [1, 3, 4, 6, 7, 9] };

function pips(number) {
  if (!PIPS[number]) return [el("span", { class: "die-number" }, String(number))];
  return PIPS[number].map((cell) => el("i", { class: `pip p${cell}` }));
}

let audio = null;
/** A short sound, if sounds are on. */
export function sound(kind) {
  if (!remember.get("sound", false)) return;
  try {
    audio ??= new AudioContext();
    const [pitch, length, type] = { move: [320, 0.09, "triangle"], dice: [520, 0.05, "square"], end: [520, 0.35, "sine"], error: [140, 0.12, "sawtooth"] }[kind] || [320, 0.08, "triangle"];
    const tone = audio.createOscillator(), volume = audio.createGain();
    tone.type = type;
    tone.frequency.setValueAtTime(pitch, audio.currentTime);
    tone.frequency.exponentialRampToValueAtTime(pitch * 0.6, audio.currentTime + length);
    volume.gain.setValueAtTime(0.09, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.0005, audio.currentTime + length);
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + length);
  } catch { /* no sound here */ }
}

/** The picture as it is shown, without the invisible parts, as text. */
export function pictureText(svg) {
  const copy = svg.cloneNode(true);
  for (const each of copy.querySelectorAll(".spot, .marks, .marks-under")) each.remove();
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

/** The picture as PNG, twice as large as it is drawn. */
export function pictureBlob(svg) {
  const { width, height } = svg.viewBox.baseVal;
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      const canvas = el("canvas", { width: width * 2, height: height * 2 });
      canvas.getContext("2d").drawImage(image, 0, 0, width * 2, height * 2);
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("PNG"))), "image/png");
    };
    image.onerror = () => reject(new Error("SVG"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureText(svg))}`;
  });
}
