# Completion for bash: asks the program for its commands, options and words, so it knows no list.

# _marple_words COMMAND: what the command can be told to do, "list|show|lint" in its usage; topics of
# vocab, names of patterns. Nothing where files are meant.
_marple_words() {
    case $COMP_CWORD:$1 in
    2:vocab) marple vocab 2>/dev/null | cut -d ' ' -f 1 ;;
    2:*) marple help "$1" 2>/dev/null | sed -n '1s/.* \([a-z]*|[a-z|]*\).*/\1/p' | tr '|' '\n' ;;
    *:pattern) marple pattern list 2>/dev/null | grep -v '^ ' ;;
    esac
}

# _marple_values COMMAND OPTION: what the option takes, "text|json" in the usage, and names of tracers.
_marple_values() {
    case $2 in
    --tracer)
        echo auto
        marple plan --list-tracers 2>/dev/null | sed -n 's/^\([^ ]*\):.*/\1/p'
        ;;
    --*) marple help "$1" 2>/dev/null | sed -n "s/.* $2 \([a-z]*|[a-z|]*\)\( .*\)*$/\1/p" | tr '|' '\n' ;;
    esac
}

_marple() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} before words

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(marple help --list 2>/dev/null)" -- "$word")
    elif [ "$command" = help ] && [ "${word:0:1}" != - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(marple help --list 2>/dev/null)" -- "$word")
    elif [ "${word:0:1}" = - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(marple help --list "$command" 2>/dev/null)" -- "$word")
    else
        before=${COMP_WORDS[COMP_CWORD - 1]}
        # bash takes "--tracer=" apart.
        if [ "$before" = = ]; then
            before=${COMP_WORDS[COMP_CWORD - 2]}
        elif [ "$word" = = ]; then
            before=${COMP_WORDS[COMP_CWORD - 1]}
            word=
        fi
        # Behind an option there may stand its value.
        if [ "${before:0:1}" = - ]; then
            words=$(_marple_values "$command" "$before")
        else
            words=$(_marple_words "$command")
        fi
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        if [ ${#COMPREPLY[@]} -eq 0 ]; then
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
    fi
}
complete -F _marple marple
