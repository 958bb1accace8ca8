import os
import tempfile
import time

import ray


@ray.remote
class Counter:
    def divide(self, by):
        if by == 0:
            raise ZeroDivisionError("division by zero")

    def add(self, amount):
        return amount

    def crash(self):
        os._exit(1)

    def crash_once(self, path):
        if os.path.exists(path):
            return "second try"
        open(path, "w").close()
        os._exit(1)

    def sleep(self):
        time.sleep(600)


def failure_of(ref, timeout=None):
    try:
        ray.get(ref, timeout=timeout)
    except ray.exceptions.RayError as error:
        return error
    raise AssertionError("it should have failed")


def failures():
    counter = Counter.remote()
    thrown = failure_of(counter.divide.remote(0))
    cause = thrown.cause

    late = failure_of(counter.sleep.remote(), timeout=0.2)

    mortal = Counter.remote()
    failure_of(mortal.crash.remote())
    dead = failure_of(mortal.add.remote(1))

    with tempfile.TemporaryDirectory() as folder:
        lasting = Counter.options(max_restarts=1, max_task_retries=1).remote()
        again = ray.get(lasting.crash_once.remote(os.path.join(folder, "crashed")))
    return {
        "cause": str(cause),
        "isLate": isinstance(late, ray.exceptions.GetTimeoutError),
        "isDead": isinstance(dead, ray.exceptions.ActorDiedError),
        "again": again,
    }
