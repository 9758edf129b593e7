"""Alembic runs this for each command, with the connection and the transaction of the caller."""

from alembic import context

from inspector.store.sqlite.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
