"""What is kept of each hook's values, in the agent's thread while the hook runs."""
