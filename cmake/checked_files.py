"""What the checks of single files share: which files there are, and how findings are told."""
import os
import sys


def tree(endings, without=()):
    """Every file of the tree that ends with one of `endings`, but of what is built or installed into it and of the folders
    `without`."""
    for directory, below, files in os.walk("."):
        below[:] = sorted(name for name in below if not name.startswith((".", "build")) and name not in ("node_modules", *without))
        for name in sorted(files):
            if name.endswith(endings):
                yield os.path.relpath(os.path.join(directory, name))


def report(findings, names):
    """Prints what `findings(name, text)` yields of the files that are named on the command line, or of `names`; exits with
    1 when there is anything, else with 0."""
    report_all(lambda texts: (found for name, text in texts for found in findings(name, text)), names)


def report_all(findings, names):
    """As `report`, of what `findings` yields of all files together: it is given (name, text) of each."""
    found = list(findings(texts(sys.argv[1:] or names)))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)


def texts(names):
    for name in names:
        with open(name, encoding="utf-8") as file:
            yield name, file.read()
