"""Who may ask what: the gate in front of every route, its rules, tokens, and the codes that sign a browser in."""
