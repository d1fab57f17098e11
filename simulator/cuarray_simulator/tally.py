"""What the processes of a program have found together, which each alone cannot know."""

import atexit
import os
import tempfile

__all__ = ["Tally"]


class Tally:
    """A file to which the drivers of this process and of its child processes add a letter for each event.

    The letter is f for a finding, and m for memory that is too large for races and initialisation to be judged.
    """

    def __init__(self):
        descriptor, self.path = tempfile.mkstemp(prefix="cudasim-tally-")
        os.close(descriptor)
        self.owner = os.getpid()
        atexit.register(self.remove)

    def setting(self):
        """Return the setting CUDASIM_TALLY: this file, and those of the processes that have started this one."""
        return ":".join(filter(None, (self.path, os.environ.get("CUDASIM_TALLY"))))

    def count(self, letter):
        with open(self.path, encoding="ascii") as file:
            return file.read().count(letter)

    def not_judged(self):
        """Return what was not judged, as the end of a sentence; empty if all was."""
        large = self.count("m")
        if not large:
            return ""
        what = "an allocation" if large == 1 else f"{large} allocations"
        return f"; races and uninitialised reads were not looked for in {what} above 16 MiB"

    def remove(self):
        if os.getpid() == self.owner:
            os.unlink(self.path)
