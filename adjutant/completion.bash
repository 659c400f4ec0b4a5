_adjutant() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= sub= words= options= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${COMP_WORDS[i]}" in
        --root) ((i++)) ;;
        -* | help) ;;
        *) if [ -z "$verb" ]; then verb=${COMP_WORDS[i]}; elif [ -z "$sub" ]; then sub=${COMP_WORDS[i]}; fi ;;
        esac
    done
    case "$verb $sub" in
@CASES@
    *) words="@VERBS@" options="@OPTIONS@" ;;
    esac
    case "$verb $sub $prev" in
    *" --root") words= ;;
@VALUES@
    esac
    case "$cur" in -*) words=$options ;; esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _adjutant adjutant
