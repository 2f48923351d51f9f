"""Processes in which agents think: whatever one does, the others go on, and who asked is told."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from stammtisch.studio.workers import AgentFailed, Workers


def question(spec):
    return {"do": "check", "game": "reversi-4x4", "options": {}, "spec": spec}


@pytest.mark.parametrize(
    ("name", "told"),
    [("Crashing", "has crashed"), ("Hanging", "has not answered within"), ("Raising", "nothing to share")],
)
def test_a_bad_agent_is_a_message_and_the_next_question_is_answered(name, told):
    async def run():
        workers = Workers(1)
        try:
            await workers.answer(question("random"))  # the process is up
            with pytest.raises(AgentFailed, match=told):
                await workers.answer(question(f"tests.studio.bad_players:{name}"), limit_s=5)
            await workers.answer(question("random"))
        finally:
            workers.close()
            await asyncio.sleep(0.1)  # the loop sees its processes end

    with ThreadPoolExecutor(1) as apart:  # a browser of other tests may have a loop in this thread
        apart.submit(asyncio.run, run()).result()
