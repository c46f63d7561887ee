"""python -m softclust"""

from softclust.cli import main

main()
