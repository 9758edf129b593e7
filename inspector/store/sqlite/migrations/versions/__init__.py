"""One file a version, named by number; a released one never changes."""
