"""`python -m services.cli` is `sietch`."""

from services.cli.main import main

main()
