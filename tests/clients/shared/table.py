"""The table of clients and cells, printed as it comes."""


def label(row):
    return f"{row.name}, {row.revision}"


def judged(judge, row, cell):
    """The cell's text, and why it failed."""
    if cell in row.without:
        return "-", None
    try:
        getattr(judge, cell)(row)
        return "ok", None
    except AssertionError as error:
        return "FAIL", str(error)
    except Exception as error:
        return "FAIL", f"{type(error).__name__}: {error}"


def table(judge, rows, cells, missing, heading):
    """`heading`: of what rows have as their revision. Returns what failed."""
    failed = []
    name, revision = (max(len(text) for text in texts) for texts in zip(("", heading), *((row.name, row.revision) for row in rows)))
    wide = max(map(len, cells)) + 2
    print(f"{'client':{name}}  {heading:{revision}}  " + "".join(f"{cell.replace('_', ' '):{wide}}" for cell in cells).rstrip())
    for row in rows:
        print(f"{row.name:{name}}  {row.revision:{revision}}", end="", flush=True)
        if row.package + row.program in missing:
            print("  not installed: " + missing[row.package + row.program])
            continue
        pause = "  "
        for cell in cells:
            text, why = judged(judge, row, cell)
            print(pause + text, end="", flush=True)
            pause = " " * (wide - len(text))
            if why:
                failed.append((f"{label(row)}, {cell}", why))
        print()
    return failed
