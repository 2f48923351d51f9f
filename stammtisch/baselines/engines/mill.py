"""The UCI-like protocol of Mill programs: ``position startpos moves d6 xa1``, ``go``, ``bestmove a1-a4``."""

from stammtisch.baselines.engines.protocol import Protocol, Situation


class Mill(Protocol):
    """Tells the whole game before each question; a removal is a move of its own, ``xa1``."""

    NAME = "mill"

    def hello(self) -> None:
        self.send("uci")
        self._wait_for("uciok")
        if self.terms.level:
            self.send(f"setoption name SkillLevel value {self.terms.level}")
        self.new_game()

    def new_game(self) -> None:
        self.send("ucinewgame")
        self.send("isready")
        self._wait_for("readyok")

    def choose(self, situation: Situation) -> int:
        state = self.game.new_state(seed=0)
        moves = []
        for action in situation.actions or ():
            moves.append(state.action_text(action))
            state.apply(action)
        self.send(f"position startpos{' moves ' if moves else ''}{' '.join(moves)}")
        self.send(f"go movetime {max(1, round(1000 * self.terms.time_s))}" if self.terms.time_s else "go")
        words = self._wait_for("bestmove")
        if len(words) < 2:
            raise self.fault("answered bestmove without a move")
        return self.read_move(situation.state, words[1])

    def _wait_for(self, word: str) -> list[str]:
        """Read up to the line that begins with a word; return all its words."""
        for line in self.process.answer(self.deadline):
            if (words := line.split()) and words[0] == word:
                return words
        raise AssertionError("answers have no end")
