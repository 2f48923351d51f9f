"""A few processes in which agents think; one that hangs or dies is replaced, and its question gets an error."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncGenerator
from typing import Any

from stammtisch.json_text import json_text

Answers = AsyncGenerator[dict[str, Any], None]
_LONGEST_LINE = 1 << 24
_BREAKABLE = ("analyse", "judge")
_BREAK_S = 3.0
_PATIENCE_S = 300.0  # for questions without a limit, which may have to compile


class AgentFailed(ValueError):
    """An agent has crashed, hung or cannot do what it was asked."""


class _Process:
    """One worker."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._count = 0

    async def start(self) -> None:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "stammtisch.studio.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_LONGEST_LINE,
            )

    async def ask(self, question: dict[str, Any], limit_s: float) -> Answers:
        """Yield the answers to a question; after ``limit_s`` without one the process is given up."""
        await self.start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        self._count += 1
        finished = False
        try:
            process.stdin.write(json_text({"number": self._count, **question}).encode() + b"\n")
            await process.stdin.drain()
            while True:
                try:
                    line = await asyncio.wait_for(process.stdout.readline(), limit_s)
                except TimeoutError:
                    raise AgentFailed(f"{_who(question)} has not answered within {limit_s:g} s") from None
                if not line:
                    raise AgentFailed(f"{_who(question)} has crashed")
                answer = json.loads(line)
                if answer.get("error"):
                    finished = True
                    raise AgentFailed(answer["error"])
                if answer.get("end"):
                    finished = True
                    return
                yield answer
        except (BrokenPipeError, ConnectionResetError):
            raise AgentFailed(f"{_who(question)} has crashed") from None
        finally:
            if not finished and not (question["do"] in _BREAKABLE and await self._break_off()):
                self.kill()

    async def _break_off(self) -> bool:
        """End a long question by asking another one; return whether the process is free again."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return False
        self._count += 1
        try:
            process.stdin.write(json_text({"number": self._count, "do": "stop"}).encode() + b"\n")
            await process.stdin.drain()
            while True:
                line = await asyncio.wait_for(process.stdout.readline(), _BREAK_S)
                if not line:
                    return False
                answer = json.loads(line)
                if answer["number"] == self._count and answer.get("end"):
                    return True
        except (TimeoutError, ConnectionError, ValueError):
            return False

    def kill(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        self._process = None


def _who(question: dict[str, Any]) -> str:
    return f'agent "{question["spec"]}"' if "spec" in question else "the worker"


class Workers:
    """So many processes; whoever asks waits for a free one.

    Args:
        count: processes at most; they start when they are needed.
    """

    def __init__(self, count: int):
        self._all = [_Process() for _ in range(count)]
        self._free: asyncio.LifoQueue[_Process] = asyncio.LifoQueue()
        for process in self._all:
            self._free.put_nowait(process)

    async def answers(self, question: dict[str, Any], limit_s: float = _PATIENCE_S) -> Answers:
        """Yield the answers to a question.

        Raises:
            AgentFailed: the agent crashed, hung or refused.
        """
        process = await self._free.get()
        try:
            stream = process.ask(question, limit_s)
            try:
                async for answer in stream:
                    yield answer
            finally:
                await stream.aclose()
        finally:
            self._free.put_nowait(process)

    async def answer(self, question: dict[str, Any], limit_s: float = _PATIENCE_S) -> dict[str, Any]:
        """Return the only answer to a question."""
        answers = [answer async for answer in self.answers(question, limit_s)]
        return answers[-1] if answers else {}

    async def start(self) -> None:
        """Start all free processes, so that the first question need not wait for it."""
        idle = [self._free.get_nowait() for _ in range(self._free.qsize())]
        try:
            for process in idle:
                await process.start()
        finally:
            for process in idle:
                self._free.put_nowait(process)

    def close(self) -> None:
        """End all processes."""
        for process in self._all:
            process.kill()
