"""Functions around a call: ``(ctx, args, call_next)``, before, instead or after."""
