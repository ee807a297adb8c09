#compdef marple
# Completion for zsh: asks the program, so it knows no list.
local -a offers
offers=(${(f)"$(marple help --complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
if (( $#offers )); then compadd -- $offers; else _files; fi
