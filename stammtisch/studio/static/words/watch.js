export default {
  en: {
    "watch.title": "Watch and replay", "watch.mine": "Games of the studio", "watch.stores": "Results files", "watch.stores-help": "Matches, tournaments and games of the Jass and ReversiXT servers; those in the folder of the studio, and those that the command line wrote to stammtisch-results where the studio was started.",
    "watch.no-stores": "No results files yet.", "watch.games": "{n} games", "watch.text": "A game as text", "watch.start": "Position it begins with (empty: the usual start)", "watch.moves": "Moves as people say them: d3, c5, …", "watch.show": "Show",
    "watch.position": "Position", "watch.play": "Play or pause", "watch.first": "To the beginning", "watch.back": "One back", "watch.next": "One on", "watch.last": "To the end", "watch.beginning": "The beginning", "watch.live": "Live: follow new moves",
    "watch.number": "Game {n} of its match", "watch.earlier": "Game before", "watch.later": "Next game",
    "watch.running": "running", "watch.finished": "finished", "watch.follow": "Follow live", "watch.overview": "Standing", "watch.standing": "Standing", "watch.agent": "Agent", "watch.points": "Points", "watch.played": "Games", "watch.matches": "Matches",
    "watch.wdl": "{won} won, {drawn} drawn, {lost} lost by the first", "watch.live-line": "{game}, game {n}: {at}/{all} {move}", "watch.no-games": "No game is finished yet.",
  },
  de: {
    "watch.title": "Zuschauen und nachspielen", "watch.mine": "Spiele des Studios", "watch.stores": "Ergebnisdateien", "watch.stores-help": "Wettkämpfe, Turniere und Spiele der Jass- und ReversiXT-Server; solche im Ordner des Studios und solche, die die Befehlszeile dort in stammtisch-results schrieb, wo das Studio gestartet wurde.",
    "watch.no-stores": "Noch keine Ergebnisdateien.", "watch.games": "{n} Spiele", "watch.text": "Ein Spiel als Text", "watch.start": "Stellung am Anfang (leer: die übliche)", "watch.moves": "Züge, wie man sie sagt: d3, c5, …", "watch.show": "Zeigen",
    "watch.position": "Stellung", "watch.play": "Abspielen oder anhalten", "watch.first": "An den Anfang", "watch.back": "Eins zurück", "watch.next": "Eins weiter", "watch.last": "Ans Ende", "watch.beginning": "Der Anfang", "watch.live": "Live: neuen Zügen folgen",
    "watch.number": "Spiel {n} des Wettkampfs", "watch.earlier": "Spiel davor", "watch.later": "Nächstes Spiel",
    "watch.running": "läuft", "watch.finished": "beendet", "watch.follow": "Live folgen", "watch.overview": "Stand", "watch.standing": "Stand", "watch.agent": "Agent", "watch.points": "Punkte", "watch.played": "Spiele", "watch.matches": "Wettkämpfe",
    "watch.wdl": "vom ersten {won} gewonnen, {drawn} unentschieden, {lost} verloren", "watch.live-line": "{game}, Spiel {n}: {at}/{all} {move}", "watch.no-games": "Noch ist kein Spiel zu Ende.",
  },
};
