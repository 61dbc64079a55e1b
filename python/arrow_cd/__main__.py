"""`python -m arrow_cd` is `arrow-cd`."""

from arrow_cd.cli import main

main()
