import subprocess
import sys

PROGRAM = """
import socket
from inspector.replay.network import watch_network

watch_network(lambda place: print(place))
for family, hosts in (
    (socket.AF_INET, ("127.0.0.1", "127.8.1.1", "0.0.0.0", "192.0.2.1")),
    (socket.AF_INET6, ("::1", "::ffff:127.0.0.1", "::", "2001:db8::1", "::ffff:192.0.2.1")),
):
    for host in hosts:
        with socket.socket(family, socket.SOCK_DGRAM) as sending:
            try:
                sending.sendto(b"", (host, 9))
            except OSError:
                pass
"""


def test_every_address_of_this_machine_may_be_reached_and_no_other():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["192.0.2.1:9", "2001:db8::1:9", "::ffff:192.0.2.1:9"]
