# Completion for bash: asks the program, so it knows no list.
_marple() {
    local word=${COMP_WORDS[COMP_CWORD]} words=() part

    # bash takes "--tracer=ez" apart, into three words.
    for part in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        [ "$part" = = ] || words+=("$part")
    done
    if [ "$word" = = ]; then
        word=
        words+=("")
    fi
    mapfile -t COMPREPLY < <(marple help --complete -- "${words[@]}" 2>/dev/null)
    if [ ${#COMPREPLY[@]} -eq 0 ]; then
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _marple marple
