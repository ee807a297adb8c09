# To be sourced, after tests/lib/tap.sh.
system=$top_srcdir/tests/system

# run_python SCRIPT [MODULE...]: continues as a test written in Python, or skips it where Python
# or one of the modules is not there.
run_python() {
    script=$1
    shift
    needed=sys
    for module in "$@"; do needed="$needed, $module"; done
    # Beside a Python of one's own, which may lack the modules, there may be Debian's.
    for python in python3 /usr/bin/python3; do
        "$python" -W ignore -c "import $needed; sys.exit(sys.version_info < (3, 8))" \
            2>/dev/null || continue
        # The source tree may be read-only, and is nobody's cache.
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$system exec "$python" "$system/$script"
    done
    tap_skip_all "no python3${1+ with} $*"
}
