"""What Alembic runs for each command; the connection and its transaction are the caller's."""

from alembic import context

from inspector.store.sqlite.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
