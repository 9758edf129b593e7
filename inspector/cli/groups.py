"""Commands that have commands of their own."""

import click


class Group(click.Group):
    """Lets a complaint about an option point to the help of the command that was given it."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that is named."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            name = ctx.invoked_subcommand
            command = self.get_command(ctx, name) if name else None
            if error.ctx is None and command is not None:
                error.ctx = click.Context(command, info_name=name, parent=ctx)
            raise
