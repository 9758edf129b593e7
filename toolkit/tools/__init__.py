"""Tools that come with the toolkit: services described by OpenAPI, search, the shell, files, people and skills."""
