"""The checks of ``inspector doctor``: each looks at one thing, changes nothing, and says what to do."""

import http.client
import os
import re
import shutil
import socket
import stat
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from inspector.cli.doctor.endpoint_checks import check_endpoint
from inspector.cli.doctor.report import Check, Level
from inspector.cli.errors import SettingInvalid
from inspector.cli.home import settings_without_refused
from inspector.cli.output.figures import counted, moment, size
from inspector.cli.output.losses import ADVICE, counts_in, loss_sentence, sum_of
from inspector.cli.ownership import current_owner
from inspector.cli.versions import MISSING, PACKAGES, versions
from inspector.configured import configured
from inspector.environment import VARIABLES
from inspector.homes import is_closed, is_read_only, is_writable, left_by_others
from inspector.ingest.losses import unwritten_losses, waiting_losses
from inspector.model import Loss
from inspector.settings import Settings
from inspector.store import (
    Engine,
    Removed,
    SpoolMark,
    StoreError,
    StoreMissing,
    damage_of,
    left_as_found,
    library,
    open_store,
)
from inspector.tail import list_segments

_LEAST_FREE_BYTES = 500 << 20
_FULL_BYTES = 1 << 20
"""With less free, a disk counts as full: not even a new database fits."""
_ANSWER_S = 2.0
_OF_A_RUN = frozenset(
    f"INSPECTOR_{name}" for name in ("FREEZE", "LENT", "NODE", "OPENCODE", "REPLAY", "REPLAYED_RUN", "RUN", "RUN_ID")
)
"""Variables that `inspector run` and `inspector replay` set for the programs that they start."""
_HOW_TO_RECORD = "record a program: inspector run app.py, or inspector.attach() in it; or try: inspector demo"


def run_checks(home: Path | None) -> list[Check]:
    """Run every check, in an order in which the first failure is the one to fix first."""
    checks = [check_packages(versions()), check_engine(library())]
    try:
        settings, refused = settings_without_refused(home)
    except SettingInvalid as error:
        return [*checks, *check_ignored(home), Check("fail", "settings", str(error), "fix it and run this again")]
    checks += check_ignored(home, elsewhere=refused)
    checks += [Check("fail", "settings", why, "correct it or leave it out") for why in refused]
    checks.append(check_variables(os.environ))
    checks += check_home(settings)
    if is_closed(settings.home):
        return checks
    for check in (check_token, check_space, check_database, check_server, check_endpoint):
        checks.extend(check(settings))
    return checks


def check_packages(versions: dict[str, str]) -> Check:
    """Find packages of the extra that are not installed."""
    missing = [name for name in PACKAGES if versions[name] == MISSING]
    if missing:
        return Check(
            "fail", "packages", f"missing: {', '.join(missing)}", 'pip install "mcp-agent-inspector[inspector]"'
        )
    return Check("ok", "packages", f"{versions['mcp-agent-inspector']} on Python {versions['python']}")


def check_engine(engine: Engine) -> Check:
    """Say which engine a home's database has, and which known fault of it."""
    return Check("ok", engine.name, " ".join(filter(None, (engine.version, engine.fault))))


def check_variables(environ: Mapping[str, str]) -> Check:
    """Find variables that look like settings but are not: a misspelled one would be ignored silently."""
    variables = {f"INSPECTOR_{name.upper()}" for name in Settings.model_fields} | VARIABLES
    unknown = sorted({name for name in environ if name.startswith("INSPECTOR_")} - variables - _OF_A_RUN)
    if unknown:
        return Check("warn", "settings", f"unknown: {', '.join(unknown)}", f"known are {', '.join(sorted(variables))}")
    return Check("ok", "settings", "every INSPECTOR_ variable is known")


def check_ignored(home: Path | None, *, elsewhere: Sequence[str] = ()) -> Iterator[Check]:
    """Find variables that recorded programs ignore as invalid, except those that ``elsewhere`` already reports."""
    reported = {_variable(sentence) for sentence in elsewhere}
    for sentence in configured(home=home).ignored:
        if _variable(sentence) in reported:
            continue
        yield Check("warn", "settings", f"in recorded programs, {sentence}", "correct it or leave it out")


