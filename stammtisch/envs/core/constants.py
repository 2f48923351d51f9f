"""Numbers that rules, kernels and faces share."""

CHANCE = -1
TERMINAL = -2
ILLEGAL = -9

# What decides in a seat: a kernel policy (0 = random, 1.. = as bound), the learner, or an outside agent (-2 - index).
RANDOM_POLICY = 0
COMPILED_POLICIES = 2  # most named policies in one set of lane kernels
LEARNER = -1
FIRST_OUTSIDE = -2

SKIP, TAKE, DEAL = 0, 1, 2  # what a lane does next: nothing, an action, a new game
ANY_SEAT, ALL_SEATS = -1, -2  # where a learner asks to sit, if not in one seat
NO_SEAT = -1  # the seat of a learner that plays all of them
