"""Twenty-five data sets with known causal graphs: twelve generated families and thirteen public sets.

`load_dataset` gives series and truth, `list_datasets` and `dataset_info` say what there is, `fetch_dataset` brings the
files of a public set and `export_dataset` writes CSV. Nothing of the public sets is part of this package: files come
from the address that the registry records, are checked by hash and kept in the user's cache folder.
"""

from __future__ import annotations

from pathlib import Path

from arrow_cd.backends.base import Progress
from arrow_cd.datasets._types import Dataset, DatasetInfo, Member, MemberInfo, SourceFile, Truth
from arrow_cd.datasets.export import export_dataset
from arrow_cd.datasets.files import cache_folder, locate
from arrow_cd.datasets.registry import dataset_info, list_datasets
from arrow_cd.errors import InvalidDataError
from arrow_cd.options import check_count
from arrow_cd.progress import reporting

__all__ = [
    "Dataset",
    "DatasetInfo",
    "Member",
    "MemberInfo",
    "SourceFile",
    "Truth",
    "cache_folder",
    "dataset_info",
    "export_dataset",
    "fetch_dataset",
    "list_datasets",
    "load_dataset",
]

_DEFAULT_SEED = 0


def load_dataset(
    name: str, *, member: str | None = None, seed: int | None = None, N: int | None = None, T: int | None = None
) -> Dataset:
    """Load a data set with its known graph.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    member : str, optional
        Load this member alone; all of them by default. ``dataset_info(name).members`` lists them.
    seed : int, optional
        What a synthetic data set is generated with, 0 by default. Public data have none.
    N, T : int, optional
        Number of series and samples of a synthetic data set; by default what the registry says.

    Returns
    -------
    Dataset
        Its `members`, each a `TimeSeries` with a `Truth` whose graph is indexed ``[source, target]`` or
        ``[source, target, tau]``, whatever way round the source has it.

    Raises
    ------
    InvalidDataError
        If there is no such data set or member, a seed or size is given for public data, or a size for a family in
        which it is fixed.
    DownloadError
        If a file is neither in the mirror that ``ARROW_CD_DATA`` names, where that is set, nor in the cache, and can't
        be downloaded either; or if it is not the file that the registry knows.
    """
    info = dataset_info(name)
    wanted = info.member_names(member)
    sizes = {size: value for size, value in (("N", N), ("T", T)) if value is not None}
    if info.kind == "synthetic":
        # The generators are imported for synthetic data only, the readers for public data only.
        from arrow_cd.datasets.synthetic import generate

        seed = _DEFAULT_SEED if seed is None else seed
        check_count("seed", seed, 0)
        return Dataset(name, info, tuple(generate(each, seed, sizes) for each in wanted), seed)
    for option, value in ({"seed": seed} | sizes).items():
        if value is not None:
            raise InvalidDataError(
                f"{option}={value}: {name} is public data, which are not generated; leave {option} out"
            )
    from arrow_cd.datasets.readers import READERS

    files = {file.name: file for file in info.files}
    return Dataset(name, info, tuple(READERS[name](each, lambda file: locate(files[file])) for each in wanted))


def fetch_dataset(name: str, *, progress: Progress | bool | None = None) -> tuple[Path, ...]:
    """Download what is missing of a public data set's files, check all of them, and return their paths.

    Synthetic data sets have no files.

    Parameters
    ----------
    name : str
        One of `list_datasets`.
    progress : callable or bool, optional
        ``progress(name, files done, files)``, or True for a bar.

    Raises
    ------
    InvalidDataError
        If there is no such data set.
    DownloadError
        As `load_dataset`.
    """
    files = dataset_info(name).files
    paths = []
    with reporting(progress) as report:
        for file in files:
            paths.append(locate(file))
            if report is not None:
                report(name, len(paths), len(files))
    return tuple(paths)
