"""Prints each public name of the package in Python without a docstring, as pdoc and pydoc render them.

    python3 documented.py ../../python/src/roshambo

A variable has its docstring below it. The contract describes the members of generated types where their names do not.
"""

import ast
import sys
from pathlib import Path


def names(body: list[ast.stmt]) -> dict[str, tuple[ast.stmt, bool]]:
    """Returns the names that a body defines, each with its definition and whether it has a docstring."""
    found: dict[str, tuple[ast.stmt, bool]] = {}
    for node, after in zip(body, [*body[1:], None]):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found[name] = node, bool(ast.get_docstring(node))
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
                found[name] = node, text and isinstance(after.value.value, str)
    return found


package = Path(sys.argv[1])
exported = {"Operations", "AsyncOperations"}  # of which the clients have their methods
for node in ast.parse((package / "__init__.py").read_text()).body:
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        exported |= set(ast.literal_eval(node.value)) - {"types", "__version__"}
seen = set()
for file in sorted(package.glob("_[a-z]*.py")):
    generated = file.name == "_types.py"
    for name, (node, has) in names(ast.parse(file.read_text()).body).items():
        if file.name == "_verify.py" or name not in exported and not generated:
            continue
        seen.add(name)
        if not has:
            print(f"{file.name}: {name}")
        if isinstance(node, ast.ClassDef) and not generated:
            for member, (_, has) in names(node.body).items():
                if not has and not member.startswith("_"):
                    print(f"{file.name}: {name}.{member}")
for name in sorted(exported - seen):
    print(f"{name}: no definition")
