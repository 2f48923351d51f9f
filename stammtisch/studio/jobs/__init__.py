"""Long work of the studio: trainings, validations and suites, each a process of its own in a folder of its own.

A job outlives the page that started it and the studio itself. Its folder says all there is to know about it:

- ``job.json``: what is to be done, written once by whoever starts it;
- ``run.json``: how it goes, written by the process that does it (``worker``), with its number and time of birth;
- ``progress.jsonl``: one line of figures after the other, for charts;
- ``log.txt``: what the process wrote;
- results: the model, or ``results.sqlite`` and ``report.html``.

``kinds`` lists what a job can be, ``manager`` starts, pauses, stops, resumes and deletes them.
"""
