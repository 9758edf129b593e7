"""What the writer's thread makes of a call: a line of JSON, without secrets and with each text once."""
