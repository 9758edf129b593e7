import subprocess
import sys


def test_a_replay_and_its_tests_import_nothing_beyond_the_extra_record():
    program = (
        "import sys, inspector.replay, inspector.launch, inspector.testing.fixture\n"
        "print({name.partition('.')[0] for name in sys.modules} & {'pydantic', 'sqlalchemy', 'click', 'fastapi'})"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "set()"
