"""Runs programs with the exporters of OpenTelemetry for Python."""

import os
import subprocess
import sys

from served import SECRET


def run_exporter(program: str, exporter: str, **environment: str) -> str:
    """Return what a program prints, in which ``EXPORTER`` stands for a module; it has to end without complaint."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("OTEL_", "INSPECTOR_"))}
    done = subprocess.run(
        [sys.executable, "-c", program.replace("EXPORTER", f"opentelemetry.exporter.otlp.proto.{exporter}")],
        env=inherited | {"OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{SECRET}", **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
