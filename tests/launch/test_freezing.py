"""A process whose clock stands, each looked at from outside: what is frozen stays so to its end."""

import json
import subprocess
import sys

LOOK = """
import json, random, sys, time, uuid
import datetime as dt
from datetime import datetime

class Mine(datetime):
    pass

datetime.now()
known = datetime(2020, 1, 1)
from inspector.frozen import Frozen
from inspector.launch.freezing import freeze
freeze(Frozen.read(sys.argv[1]))
from time import time as now

seen = {
    "time": [time.time(), now(), time.time_ns(), time.clock_gettime(time.CLOCK_REALTIME)],
    "dates": [
        datetime.now().timestamp(), dt.datetime.now(dt.UTC).timestamp(),
        datetime.today().timestamp(), Mine.now().timestamp(),
        datetime.utcnow().replace(tzinfo=dt.UTC).timestamp(),
    ],
    "words": [
        time.gmtime().tm_year, time.gmtime(None).tm_year, time.localtime().tm_year,
        time.strftime("%Y"), time.asctime()[-4:],
    ],
    "day": [dt.date.today().year, datetime.fromtimestamp(0, dt.UTC).year, time.gmtime(0).tm_year, time.ctime(0)[-4:]],
    "classes": [type(datetime.now()) is type(known), isinstance(known, dt.datetime), type(Mine.now()).__name__],
    "goes on": time.monotonic() < time.monotonic() + 1 and time.clock_gettime(time.CLOCK_MONOTONIC) > 0,
    "random": [random.random(), random.Random().random(), random.Random(1).random(), str(uuid.uuid4())],
    "secret": random.SystemRandom().random(),
}
print(json.dumps(seen))
"""
MOMENT_NS = 1_000_000_000 * 1_000_000_000
MOMENT = MOMENT_NS / 10**9


def seen(frozen):
    command = [sys.executable, "-W", "ignore", "-c", LOOK, frozen]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def test_every_clock_of_python_says_one_moment_and_waiting_goes_on():
    found = seen(f"{MOMENT_NS}:")
    assert found["time"] == [MOMENT, MOMENT, MOMENT_NS, MOMENT]
    assert found["dates"] == [MOMENT] * 5
    assert found["words"] == [2001, 2001, 2001, "2001", "2001"]
    assert found["day"] == [2001, 1970, 1970, "1970"]
    assert found["classes"] == [True, True, "Mine"]
    assert found["goes on"] is True


def test_random_numbers_come_from_the_seed_and_secrets_do_not():
    first, second, other, none = (seen(f"{MOMENT_NS}:{seed}") for seed in ("7", "7", "8", ""))
    assert first["random"] == second["random"]
    assert first["random"][2] == other["random"][2] == none["random"][2]
    for at in (0, 1, 3):
        assert len({each["random"][at] for each in (first, other, none)}) == 3
    assert first["secret"] != second["secret"]
