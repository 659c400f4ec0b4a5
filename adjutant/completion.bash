{% if kind == "zsh" %}
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
{% endif %}
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
{% for each in every|sort(attribute="sub", reverse=true) %}
    {{ each.place }}) words="{{ (each.words or ("" if each.free else each.options))|join(" ") }}" options="{{ each.options|join(" ") }}" ;;
{% endfor %}
    *) words="{{ rows|join(" ", attribute="verb") }}" options="{{ common|join(" ") }}" ;;
    esac
    case "$verb $sub $prev" in
    *" --root") words= ;;
{% for each in every|sort(attribute="sub", reverse=true) %}
{% for name, found in each.values.items() %}
    {{ each.place }}" {{ name }}") words="{{ found|join(" ") }}" ;;
{% endfor %}
{% endfor %}
    esac
    case "$cur" in -*) words=$options ;; esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _adjutant adjutant
