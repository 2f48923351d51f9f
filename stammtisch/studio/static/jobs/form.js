// Forms made from the tables of settings: the server says what there is, this file only how a kind of value is asked.

import { el, t } from "../studio.js";
import { short } from "./chart.js";
import { help } from "./help.js";

/** The schema without "or nothing", and whether nothing is allowed. */
function plain(field) {
  if (!field.anyOf) return [field, false];
  const some = field.anyOf.find((each) => each.type !== "null") || {};
  return [{ ...field, ...some }, field.anyOf.some((each) => each.type === "null")];
}

function text(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.every((each) => typeof each !== "object") ? value.join(", ") : JSON.stringify(value);
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${name}=${each}`).join(", ");
  return String(value);
}

function split(given) {
  const parts = [""];
  let depth = 0;
  for (const sign of given) {
    depth += "[{".includes(sign) - "]}".includes(sign);
    if (sign === "," && depth <= 0) parts.push(""); else parts[parts.length - 1] += sign;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

function number(given, schema) {
  const value = Number(given.replace(/[_\s’']/g, ""));
  if (given.trim() === "" || Number.isNaN(value)) throw new Error(t("jobs.want-number"));
  if (schema.type === "integer" && !Number.isInteger(value)) throw new Error(t("jobs.want-integer"));
  if (schema.minimum !== undefined && value < schema.minimum) throw new Error(t("jobs.want-least", { least: schema.minimum }));
  if (schema.maximum !== undefined && value > schema.maximum) throw new Error(t("jobs.want-most", { most: schema.maximum }));
  return value;
}

/** What was typed, as the server wants it; throws what is wrong with it. */
function read(given, schema) {
  if (schema.type === "integer" || schema.type === "number") return number(given, schema);
  if (schema.type === "array") {
    if (given.trim().startsWith("[")) return JSON.parse(given);
    // Commas also stand inside agent specs: there a new line, or a semicolon, separates.
    const parts = schema.names === "agent" ? given.split(/[;\n]/).map((part) => part.trim()).filter(Boolean) : split(given);
    return parts.map((part) => read(part, { ...schema.items, names: "" }));
  }
  if (schema.type === "object") {
    if (given.trim().startsWith("{")) return JSON.parse(given);
    return Object.fromEntries(split(given).map((part) => {
      const cut = part.lastIndexOf("=");
      if (cut < 1) throw new Error(t("jobs.want-pairs"));
      const value = part.slice(cut + 1).trim();
      return [part.slice(0, cut).trim(), schema.additionalProperties?.type ? read(value, schema.additionalProperties) : guess(value)];
    }));
  }
  if (schema.type === undefined) return guess(given);
  return given;
}

function guess(value) {
  try { return JSON.parse(value); } catch { return value; }
}

/** What is allowed, in a few signs. */
function bounds(schema) {
  const { minimum: low, maximum: high } = schema.items || schema;
  if (low !== undefined && high !== undefined) return `${short(low)} … ${short(high)}`;
  return low !== undefined ? `≥ ${short(low)}` : high !== undefined ? `≤ ${short(high)}` : "";
}

/** The name of a setting for people: the words of it, the first with a capital. */
function readable(name) {
  const words = name.replace(/_s$/, " (s)").replace(/_/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** One field: a label with its sentence, an input, and room for what is wrong. */
export function makeField(field, { agents = null, label = null } = {}) {
  const [schema, optional] = plain(field);
  const id = `field-${field.name}-${Math.random().toString(36).slice(2, 8)}`;
  const sentence = help(field.description || "");
  const wrong = el("span", { class: "field-wrong", id: `${id}-wrong`, role: "alert" });
  let input;
  if (schema.type === "boolean") {
    input = el("input", { type: "checkbox", id });
    input.checked = Boolean(field.value);
  } else if (schema.enum) {
    input = el("select", { id }, schema.enum.map((each) => el("option", { value: String(each) }, String(each))));
    input.value = String(field.value);
  } else {
    const counts = schema.type === "integer" || schema.type === "number";
    const listed = agents && field.names === "agent" && schema.type === "string";
    input = el("input", { id, type: "text", inputmode: counts ? (schema.type === "integer" ? "numeric" : "decimal") : null,
      autocomplete: "off", spellcheck: "false", placeholder: optional ? t("jobs.none") : null, list: listed ? agents : null });
    input.value = text(field.value);
    if (field.names === "agent" && schema.type === "array") input.value = (field.value || []).join("; ");
  }
  input.setAttribute("aria-describedby", `${id}-help ${id}-wrong`);
  input.name = field.name;
  const back = el("button", { type: "button", class: "field-back", hidden: true, "aria-label": t("jobs.back-to-default", { name: field.name }), title: text(field.value) }, "↺");
  const node = el("div", { class: `form-field${schema.type === "boolean" ? " flag" : ""}`, "data-field": field.name },
    el("label", { for: id, title: field.name }, label || readable(field.name)), back, input,
    el("span", { class: "field-help", id: `${id}-help` }, sentence, bounds(schema) ? el("span", { class: "field-allowed" }, ` · ${bounds(schema)}`) : null), wrong);
  const first = schema.type === "boolean" ? input.checked : input.value;

  function value() {
    if (schema.type === "boolean") return input.checked;
    if (schema.enum) return schema.enum.find((each) => String(each) === input.value);
    if (optional && input.value.trim() === "") return null;
    return read(input.value, schema);
  }

  function complain(message) {
    wrong.textContent = message;
    node.classList.toggle("bad", Boolean(message));
    input.setAttribute("aria-invalid", message ? "true" : "false");
  }

  function check() {
    try { value(); complain(""); } catch (error) { complain(error.message); }
    const changed = (schema.type === "boolean" ? input.checked : input.value) !== first;
    node.classList.toggle("changed", changed);
    back.hidden = !changed;
  }

  input.addEventListener("input", check);
  back.addEventListener("click", () => {
    if (schema.type === "boolean") input.checked = first; else input.value = first;
    check();
    input.focus();
  });
  return {
    node, input, name: field.name, value, complain, check,
    set(given) { if (schema.type === "boolean") input.checked = given; else input.value = text(given); check(); },
    get isChanged() {
      try { return !same(value(), field.value); } catch { return true; }
    },
    get isGood() { check(); return !node.classList.contains("bad"); },
  };
}

/** Several fields; `changed()` are the values that differ from what suits. */
export function makeForm(fields, options = {}) {
  const made = fields.map((field) => makeField(field, options));
  return {
    fields: made,
    named: (name) => made.find((field) => field.name === name),
    get isGood() { return made.map((field) => field.isGood).every(Boolean); },
    changed() {
      return Object.fromEntries(made.filter((field) => field.isChanged).map((field) => [field.name, field.value()]));
    },
    /** Show an error of the server at its field; false if it belongs to none. */
    complain(name, message) {
      const field = made.find((each) => each.name === name);
      if (!field) return false;
      field.complain(message);
      const folded = field.node.closest("details");
      if (folded) folded.open = true;
      field.input.focus();
      field.node.scrollIntoView({ block: "center" });
      return true;
    },
    firstBad() {
      const bad = made.find((field) => !field.isGood);
      if (bad) { const folded = bad.node.closest("details"); if (folded) folded.open = true; bad.input.focus(); }
      return bad;
    },
  };
}
