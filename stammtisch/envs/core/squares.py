"""Square boards whose cells are numbered row by row."""


def neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells around each cell of a board of ``size`` rows, corners included, in ascending order.

    Example:
        >>> neighbours(3)[0], neighbours(2)[3]
        ((1, 3, 4), (0, 1, 2))
    """
    return tuple(
        tuple(
            r * size + c
            for r in range(max(0, cell // size - 1), min(size, cell // size + 2))
            for c in range(max(0, cell % size - 1), min(size, cell % size + 2))
            if r * size + c != cell
        )
        for cell in range(size * size)
    )
