"""Schieber in plain Python, written from the rule book on card names; slow and obvious, to check the kernels by."""

COLOURS = "HDCS"
RANKS = ["6", "7", "8", "9", "10", "J", "Q", "K", "A"]
CARDS = [c + r for c in COLOURS for r in RANKS]
TRUMP_ORDER = ["6", "7", "8", "10", "Q", "K", "A", "9", "J"]
PLAIN = {"10": 10, "J": 2, "Q": 3, "K": 4, "A": 11}
POINTS = {
    "trump": {**PLAIN, "J": 20, "9": 14},
    "plain": PLAIN,
    "O": {**PLAIN, "8": 8},
    "U": {**PLAIN, "8": 8, "A": 0, "6": 11},
}


def points(card, mode):
    """Mode is a colour, or O for Obeabe, U for Undeufe."""
    kind = mode if mode in "OU" else "trump" if card[0] == mode else "plain"
    return POINTS[kind].get(card[1:], 0)


def strength(card, mode):
    """Compare only within one colour."""
    rank = card[1:]
    if mode == "U":
        return -RANKS.index(rank)
    return TRUMP_ORDER.index(rank) if card[0] == mode else RANKS.index(rank)


def winner(trick, mode):
    """Position of the card that wins so far."""
    trumps = [c for c in trick if c[0] == mode]
    able = trumps or [c for c in trick if c[0] == trick[0][0]]
    return trick.index(max(able, key=lambda c: strength(c, mode)))


def legal(hand, trick, mode, kit=False, under=False):
    """Cards of ``hand`` that may be played, as a set; ``under``: who is void of the colour led may under-trump."""
    if not trick:
        return set(hand)
    lead = trick[0][0]
    follow = {c for c in hand if c[0] == lead}
    trumps = {c for c in hand if c[0] == mode}
    if mode in "OU":
        return follow or set(hand)
    if lead == mode:
        if trumps <= {mode + "J"}:
            return set(hand)
        return trumps
    if trumps == set(hand) or (under and not follow):
        return set(hand)
    ruffs = [c for c in trick if c[0] == mode]
    if ruffs:
        plain_order = lambda c: RANKS.index(c[1:])  # noqa: E731
        to_beat = min(ruffs, key=plain_order) if kit else max(ruffs, key=lambda c: strength(c, mode))
        trumps = {c for c in trumps if strength(c, mode) > strength(to_beat, mode)}
    others = {c for c in hand if c[0] != mode}
    return (follow or others) | trumps


def replays(hands, forehand, plays, mode, kit=False):
    """Tell whether every card in ``plays`` was legal for its player in a deal of ``hands``."""
    hands = [set(hand) for hand in hands]
    player, trick = forehand, []
    for card in plays:
        if card not in legal(hands[player], trick, mode, kit):
            return False
        hands[player].remove(card)
        trick.append(card)
        player = (player + 1) % 4
        if len(trick) == 4:
            player = (player + winner(trick, mode)) % 4
            trick = []
    return True


def play_deal(forehand, plays, mode):
    """Return winner, points per trick; the last trick counts five more."""
    leader, found = forehand, []
    for k in range(0, len(plays), 4):
        trick = plays[k : k + 4]
        leader = (leader + winner(trick, mode)) % 4
        found.append((leader, sum(points(c, mode) for c in trick) + (5 if k == 32 else 0)))
    return found


def melds(hand):
    """All melds of a hand as (points, cards), cards in ascending order; a card may serve twice."""
    found = []
    for colour in COLOURS:
        run = []
        for rank in [*RANKS, None]:
            if rank is not None and colour + rank in hand:
                run.append(colour + rank)
                continue
            if len(run) >= 3:
                found.append(({3: 20, 4: 50}.get(len(run), 50 * (len(run) - 3)), tuple(run)))
            run = []
    for rank in RANKS:
        four = tuple(colour + rank for colour in COLOURS)
        if set(four) <= set(hand):
            found.append(({"9": 150, "J": 200}.get(rank, 100), four))
    return found


def best_meld_team(hands, forehand, mode):
    """Return team, points and shown cards of each seat; team None when nobody has a meld."""
    ranked = []
    for turn in range(4):
        seat = (forehand + turn) % 4
        for value, cards in melds(hands[seat]):
            height = RANKS.index(cards[-1][1:])
            sequence = cards[0][0] == cards[1][0]
            in_trumps = sequence and cards[0][0] == mode
            ranked.append((value, len(cards), -height if mode == "U" else height, in_trumps, -turn, seat))
    if not ranked:
        return None, 0, [set()] * 4
    team = max(ranked)[-1] % 2
    shown = [set().union(*[c for _, c in melds(hands[s])]) if s % 2 == team else set() for s in range(4)]
    return team, sum(v for s in (team, team + 2) for v, _ in melds(hands[s])), shown
