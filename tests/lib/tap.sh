# For .tap scripts: counts and prints results. To be sourced.
tap_n=0

# tap_ok NAME
tap_ok() {
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1"
}

# tap_not_ok NAME [REASON]; the reason may have many lines.
tap_not_ok() {
    tap_n=$((tap_n + 1))
    echo "not ok $tap_n - $1"
    [ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/#   /'
}

# tap_empty NAME COMPLAINTS: passes if there are none.
tap_empty() {
    if [ -z "$2" ]; then tap_ok "$1"; else tap_not_ok "$1" "$2"; fi
}

# tap_some NAME TEXT: passes if there is a text; for lists that others go through.
tap_some() {
    if [ -n "$2" ]; then tap_ok "$1"; else tap_not_ok "$1"; fi
}

# tap_skip NAME REASON
tap_skip() {
    tap_n=$((tap_n + 1))
    echo "ok $tap_n - $1 # SKIP $2"
}

# tap_skip_all REASON: nothing here can be tested.
tap_skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# tap_full WHAT: true in `./bootstrap check full`; else says that what takes long is left out.
tap_full() {
    [ "${MARPLE_TESTS-}" = full ] || {
        tap_skip "$1" "it takes long; ./bootstrap check full does it"
        return 1
    }
}

# tap_full_only: for a whole script.
tap_full_only() {
    [ "${MARPLE_TESTS-}" = full ] || tap_skip_all "it takes long; ./bootstrap check full does it"
}

# tap_done: a script that has come to no test has failed.
tap_done() {
    [ "$tap_n" -gt 0 ] || tap_not_ok "there is something to test"
    echo "1..$tap_n"
}
