"""Schema changes, one file per version, run by the owner of the database in one transaction."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection, *, to: str = "head") -> None:
    """Upgrade the schema to a version, by default the newest, in the connection's transaction."""
    config = Config()
    # In the configuration's format, percent signs mark interpolation.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
