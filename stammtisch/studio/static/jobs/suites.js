// Titles and descriptions of suites in German, by their names; a suite without them here is shown in English.

import { language } from "../studio.js";

const GERMAN = {
  "quick": ["Kurzer Benchmark", "Ein Spiel aus jeder Familie: die Referenzbots und kleine Suchen, in etwa drei Minuten auf zwei Kernen."],
  "full": ["Voller Benchmark", "Jedes Spiel mit seinen Referenzspielern und den Suchen; dauert Stunden."],
  "players": ["Alle Spieler, die kein Training brauchen", "Jeder Spieler mit seinen Voreinstellungen gegen den Referenzbot eines Spiels, und die Referenzbots gegen Zufall. Im Jass ist der mittlere Ertrag die Punktedifferenz einer Partie / 100."],
  "deep-q": ["Mühle: Deep-Q-Learning", "Der Bericht prüfte seine Modelle gegen einen zufälligen Spieler: nach 2000 Trainingspartien 87 % gewonnen, 6 % remis, 6 % verloren, nach 10 000 73, 25 und 2 %. Unseres mit gleich vielen Partien und mit der Voreinstellung, je drei Seeds."],
  "einstein-thesis": ["EinStein würfelt nicht!: die Arbeit über Monte Carlo, MCTS-Expectimax und TD-n-Tupel-Agenten", "Tabellen 1 bis 16 und Abbildungen 12 bis 29, nach den Regeln von GBG, mit denen die Arbeit spielte, wo es darauf ankommt auch nach unseren. Zu vier spielt der Partner wie der Gegner."],
  "jass-thesis": ["Jass: die Netze und Turniere der JassBot-Arbeit", "Netze, die aus künstlichen Partien, durch Verstärkung und durch beides lernten, jedes Paar bis 2500 Punkte, und das beste gegen unseren Referenzbot. Der JavaBot der Arbeit ist nicht zu haben, daher steht keine gedruckte Zahl daneben."],
  "ntuple": ["Was n-Tupel-Netze in Minuten lernen", "Netze der mitgelieferten Trainingsbefehle, fünf Seeds je Spiel, gegen Zufall, die Referenzbots und Baumsuche. Zu vier spielt der Partner wie der Gegner. Gedruckte Zahlen: die Arbeit über EinStein."],
  "regret": ["Was die mitgelieferten Spieler verschenken", "Was die mitgelieferten Spieler, auch die eingefrorenen, gegen perfektes Spiel verlieren, wo Spiele und Endspiele gelöst sind."],
  "replay": ["Hilft Erfahrungswiederholung n-Tupel-Netzen?", "Die offene Frage der Arbeit über EinStein, die auf Reversi einen Puffer von 5000 versuchte und keinen Gewinn sah: Lernkurven von fünf Seeds mit gleich vielen Partien, ohne, mit gleichmäßiger und mit gewichteter Wiederholung, und mit eingefrorenen Zielen."],
  "reversi-alphazero": ["Reversi: der AlphaZero-Bericht", "Der Bericht nannte keine Spielstärke und gab wegen der Trainingszeit auf. Sein Verfahren auf dem 6x6-Brett: Suche ohne und mit Netz, Gumbel-16 gegen PUCT-64 gegen die 800 Simulationen des Berichts, einfache gegen residuale Netze, mit und ohne Tor und Symmetrien; dann die Spieler, die er nennt, auf 8x8."],
  "rote-learning": ["Mühle: die Arbeit über Auswendiglernen", "Ihr Training (gegen sich selbst mit einer Tabelle, 18 Halbzüge) und ihr Test (eine trainierte Tabelle gegen eine leere: 10 gewonnen, 5 remis, 5 verloren), neben unserem mit vielen Partien; was eine zu kleine Tabelle vergisst und nach welcher Regel."],
  "sb3": ["Was Stable-Baselines3 in Minuten lernt", "MaskablePPO der mitgelieferten Trainingsbefehle, drei Seeds je Spiel, gegen Zufall und den Referenzbot. Im Jass ist der mittlere Ertrag die Punktedifferenz einer Partie / 100, Match eingerechnet."],
};

/** Title and description of a suite in the language of the page. */
export function suiteTexts({ name, title, about }) {
  return language() === "de" ? GERMAN[name] ?? [title, about] : [title, about];
}
