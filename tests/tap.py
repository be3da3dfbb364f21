# SPDX-License-Identifier: GPL-2.0-only
"""Writing TAP from a test in Python: the only place that does.

    tap = Tap()
    tap.check(good, "the promise", "what is shown if it is broken"...)
    sys.exit(tap.finish())
"""


class Tap:
    """Prints results as they come, and their number at the end."""

    most_lines = 40

    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, good, promise, *explanation):
        """Is the promise kept?  If not, the explanation's lines are shown."""
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {promise}")
        if not good:
            lines = "\n".join(map(str, explanation)).splitlines()
            for line in lines[:self.most_lines]:
                print(f"# {line}")
        print(end="", flush=True)

    def skip(self, promise, why):
        """It could not be seen, and why."""
        self.check(True, f"{promise} # SKIP {why}")

    def finish(self):
        """The plan, and the exit code: 1 if a promise was broken."""
        print(f"1..{self.count}")
        return 1 if self.failed else 0
