"""One operation of a profile: its description, source line and times."""

import os
from typing import NamedTuple


class Event(NamedTuple):
    """One operation of a profile. Times are seconds, `start` since the profile began."""

    kind: str
    name: str
    kernel: str
    expression: str
    file: str
    line: int
    shape: tuple
    dtype: str
    bytes: int
    device: str
    stream: int
    thread: int
    start: float
    seconds: float
    host_seconds: float
    build_seconds: float
    build: str
    failed: bool
    device_start: float | None
    device_seconds: float | None
    last_line: int

    @property
    def bandwidth(self) -> float:
        """Bytes read and written per second; 0 if nothing was moved."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def what(self) -> str:
        """The expression of a launch, the name of other events; or both, where one is not enough."""
        if self.expression.isidentifier() and self.expression != self.name:
            return f"{self.name}({self.expression})"
        return self.expression or self.name

    @property
    def where(self) -> str:
        """The source line: 'file.py:12', of deferred work the lines: 'file.py:12-15', or ''."""
        if not self.line:
            return ""
        lines = f"{self.line}-{self.last_line}" if self.last_line != self.line else self.line
        return f"{os.path.basename(self.file)}:{lines}"
