// Texts in English and German. Each page brings its own in words/<page>.js: export default { en: {…}, de: {…} };
// the server puts them together as words.js.

export const languages = ["en", "de"];
const tables = { en: {}, de: {} };
const phrases = { en: [], de: [] };

function preferred() {
  try {
    const kept = JSON.parse(localStorage.getItem("studio:language"));
    if (languages.includes(kept)) return kept;
  } catch { /* none kept */ }
  return (navigator.language || "en").toLowerCase().startsWith("de") ? "de" : "en";
}

let current = preferred();

export function language() { return current; }

export function setLanguage(name) {
  current = name;
  document.documentElement.lang = name;
  try { localStorage.setItem("studio:language", JSON.stringify(name)); } catch { /* private window */ }
}

/** Add the texts of a page; `phrases` are pairs of a pattern and its translation for what the server says. */
export function add(words) {
  for (const name of languages) {
    Object.assign(tables[name], words[name] || {});
    phrases[name].push(...(words.phrases?.[name] || []));
  }
}

/** The text of a key in the language of the page; {name} is filled in. */
export function t(key, values = {}) {
  const text = tables[current][key] ?? tables.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
}

/** What the server or a picture says in English, in the language of the page where a phrase for it is known. */
export function say(text) {
  let said = text;
  for (const [pattern, translation] of phrases[current]) said = said.replace(pattern, translation);
  return said;
}
