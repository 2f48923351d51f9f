"""The WebSocket protocol of the Jass challenge server: a client that seats our agents, and a server for anybody's.

The protocol is that of Zühlke's Jass challenge (2017): text frames, one JSON object ``{"type": …, "data": …}`` each.
Everything that decides is free of input and output: ``messages`` (schemas), ``wire`` (cards and modes), ``player``
(what a client knows), ``table`` (one game), ``sessions``, ``tournament`` and ``lobby``. Only ``client``, ``server`` and
``bots`` touch the event loop. They need the library `websockets`: ``pip install "stammtisch[jass]"``.
"""
