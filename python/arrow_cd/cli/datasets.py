"""`arrow-cd datasets`: which data sets with known graphs there are, and how to get them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arrow_cd.cli import options as opt
from arrow_cd.cli.session import guarded, say, show_progress

if TYPE_CHECKING:
    from arrow_cd.datasets import DatasetInfo

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Data sets with known causal graphs.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A data set; `arrow-cd datasets list` names them.")]


@app.command("list")
@guarded
def list_(format: opt.PrintTable = "table") -> None:
    """List the data sets: what each is, its size and what is known of its links."""
    import polars as pl

    from arrow_cd.cli.tables import print_frame
    from arrow_cd.datasets import dataset_info, list_datasets

    print_frame(pl.DataFrame([_row(dataset_info(name)) for name in list_datasets()]), format)


@app.command()
@guarded
def show(name: Name) -> None:
    """Show what a data set is, its members, its truth, and where every file comes from."""
    from arrow_cd.datasets import dataset_info

    info = dataset_info(name)
    rows = {
        "about": info.about,
        "kind": info.kind,
        "sampling": info.sampling,
        "truth": f"{info.truth}; at the source: {info.orientation}",
        "tau_max": str(info.tau_max),
        "licence": info.licence,
        "cite": info.citation,
    }
    print("\n".join([info.name, *(f"  {label:<9} {text}" for label, text in rows.items())]))
    for member in info.members:
        sets = f" in {member.sets} data sets" if member.sets > 1 else ""
        print(
            f"  {'member':<9} {member.name}: {member.T} x {member.N}{sets}{f' ({member.note})' if member.note else ''}"
        )
    for file in info.files:
        print(f"  {'file':<9} {file.url}\n  {'':<9} {file.size} bytes, sha256 {file.sha256}")


@app.command()
@guarded
def fetch(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Data sets to bring.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
) -> None:
    """Download the files of public data sets into the cache, or check those in ARROW_CD_DATA; print their paths."""
    from arrow_cd.datasets import dataset_info, fetch_dataset, list_datasets

    if everything == bool(names):
        raise typer.BadParameter("give either names of data sets or --all")
    known = [
        dataset_info(name).name for name in names or list_datasets()
    ]  # a wrong name is refused before any download
    for name in known:
        files = fetch_dataset(name, progress=show_progress(False))
        say(f"{name}: {len(files)} files checked" if files else f"{name}: generated, there is nothing to fetch")
        for path in files:
            print(path)


@app.command()
@guarded
def export(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; made if it doesn't exist.")],
    member: Annotated[str | None, typer.Option("--member", help="Only this member.", show_default="all")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Of a synthetic data set.", show_default="0")] = None,
) -> None:
    """Write every member as CSV, and its known links as CSV beside it; print the paths."""
    from arrow_cd.datasets import export_dataset, load_dataset

    for path in export_dataset(load_dataset(name, member=member, seed=seed), folder):
        print(path)


def _row(info: DatasetInfo) -> dict[str, object]:
    """One line of the list; sizes that differ between members as a range."""
    return {
        "name": info.name,
        "kind": info.kind,
        "members": len(info.members),
        "T": _range([member.T for member in info.members]),
        "N": _range([member.N for member in info.members]),
        "sampling": info.sampling,
        "truth": info.truth,
        "tau_max": info.tau_max,
        "licence": info.licence,
    }


def _range(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return str(low) if low == high else f"{low}-{high}"
