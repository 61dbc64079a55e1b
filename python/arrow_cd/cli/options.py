"""Options of the commands: names, help and panels; what they mean is decided in the library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Strategy = Literal["weave", "forward", "marginal", "paper"]
Fdr = Literal["bh", "none"]
Mode = Literal["screen", "exact"]
Format = Literal["table", "csv", "json", "parquet", "graphml", "dot"]
TableFormat = Literal["table", "csv", "json", "parquet"]


Data = Annotated[
    Path, typer.Argument(metavar="DATA", help="CSV, TSV or Parquet file, also gzipped; a row is a sample.")
]

Columns = Annotated[list[str] | None, typer.Option("--columns", help="Columns to use, comma-separated.")]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Columns to leave out, comma-separated.")]
TimeColumn = Annotated[str | None, typer.Option("--time-column", help="Column of time stamps; by default recognised.")]
GroupBy = Annotated[
    str | None, typer.Option("--group-by", help="Column that tells data sets apart; no lag crosses them.")
]
NA = Annotated[list[str] | None, typer.Option("--na", help="Further markers of missing values, comma-separated.")]
Header = Annotated[bool | None, typer.Option("--header/--no-header", help="First row holds names; by default guessed.")]
Preprocess = Annotated[
    str, typer.Option("--preprocess", help="detrend, deseasonalise:PERIOD, winsorise, standardise; comma-separated.")
]

TauMax = Annotated[int, typer.Option("--tau-max", help="Largest lag, in samples.")]
TauMin = Annotated[int | None, typer.Option("--tau-min", help="Smallest lag; by default what the method is made for.")]
Alpha = Annotated[float, typer.Option("--alpha", help="Level of the corrected p-values.")]
PcAlpha = Annotated[
    float | None, typer.Option("--pc-alpha", help="Level of condition selection; the method's by default.")
]
Correction = Annotated[Fdr, typer.Option("--fdr", help="Benjamini-Hochberg over every link asked about, or none.")]
Method = Annotated[str, typer.Option("--method", help="Method of search; arrow-cd backends lists them.")]
HowMuch = Annotated[Mode, typer.Option("--mode", help="Test what the screen keeps (much faster), or everything.")]
Screen = Annotated[Strategy | None, typer.Option("--screen", help="How candidates are found; weave by default.")]
Test = Annotated[str | None, typer.Option("--test", help="Conditional independence test; by default the method's own.")]
MethodOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Further option of the method; see arrow-cd backends."),
]
Constraints = Annotated[
    Path | None,
    typer.Option("--constraints", help="TOML file of forbidden and required links; docs/data.md has an example."),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads, 0 for all cores; results don't depend on it.")]
Memory = Annotated[
    int | None, typer.Option("--memory-budget", help="Bytes that one table may take; by default 4 GiB for the result.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of methods that draw random numbers.")]

Print = Annotated[Format, typer.Option("--format", help="What to print.")]
PrintTable = Annotated[TableFormat, typer.Option("--format", help="What to print.")]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        *("--output", "-o"),
        help="Also write a file: .json (everything), .csv, .parquet, .graphml, .dot, or a figure .png, .svg, .pdf.",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be tested, its memory and time.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No messages on standard error.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also print links that were tested and not found.")]