def _variable(sentence: str) -> str:
    return re.split(r"[=: ]", sentence, maxsplit=1)[0]


def check_home(settings: Settings) -> Iterator[Check]:
    """Check that the data directory exists, is ours and is private."""
    home = settings.home.absolute()
    try:
        status = home.stat()
    except FileNotFoundError:
        yield Check("warn", "home", f"{home} does not exist: nothing is recorded yet", _HOW_TO_RECORD)
        return
    if is_read_only(home):
        yield Check("warn", "home", f"{home} is on a read-only file system", "set INSPECTOR_HOME elsewhere to record")
    elif status.st_uid != os.geteuid():
        yield Check("fail", "home", f"{home} belongs to another user", "set INSPECTOR_HOME to a directory of yours")
    elif left := left_by_others(home):
        what, _, way = left.partition("; run: ")
        yield Check("fail", "home", what, way)
    elif status.st_mode & 0o077:
        level: Level = "fail" if status.st_mode & 0o022 else "warn"
        yield Check(level, "home", f"{home} is open to others (mode {_mode(status)})", f"chmod 700 {home}")
    elif not is_writable(home):
        yield Check("fail", "home", f"{home} cannot be written", f"chmod 700 {home}")
    else:
        yield Check("ok", "home", str(home))


def check_token(settings: Settings) -> Iterator[Check]:
    """Check that the token can be trusted, without creating one."""
    from inspector.api import TokenUnusable, load_or_create

    if settings.token is None and not os.path.lexists(settings.token_file):
        yield Check("ok", "token", "none yet; 'inspector serve' or 'inspector token' makes one")
        return
    try:
        load_or_create(settings)
    except TokenUnusable as error:
        yield Check("fail", "token", str(error), "fix it; the server does not start without a token")
    else:
        place = "INSPECTOR_TOKEN" if settings.token else f"{settings.token_file}, private"
        yield Check("ok", "token", place)


def check_database(settings: Settings) -> Iterator[Check]:
    """Open the database read-only, and check its state and what recorders reported."""
    if settings.database_url is not None:
        yield from _stored(settings)
        return
    if not settings.database.exists():
        yield from _without_database(settings)
        return
    yield from _mode_checks(settings)
    with left_as_found(settings.database):
        yield from _stored(settings)


def _without_database(settings: Settings) -> Iterator[Check]:
    yield Check("ok", "database", "none yet; the first command or server that reads makes one")
    yield from _spool_checks(settings, {}, ())


def _stored(settings: Settings) -> Iterator[Check]:
    try:
        with closing(open_store(settings, read_only=True)) as store:
            health, marks, losses = store.health(), dict(store.spools()), store.losses()
    except StoreError as error:
        if isinstance(error, StoreMissing) and settings.database_url is None:
            # Also an empty file, as it is left where the disk was full when it was created.
            yield from _without_database(settings)
            return
        fix = "fix it" if settings.database_url else f"fix it, or move {settings.database} away to begin a new one"
        yield Check("fail", "database", str(error), fix)
        return
    damage = None if settings.database_url else damage_of(settings.database)
    if damage:
        yield Check(
            "fail",
            "database",
            f"damaged: {damage}",
            f"save what can be read with: inspector export --salvage {settings.database} -o saved.jsonl; "
            f"then move {settings.database}* away",
        )
        return
    behind = f", search is {health.search_behind:,} behind" if health.search_behind else ""
    if health.waiting.changes:
        behind += f", {health.waiting.changes:,} changes wait for the server that writes"
    yield Check(
        "ok", "database", f"{health.spans:,} spans, {size(health.bytes)}, schema {health.schema_version}{behind}"
    )
    yield from map(_removal_check, health.removed)
    yield from _spool_checks(settings, marks, losses)


