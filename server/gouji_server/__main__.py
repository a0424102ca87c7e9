"""`python -m gouji_server`: run a server."""

import sys

if __name__ == "__main__":
    try:
        from gouji_server.main import main
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] in ("gouji_server", "gouji_rules", "gouji_bots"):
            raise
        sys.exit(f"gouji: the server is not installed: pip install 'gouji[server]' ({missing.name} is missing)")
    sys.exit(main())
