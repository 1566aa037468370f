# Given to the interpreter with -c: finds the other files of this folder, which
# come through file 4 (each as `name length` on a line, and its text), when they are imported.
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]  # the directory that the worker happens to be in: it may have an os.py
import importlib.abc, importlib.machinery, os
sources, rest = {}, os.pread(4, 1 << 22, 0)
os.close(4)
while rest:
    line, _, rest = rest.partition(b"\n")
    name, length = line.decode().split()
    sources[name], rest = rest[:int(length)], rest[int(length):]
class Embedded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name in sources else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        name = module.__name__
        exec(compile(sources[name], "<toolway>/" + name + ".py", "exec"), module.__dict__)
sys.meta_path.insert(0, Embedded())
import _toolway_main
_toolway_main.main()
