export default {
  en: {
    "watch.title": "Watch and replay", "watch.mine": "Games of the studio", "watch.stores": "Results files", "watch.stores-help": "Matches, tournaments and games of the Jass and ReversiXT servers; put results files into the folder of the studio.",
    "watch.no-stores": "No results files yet.", "watch.games": "{n} games", "watch.text": "A game as text", "watch.start": "Position it begins with (empty: the usual start)", "watch.moves": "Moves as people say them: d3, c5, …", "watch.show": "Show",
    "watch.position": "Position", "watch.play": "Play or pause", "watch.first": "To the beginning", "watch.back": "One back", "watch.next": "One on", "watch.last": "To the end", "watch.beginning": "The beginning", "watch.live": "Live: follow new moves",
    "watch.number": "Game {n} of its match", "watch.earlier": "Game before", "watch.later": "Next game",
  },
  de: {
    "watch.title": "Zuschauen und nachspielen", "watch.mine": "Spiele des Studios", "watch.stores": "Ergebnisdateien", "watch.stores-help": "Wettkämpfe, Turniere und Spiele der Jass- und ReversiXT-Server; lege Ergebnisdateien in den Ordner des Studios.",
    "watch.no-stores": "Noch keine Ergebnisdateien.", "watch.games": "{n} Spiele", "watch.text": "Ein Spiel als Text", "watch.start": "Stellung am Anfang (leer: die übliche)", "watch.moves": "Züge, wie man sie sagt: d3, c5, …", "watch.show": "Zeigen",
    "watch.position": "Stellung", "watch.play": "Abspielen oder anhalten", "watch.first": "An den Anfang", "watch.back": "Eins zurück", "watch.next": "Eins weiter", "watch.last": "Ans Ende", "watch.beginning": "Der Anfang", "watch.live": "Live: neuen Zügen folgen",
    "watch.number": "Spiel {n} des Wettkampfs", "watch.earlier": "Spiel davor", "watch.later": "Nächstes Spiel",
  },
};
