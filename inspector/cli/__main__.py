"""Makes ``python -m inspector.cli`` the same as ``inspector``."""

from inspector.cli import main

if __name__ == "__main__":
    main()
