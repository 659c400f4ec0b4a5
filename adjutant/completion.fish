complete -c adjutant -f
complete -c adjutant -l root -r
{% for name in common[1:] %}
complete -c adjutant -l {{ name[2:] }}
{% endfor %}
{% for each in every %}
{% set seen = "__fish_seen_subcommand_from " ~ each.verb %}
complete -c adjutant -n {{ seen|quote if each.sub else "__fish_use_subcommand" }} -a {{ each.sub or each.verb }} -d {{ each.help|quote }}
{% set seen = seen ~ ("; and __fish_seen_subcommand_from " ~ each.sub if each.sub else "") %}
{% if each.free %}
complete -c adjutant -n {{ seen|quote }} {{ "-a " ~ each.words|join(" ")|quote if each.words else "-F" }}
{% endif %}
{% for name in each.own %}
complete -c adjutant -n {{ seen|quote }} -l {{ name[2:] }}{{ " -x -a " ~ each.values[name]|join(" ")|quote if name in each.values else "" }}
{% endfor %}
{% endfor %}
