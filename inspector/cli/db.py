"""``inspector db``: the tables of a ClickHouse database, made or printed, and all that is stored, copied there."""

import click

from inspector.cli.options import Text


@click.group()
def db() -> None:
    """Make the tables of a ClickHouse database, and move what is recorded there or back.

    INSPECTOR_DATABASE_URL says which, as clickhouse://user:password@host:8123/database.
    """


@db.command()
def create() -> None:
    """Make the database and its tables where they are not there."""
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.terminal import standard_output
    from inspector.store import StoreError, create_tables

    try:
        place = create_tables(settings_of(None))
    except StoreError as error:
        raise CliError(str(error)) from error
    standard_output().write([f"made what was missing of {place}"])


@db.command()
def upgrade() -> None:
    """Bring the tables up to date, after an update that says so.

    Stop 'inspector serve' first. Nothing is removed, and what was broken off is finished by another call. A home needs
    no such command: SQLite is brought up to date when it is opened to be written.
    """
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.terminal import standard_output
    from inspector.store import StoreError, upgrade_tables

    settings = settings_of(None)
    if settings.database_url is None:
        said = f"{settings.database} is brought up to date when it is opened to be written, as by: inspector serve"
        standard_output().write([said])
        return
    try:
        place, before, now = upgrade_tables(settings)
    except StoreError as error:
        raise CliError(str(error)) from error
    done = f"is of schema {now} already" if before == now else f"was of schema {before}, and is of {now} now"
    standard_output().write([f"{place} {done}"])


@db.command()
@click.option(
    "--cluster", type=Text(), metavar="NAME", help="Print the tables of a cluster: replicated, spread by trace."
)
def ddl(*, cluster: str | None) -> None:
    """Print the statements, for somebody who may run them."""
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.terminal import standard_output
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

    FROM and TO are a home, which keeps SQLite, or clickhouse://user:password@host:8123/database; 'clickhouse:' is the
    one that INSPECTOR_DATABASE_URL names. TO is empty, or has what this copy brought before it was broken off: started
    again it goes on. FROM is left as it is. Stop servers on either first.
    """
    from inspector.cli.copying import copied
    from inspector.cli.home import settings_of

    return copied(settings_of(None), source, target)
