# Completion for fish: asks the program, so it knows no list; without an answer fish offers files.
function __marple_offers
    set -l words (commandline -opc) (commandline -ct)
    marple help --complete -- $words[2..-1] 2>/dev/null
end
complete -c marple -n 'test (count (__marple_offers)) -gt 0' -f
complete -c marple -a '(__marple_offers)'
