import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from inspector.salt import salt_of

SECRET = "sk-proj-" + "aB3dE5fG7h" * 6
PROGRAM = f"""
import inspector, instrument
inspector.attach(integrations=False)
with instrument.around("tool_call", tool_name="t", args={{"key": "{SECRET}"}}, context=None) as call:
    call.set(result=1)
"""


def test_two_processes_leave_the_same_placeholder(tmp_path):
    environment = {"PATH": "", "HOME": str(tmp_path), "INSPECTOR_HOME": str(tmp_path / "home")}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, timeout=120)
    spools = [path.read_text() for path in (tmp_path / "home" / "spool").glob("*.jsonl")]
    placeholders = {text.partition("[redacted:")[2].partition("]")[0] for text in spools}
    assert len(spools) == 2
    assert len(placeholders) == 1
    assert (tmp_path / "home" / "redaction.salt").stat().st_mode & 0o777 == 0o600


def test_of_many_who_come_first_all_have_one_salt(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        salts = set(pool.map(lambda _: salt_of(tmp_path / "home"), range(64)))
    assert len(salts) == 1
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["redaction.salt"]


def test_another_home_has_another_salt(tmp_path):
    assert salt_of(tmp_path / "a") != salt_of(tmp_path / "b")


def test_without_a_file_a_process_has_a_salt_of_its_own(tmp_path):
    (tmp_path / "file").write_text("")
    assert len(salt_of(tmp_path / "file")) == 16
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "redaction.salt").symlink_to("/etc/hostname")
    assert salt_of(tmp_path / "link") != salt_of(tmp_path / "link")
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "redaction.salt").write_bytes(b"x")
    assert salt_of(tmp_path / "cut") != b"x"
