"""What a report is made of, as Markdown and as a part of a page."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from arrow_cd.bench.markdown import numeric_columns, table


@dataclass(frozen=True)
class Section:
    """A heading, what it shows, a table, pictures and notes.

    Attributes
    ----------
    heading, text
        What comes first; `text` explains what the numbers are.
    header, rows
        A table of cells as text; no columns for none.
    after
        Notes under the table: paragraphs, or lines of a list that begin with "- ".
    pictures
        SVG elements; on the page only.
    """

    heading: str
    text: str
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    after: str = ""
    pictures: Sequence[str] = field(default=())

    def markdown(self, level: int) -> str:
        """Return it with a heading of that level."""
        cells = table(self.header, self.rows).strip() if self.header else ""
        parts = ("#" * level + f" {self.heading}", self.text, cells, self.after)
        return "\n\n".join(part for part in parts if part)

    def html(self) -> str:
        """Return it as elements of a page."""
        parts = [f"<h2>{html.escape(self.heading)}</h2>", _paragraphs(self.text), *self.pictures]
        parts += [_html_table(self.header, self.rows)] if self.header else []
        return "\n".join([*parts, _paragraphs(self.after)])


def _paragraphs(text: str) -> str:
    """Paragraphs and lists, with code in backticks."""
    parts = []
    for block in text.split("\n\n") if text else []:
        lines = [_inline(line) for line in block.splitlines()]
        if block.startswith("- "):
            parts.append("<ul>" + "".join(f"<li>{line.removeprefix('- ')}</li>" for line in lines) + "</ul>")
        else:
            parts.append(f"<p>{'<br>'.join(lines)}</p>")
    return "\n".join(parts)


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def _html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    kinds = ["number" if number else "text" for number in numeric_columns(rows, len(header))]
    head = "".join(f'<th class="{kind}">{html.escape(name)}</th>' for kind, name in zip(kinds, header, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f'<td class="{kind}">{_inline(cell)}</td>' for kind, cell in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
