"""`piiscan unpack`: draws rows with the moments of aggregates."""

from __future__ import annotations

from pathlib import Path

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE


@click.command(short_help="Draw rows with the moments of aggregates.")
@click.argument("path", metavar="AGGREGATES", type=options.FILE)
@click.option("--seed", type=click.IntRange(0), required=True, metavar="N", help="The same seed draws the same rows.")
@options.output("The CSV file to write (standard output).", dash="stdout")
@OVERWRITE
@click.option("-q", "--quiet", is_flag=True, help="No hints.")
def unpack(path: Path, seed: int, target: Path | None, overwrite: bool, quiet: bool) -> int:
    """Draw rows whose groups have exactly the moments that `piiscan aggregate` wrote.

    These are count, means, standard deviations and correlations. The rows are made up, not people's rows. Regressions
    and correlations come out as with the real rows; properties that don't depend on these moments alone don't.
    """
    from piiscan.aggregates import result, unpacking
    from piiscan.report.verdict_words import count

    if target is not None:
        output.free(output.apart(output.writable(target), path), overwrite)
    found = result.read(path)
    made = unpacking.unpacked(found, seed)
    text = made.frame.write_csv()
    if target is None:
        output.data(text)
    else:
        output.to_file(target, text)
    for line in made.notes:
        output.say(line, quiet)
    held = found.about.get("withheld", {}).get("groups", 0)
    if held:
        output.say(f"{count(held, 'group')} withheld from the aggregates: their rows are missing here.", quiet)
    output.say(f"{count(len(made.frame), 'row')} drawn from a normal distribution; none is a person's.", quiet)
    return 0
