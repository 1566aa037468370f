"""Runs a program that the kernel refuses Landlock, as containers may: without_landlock.py PROGRAM [ARGUMENT…]"""
import ctypes
import os
import struct
import sys

LANDLOCK_CREATE_RULESET = 444
EPERM = 1


def main():
    # seccomp(2): load the number of the system call; this one fails, the others are allowed.
    rules = struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, LANDLOCK_CREATE_RULESET, 0x06, 0, 0, 0x00050000 | EPERM, 0x06, 0, 0, 0x7FFF0000)
    memory = ctypes.create_string_buffer(rules, len(rules))
    program = struct.pack("HxxxxxxP", 4, ctypes.addressof(memory))
    system = ctypes.CDLL(None, use_errno=True)
    if system.prctl(38, 1, 0, 0, 0) != 0 or system.prctl(22, 2, program) != 0:
        raise OSError(ctypes.get_errno(), "no filter")
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
