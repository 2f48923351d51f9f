"""Files: written whole or not at all, locked while they grow, and checked before they are believed.

Whatever is wrong with a file ends in ``stammtisch.errors.BadFile`` with one line that names the file and the reason.
"""

from stammtisch.files.writing import check_writable, make_folder, write_text, writing_to, written_whole

__all__ = ["check_writable", "make_folder", "write_text", "writing_to", "written_whole"]
