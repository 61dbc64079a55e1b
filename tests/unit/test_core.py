"""The compiled core has no export without a typed wrapper."""

import ast

from arrow_cd import _core
from paths import ROOT


def test_every_export_of_the_core_is_stubbed_and_used_by_the_package():
    package = ROOT / "python" / "arrow_cd"
    stub = ast.parse((package / "_core.pyi").read_text())
    declared = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    used = {
        node.attr
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "_core"
    }
    exported = set(_core.__all__) - {"__version__"}
    assert exported and exported == {name for name in declared if not name.startswith("_")}
    assert exported <= used
