"""What is said if a part is missing: the compiled core, or a package of an extra."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import novikoff as nv

PACKAGE = Path(nv.__file__).parent
WITHOUT = (
    "import sys; sys.modules[{module!r}] = None  # so that it cannot be imported\n"
    "import novikoff.{adapter}"
)


def _said(code: str, *path: Path) -> str:
    """Return the last line of an error, in a Python that looks first in this place."""
    for place in path:
        code = (  # without the finder of an editable install
            "import sys\n"
            "sys.meta_path[:] = [one for one in sys.meta_path if isinstance(one, type)]\n"
            f"sys.path.insert(0, {str(place)!r})\n{code}"
        )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("adapter", "module", "package"), [
    ("sklearn", "sklearn.base", "scikit-learn"), ("river", "river", "river"),
])  # fmt: skip
def test_an_adapter_without_its_library_names_the_extra(
    adapter: str, module: str, package: str
) -> None:
    assert _said(WITHOUT.format(adapter=adapter, module=module)) == (
        f"ModuleNotFoundError: novikoff.{adapter}: expected the package {package}, got none. "
        f"Install it: pip install {package} (the extra novikoff[{adapter}])."
    )


def test_a_device_without_pytorch_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(nv.ParameterError, match=r"pip install torch \(the extra novikoff\[gpu\]\)"):
        nv.KernelPerceptron(nv.linear, device="cuda")


@pytest.mark.parametrize("other", [(), ("_core.cpython-399-x86_64-linux-gnu.so",)])
def test_a_package_without_its_core_says_so(tmp_path: Path, other: tuple[str, ...]) -> None:
    """A copy of the sources, or a wheel of another Python."""
    shutil.copytree(PACKAGE, tmp_path / "novikoff", ignore=shutil.ignore_patterns("_core*.so"))
    for name in other:
        (tmp_path / "novikoff" / name).touch()
    said = _said("import novikoff as nv; nv.Perceptron()", tmp_path)
    assert said.startswith("ImportError: novikoff: expected its compiled core _core.")
    assert f"in {tmp_path / 'novikoff'}, got {', '.join(other) or 'none'}. Install novi" in said


def test_an_archive_cannot_hold_the_core(tmp_path: Path) -> None:
    """A wheel on Python's path is not installed."""
    with zipfile.ZipFile(tmp_path / "novikoff.whl", "w") as archive:
        for path in PACKAGE.rglob("*.py"):
            archive.write(path, Path("novikoff") / path.relative_to(PACKAGE))
    said = _said("import novikoff as nv; nv.Perceptron()", tmp_path / "novikoff.whl")
    assert "got no folder, and no archive can hold it. Install novikoff with pip" in said
