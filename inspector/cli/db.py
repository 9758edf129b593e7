"""``inspector db``: the tables of a ClickHouse database, made or printed."""

import click


@click.group()
def db() -> None:
    """Make the tables of a ClickHouse database.

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
def ddl() -> None:
    """Print the statements, for somebody who may run them."""
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.terminal import standard_output
    from inspector.store import StoreError, table_statements

    try:
        statements = table_statements(settings_of(None))
    except StoreError as error:
        raise CliError(str(error)) from error
    standard_output().write([f"{statement};" for statement in statements])
