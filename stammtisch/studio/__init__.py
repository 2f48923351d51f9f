"""The studio: play, watch, analyse, train and validate in the browser, from one command on this machine.

How it is put together:

- ``server`` runs the program behind ``stammtisch studio``; ``app`` builds the web application; ``guard`` decides who
  may talk to it (token, ``Host``, ``Origin``, sizes, rates); ``tabs`` are the WebSockets of open pages and the topics
  that they follow.
- ``pages/<name>.py`` is one page: its routes, its messages and what has to run in the background. Every module in that
  folder with a ``PAGE`` is found by itself; nothing else has to be edited to add one.
- ``static/`` is the front end, plain ES modules that no tool has to compile: ``static/pages/<name>.js`` shows the page,
  ``static/words/<name>.js`` has its texts in English and German, ``static/pages/<name>.css`` its looks, if any.

To add a page ``train``, write ``pages/train.py``::

    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from stammtisch.studio.desk import Page, Studio, Tab

    async def start(studio: Studio) -> None:            # optional: when the server starts
        ...

    async def stop(studio: Studio) -> None:             # optional: when it ends
        ...

    async def receive(studio: Studio, tab: Tab, message: dict[str, Any]) -> None:
        tab.follow("train/jobs")                        # from now on it gets what is published there
        studio.publish("train/jobs", {"what": "job", ...})

    async def jobs(request: Request) -> JSONResponse:
        studio: Studio = request.app.state.studio
        return JSONResponse({"jobs": [...]})

    PAGE = Page("train", order=40, routes=[Route("/api/train/jobs", jobs)], receive=receive, start=start, stop=stop)

and ``static/pages/train.js``::

    import { api, el, t } from "../studio.js";

    export async function open(root, path) {            // path: what follows #/train/
        root.append(el("h1", {}, t("train.title")));
        const { jobs } = await api.get("train/jobs");
        return () => {};                                // called when the page is left
    }

Messages of a page's tab arrive at ``receive`` when they say ``{"page": "train", ...}`` and are sent back by
``tab.send`` or ``studio.publish``; the front end listens with ``socket.on("train", message => ...)``. A ``ValueError``
in a route or in ``receive`` is told to whoever asked, in its one line. Routes begin with ``/api/<name>``; everything
under ``/api`` needs the token, which the shared client sends.
"""
