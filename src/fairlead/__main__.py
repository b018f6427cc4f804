"""``python -m fairlead``: the same as the command ``fairlead``."""

from fairlead.cli.main import main

if __name__ == "__main__":
    main()
