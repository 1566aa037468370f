import sys

print("on the way to failure", file=sys.stderr)
raise RuntimeError("this module cannot be imported")