def _removal_check(removed: Removed) -> Check:
    what = f"{counted(removed.traces, 'trace')} with {counted(removed.spans, 'span')}"
    why = "too old (INSPECTOR_RETENTION_DAYS)" if removed.rule == "age" else "too much (INSPECTOR_RETENTION_BYTES)"
    return Check("ok", "retention", f"removed {what} on {moment(removed.at_ns)}: {why}")


def check_space(settings: Settings) -> Iterator[Check]:
    """Check that there is space to record."""
    place = settings.home.absolute()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free
    if free < _FULL_BYTES:
        yield Check("fail", "disk", f"no space left on {place}: nothing can be recorded or stored", "free some space")
    elif free < _LEAST_FREE_BYTES:
        yield Check(
            "warn", "disk", f"{size(free)} left on {place}", "free some space, or: inspector prune --older-than 7d"
        )
    else:
        yield Check("ok", "disk", f"{size(free)} free")


def check_server(settings: Settings) -> Iterator[Check]:
    """Check whether a server runs, or could."""
    owner = current_owner(settings.lock_file)
    if owner is not None and owner.url is not None:
        yield _reached(owner.url, owner.pid)
        return
    if owner is not None:
        yield Check("ok", "owner", f"process {owner.pid} is working on the database, without a server")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[
            0
        ]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        place = f"{settings.host} port {settings.port}"
        yield Check(
            "warn", "server", f"cannot listen on {place}: {error.strerror}", "choose others with --host and --port"
        )
    else:
        yield Check("ok", "server", f"none is running; port {settings.port} is free")


def _reached(url: str, pid: int | None) -> Check:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url}/healthz", timeout=_ANSWER_S):
            return Check("ok", "server", f"process {pid} serves {url}")
    except (OSError, http.client.HTTPException) as error:
        return Check(
            "fail", "server", f"process {pid} owns {url} but does not answer: {error}", f"restart it: kill {pid}"
        )


def _mode_checks(settings: Settings) -> Iterator[Check]:
    for suffix in ("", "-wal", "-shm"):
        path = settings.database.with_name(settings.database.name + suffix)
        if path.exists() and path.stat().st_mode & 0o077:
            yield Check(
                "warn", "database", f"{path} is open to others (mode {_mode(path.stat())})", f"chmod 600 {path}"
            )


def _loss_checks(losses: Sequence[Loss]) -> Iterator[Check]:
    for reason, count in counts_in(sum_of(losses)):
        last = max((loss for loss in losses if loss.reason == reason), key=lambda loss: loss.until_ns)
        where = f", run {last.run}" if last.run else ""
        when = f" (last {moment(last.until_ns)}{where})" if last.until_ns else ""
        yield Check("warn", "recorded", f"{loss_sentence(reason, count)}{when}", ADVICE[reason])


def _spool_checks(settings: Settings, marks: Mapping[str, SpoolMark], losses: Sequence[Loss]) -> Iterator[Check]:
    """Check the spool, and what was not recorded, whether ingested or not."""
    directory = settings.spool
    if not directory.exists():
        yield from _loss_checks(losses)
        return
    status = directory.stat()
    if status.st_mode & 0o077:
        yield Check("warn", "spool", f"{directory} is open to others (mode {_mode(status)})", f"chmod 700 {directory}")
    segments, ignored = list_segments(directory)
    for name, reason in sorted(ignored.items()):
        yield Check("warn", "spool", f"{name} {reason}", f"move it out of {directory}")
    offsets = {name: mark.offset for name, mark in marks.items()}
    yield from _loss_checks(
        [
            *losses,
            *waiting_losses(segments, offsets),
            *(loss for path, loss in unwritten_losses(directory) if path.name not in marks),
        ]
    )
    waiting = [each.size - (marks[each.name].offset if each.name in marks else 0) for each in segments]
    pending = sum(1 for rest in waiting if rest > 0)
    text = (
        f"{len(segments)} files, {pending} of them with {size(sum(waiting))} not stored yet"
        if pending
        else "all stored"
    )
    yield Check("ok", "spool", text)


def _mode(status: os.stat_result) -> str:
    return f"{stat.S_IMODE(status.st_mode):04o}"
