"""Names in web/package-lock.json the packages of other platforms that the registry in use does not carry.

npm leaves those out when it writes a lock, and then refuses its own lock: ``npm ci`` wants each optional package named.
What is added has no checksum, and is fetched on the platform that it is for, in exactly the version that is named.
"""

import json
import re
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[1] / "web" / "package-lock.json"
SYSTEMS = {"aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"}
PROCESSORS = {"arm", "arm64", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64"}
LIBRARIES = {"gnu": "glibc", "gnueabihf": "glibc", "musl": "musl", "musleabihf": "musl"}


def complete(packages: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Give the packages of a lock with every optional dependency among them, in the order of their places."""
    named = {place.rpartition("node_modules/")[2] for place in packages}
    missing = {
        f"node_modules/{name}": _entry(name, version, package)
        for package in packages.values()
        for name, version in package.get("optionalDependencies", {}).items()
        if name not in named
    }
    return dict(sorted((packages | missing).items()))


def _entry(name: str, version: str, wanted_by: dict[str, Any]) -> dict[str, Any]:
    words = re.split(r"[-/@]", name)
    libraries = [LIBRARIES[word] for word in words if word in LIBRARIES]
    entry = {
        "version": version,
        "cpu": [word for word in words if word in PROCESSORS],
        "dev": wanted_by.get("dev"),
        "libc": libraries if "linux" in words else [],
        "license": wanted_by.get("license"),
        "optional": True,
        "os": [word for word in words if word in SYSTEMS],
        "engines": wanted_by.get("engines"),
    }
    return {key: value for key, value in entry.items() if value}


def main() -> None:
    """Complete the lock in place."""
    lock = json.loads(LOCK.read_text("utf-8"))
    lock["packages"] = complete(lock["packages"])
    LOCK.write_text(json.dumps(lock, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
