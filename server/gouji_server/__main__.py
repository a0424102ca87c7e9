"""`python -m gouji_server`: run a server."""

import sys

from gouji_server.main import main

if __name__ == "__main__":
    sys.exit(main())
