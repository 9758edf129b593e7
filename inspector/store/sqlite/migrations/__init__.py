"""Schema changes, one file a version, run by the owner of the database in a single transaction."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection, *, to: str = "head") -> None:
    """Brings the schema to a version, the newest by default, inside the connection's transaction."""
    config = Config()
    # Percent signs are interpolation in the configuration's format.
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, to)
