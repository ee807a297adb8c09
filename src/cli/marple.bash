# Completion for bash: asks the program for its commands and options, so it knows no list.
_marple() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(marple help --list 2>/dev/null)" -- "$word")
    elif [ "$command" = help ] && [ "${word:0:1}" != - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(marple help --list 2>/dev/null)" -- "$word")
    elif [ "${word:0:1}" = - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(marple help --list "$command" 2>/dev/null)" -- "$word")
    else
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _marple marple
