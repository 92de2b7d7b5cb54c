"""`python -m piiscan` is the command `piiscan`."""

from piiscan.cli import main

if __name__ == "__main__":
    main()
