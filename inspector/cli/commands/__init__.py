"""The commands, one in each module: its options, its help, and what it does; the table is in `inspector.cli.app`."""
