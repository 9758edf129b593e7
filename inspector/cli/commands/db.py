"""``inspector db``: creates and upgrades the tables of a ClickHouse database, and copies recordings there and back."""

import click

from inspector.cli.groups import Group
from inspector.cli.options import Text


@click.group(cls=Group)
def db() -> None:
    """Create and upgrade the tables of a ClickHouse database, and copy recordings there and back.

    INSPECTOR_DATABASE_URL names the database: clickhouse://user:password@host:8123/database.
    """


@db.command()
def create() -> None:
    """Create the database and its tables, if they are missing."""
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.output.terminal import standard_output
    from inspector.store import StoreError, create_tables

    try:
        place = create_tables(settings_of(None))
    except StoreError as error:
        raise CliError(str(error)) from error
    standard_output().write([f"{place} has all its tables"])


@db.command()
def upgrade() -> None:
    """Upgrade the tables, after an update that asks for it.

    Stop 'inspector serve' first. Nothing is removed, and an interrupted upgrade is finished by running it again. A home
    needs no such command: SQLite is upgraded when it is opened for writing.
    """
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.output.terminal import standard_output
    from inspector.store import StoreError, upgrade_tables

    settings = settings_of(None)
    if settings.database_url is None:
        message = f"{settings.database} is upgraded when it is opened for writing, for example by: inspector serve"
        standard_output().write([message])
        return
    try:
        place, before, now = upgrade_tables(settings)
    except StoreError as error:
        raise CliError(str(error)) from error
    outcome = f"already has schema {now}" if before == now else f"was upgraded from schema {before} to {now}"
    standard_output().write([f"{place} {outcome}"])


@db.command()
@click.option(
    "--cluster", type=Text(), metavar="NAME", help="Print replicated tables for a cluster, distributed by trace."
)
def ddl(*, cluster: str | None) -> None:
    """Print the statements, for an administrator to run."""
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.output.terminal import standard_output
    from inspector.store import StoreError, table_statements

    try:
        statements = table_statements(settings_of(None), cluster=cluster)
    except StoreError as error:
        raise CliError(str(error)) from error
    standard_output().write([f"{statement};" for statement in statements])


@db.command()
@click.argument("source", type=Text(), metavar="FROM")
@click.argument("target", type=Text(), metavar="TO")
def copy(*, source: str, target: str) -> int:
    """Copy everything from FROM to TO, and compare the two.

    FROM and TO are each a home, with its SQLite database, or clickhouse://user:password@host:8123/database;
    'clickhouse:' is the database that INSPECTOR_DATABASE_URL names. TO must be empty, or contain an interrupted copy,
    which then continues. FROM stays as it is. Stop servers on both first.
    """
    from inspector.cli.home import settings_of
    from inspector.cli.writing.copying import copied

    return copied(settings_of(None), source, target)
