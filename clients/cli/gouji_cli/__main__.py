"""`python -m gouji_cli` is the `gouji` command."""

from gouji_cli.main import main

if __name__ == "__main__":
    main()
