"""The course protocol of ReversiXT over TCP: a server that referees a game, and a client that seats our agents.

Every message is one byte of type, four bytes of length and the payload, all integers big-endian. ``wire`` reads and
writes them, ``referee`` leads one game, ``follower`` is what a client knows; only ``server`` and ``client`` touch
sockets.
"""
