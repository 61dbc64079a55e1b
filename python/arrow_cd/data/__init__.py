"""The one door for data: everything the package analyses enters as a `TimeSeries`, and every message about bad input
is written here.

Way through: `files` (text or Parquet) or `foreign` (pandas, tigramite) or `arrays` -> `tables` (which column is time,
which tells groups apart, which are variables; text to numbers) -> `time_axis` (order, holes) -> `assemble` (constants,
copies, shape) -> `TimeSeries`.
"""

from arrow_cd.data.door import as_time_series
from arrow_cd.data.series import TimeSeries

__all__ = ["TimeSeries", "as_time_series"]
