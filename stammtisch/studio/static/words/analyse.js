export default {
  en: {
    "analyse.title": "Analyse", "analyse.start": "From the start of …", "analyse.games": "Games of the studio", "analyse.time": "Time", "analyse.seconds": "{n} s", "analyse.play": "Play from here",
    "analyse.exact-wait": "Asking for exact values …", "analyse.exact": "Exact: {value} with perfect play; the numbers on the board are exact.", "analyse.no-exact": "No exact values here.", "analyse.at-chance": "The dice decide next.",
    "analyse.agree": "Both choose {move} ({one} and {other}).", "analyse.differ": "They differ: the first {first} ({one}; {second} {oneOther}), the second {second} ({other}; {first} {otherOne}).", "analyse.compare": "Compare with another agent", "analyse.thinking": "Thinking …", "analyse.move": "Move", "analyse.value": "Value", "analyse.visits": "Visits", "analyse.line": "Main line",
    "analyse.curve": "Value over the game, for the first side", "analyse.judge": "Judge the game", "analyse.judged": "{n} moves judged, {bad} blunders", "analyse.blunder": "better {best}",
    "level.mcts": "Tree search (mcts)", "level.mctse": "Tree search (mctse)", "level.alphabeta": "Alpha-beta", "level.ismcts": "Tree search (ismcts)", "level.pimc": "Many deals (pimc)",
    "effort.depth": "depth", "effort.simulations": "simulations", "effort.nodes": "positions", "effort.carried": "kept", "effort.seconds": "seconds", "effort.total": "in all", "effort.worlds": "deals",
  },
  de: {
    "analyse.title": "Analyse", "analyse.start": "Vom Anfang von …", "analyse.games": "Spiele des Studios", "analyse.time": "Zeit", "analyse.seconds": "{n} s", "analyse.play": "Ab hier spielen",
    "analyse.exact-wait": "Frage nach genauen Werten …", "analyse.exact": "Genau: {value} bei bestem Spiel; die Zahlen auf dem Brett sind genau.", "analyse.no-exact": "Hier gibt es keine genauen Werte.", "analyse.at-chance": "Jetzt entscheidet der Würfel.",
    "analyse.agree": "Beide wählen {move} ({one} und {other}).", "analyse.differ": "Sie sind uneins: der erste {first} ({one}; {second} {oneOther}), der zweite {second} ({other}; {first} {otherOne}).", "analyse.compare": "Mit anderem Agenten vergleichen", "analyse.thinking": "Denkt nach …", "analyse.move": "Zug", "analyse.value": "Wert", "analyse.visits": "Besuche", "analyse.line": "Hauptvariante",
    "analyse.curve": "Wert im Lauf des Spiels, für die erste Seite", "analyse.judge": "Spiel beurteilen", "analyse.judged": "{n} Züge beurteilt, {bad} grobe Fehler", "analyse.blunder": "besser {best}",
    "level.mcts": "Baumsuche (mcts)", "level.mctse": "Baumsuche (mctse)", "level.alphabeta": "Alpha-Beta", "level.ismcts": "Baumsuche (ismcts)", "level.pimc": "Viele Kartenverteilungen (pimc)",
    "effort.depth": "Tiefe", "effort.simulations": "Simulationen", "effort.nodes": "Stellungen", "effort.carried": "behalten", "effort.seconds": "Sekunden", "effort.total": "insgesamt", "effort.worlds": "Verteilungen",
  },
};
