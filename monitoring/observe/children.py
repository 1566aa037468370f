"""Child processes that end with us: by stop(), and by the kernel if we are killed."""
import ctypes
import os
import signal
import subprocess


def _end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Child:
    """One process, in a session of its own, so that Ctrl-C is ours to pass on. Its output goes to a log."""

    def __init__(self, argv, log, environment=None):
        self.log = log
        with open(log, "ab") as out:
            self.process = subprocess.Popen(
                [str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                preexec_fn=_end_with_parent, env={**os.environ, **(environment or {})})

    def ended(self):
        return self.process.poll() is not None

    def stop(self, number=signal.SIGINT, seconds=40):
        """Asks it to end; kills it if it has not ended in time. Returns its exit status."""
        if not self.ended():
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def log_end(self):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-20:])
