# Sourced by ./run and by sanitize_touched.sh, in the root of the tree: how the sanitizers report. Their reports fail a test,
# leaks count, and suppressions are for third-party code only.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$PWD/tests/deep/leaks.supp:print_suppressions=0}
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 ${TSAN_OPTIONS:-}"
