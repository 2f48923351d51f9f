"""Pictures as a film: GIF with what is installed anyway, MP4 with the extra ``video``."""

import itertools
import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from stammtisch.files import check_writable, written_whole

Frames = Iterable[NDArray[np.uint8]]

_HOLD_S = 2.0  # how long the last picture stays
_COLOURS = 256  # of a picture in a GIF
_KINDS = (".gif", ".mp4")


def check_video(path: str | os.PathLike[str]) -> None:
    """Say before the work, not after it, that a film cannot be written.

    Raises:
        ValueError: its suffix is neither ``.gif`` nor ``.mp4``, what MP4 needs is not installed, or the file cannot be
            written.
    """
    kind = pathlib.Path(path).suffix.lower()
    if kind not in _KINDS:
        raise ValueError(f'cannot write a film "{path}"; give a file that ends in {" or ".join(_KINDS)}')
    if kind == ".mp4":
        try:
            import imageio_ffmpeg  # noqa: F401
        except ImportError:
            raise ValueError('MP4 needs one more package: pip install "stammtisch[video]"; GIF needs none') from None
    check_writable(path)


def write_video(frames: Frames, path: str | os.PathLike[str], frames_per_second: float = 2.0) -> None:
    """Write pictures such as ``env.render()`` returns with ``render_mode="rgb_array"`` as a film.

    Args:
        frames: pictures ``uint8[height, width, 3]`` of one size; they are taken one by one.
        path: ends in ``.gif`` or ``.mp4``.
        frames_per_second: the last picture stays for two seconds.

    Raises:
        ValueError: there is no picture, or the film cannot be written.
    """
    if not frames_per_second > 0:
        raise ValueError(f"frames_per_second must be above 0, not {frames_per_second}")
    check_video(path)
    pictures = _held(frames, round(_HOLD_S * frames_per_second))
    first = next(pictures, None)
    if first is None:
        raise ValueError(f'a film needs at least one picture; there is none for "{path}"')
    write = _write_gif if pathlib.Path(path).suffix.lower() == ".gif" else _write_mp4
    write(first, pictures, path, frames_per_second)


def _held(frames: Frames, times: int) -> Iterator[NDArray[np.uint8]]:
    last = None
    for frame in frames:
        last = frame
        yield frame
    if last is not None:
        yield from itertools.repeat(last, times)


def _write_gif(first: NDArray[np.uint8], rest: Frames, path: str | os.PathLike[str], frames_per_second: float) -> None:
    from PIL import Image

    def image(frame: NDArray[np.uint8]) -> Image.Image:
        return Image.fromarray(frame).quantize(_COLOURS, dither=Image.Dither.NONE)  # even areas stay even, and small

    with written_whole(path) as file:
        image(first).save(
            file,
            "GIF",
            save_all=True,
            append_images=map(image, rest),
            duration=round(1000 / frames_per_second),
            loop=0,
        )


def _write_mp4(first: NDArray[np.uint8], rest: Frames, path: str | os.PathLike[str], frames_per_second: float) -> None:
    import imageio_ffmpeg

    height, width = (2 * -(-size // 2) for size in first.shape[:2])  # the codec wants even sizes
    with tempfile.TemporaryDirectory() as folder:
        film = pathlib.Path(folder) / "film.mp4"
        writer = imageio_ffmpeg.write_frames(
            str(film), (width, height), fps=frames_per_second, macro_block_size=1, ffmpeg_log_level="error"
        )
        writer.send(None)
        try:
            for frame in itertools.chain([first], rest):
                edges = ((0, height - frame.shape[0]), (0, width - frame.shape[1]), (0, 0))
                writer.send(np.ascontiguousarray(np.pad(frame, edges, mode="edge")))
        finally:
            writer.close()
        with written_whole(path) as file:
            file.write(film.read_bytes())
