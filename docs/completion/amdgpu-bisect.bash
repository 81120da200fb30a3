# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for amdgpu-bisect. Options come from the program itself, so they cannot go stale.

_amdgpu_bisect() {
	local cur prev command state word choices
	cur=${COMP_WORDS[COMP_CWORD]}
	prev=${COMP_WORDS[COMP_CWORD - 1]}
	command=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" --help 2>/dev/null |
			sed -n 's/^  \([a-z][a-z]*\) .*/\1/p') --help --version" -- "$cur")
		return
	fi
	# A choice such as "unit|module" stands in the help where the value goes.
	choices=$("$1" "$command" --help 2>/dev/null |
		sed -n "s/^ .*${prev//[^a-z-]/} \([a-z]*|[a-z|]*\) .*/\1/p" | head -n 1)
	if [ "${prev#-}" != "$prev" ] && [ -n "$choices" ]; then
		mapfile -t COMPREPLY < <(compgen -W "${choices//|/ }" -- "$cur")
		return
	fi
	case $prev in
	--repo|-C|--dir|-d|--evidence|--out|--modules|--runtime-dir|--firmware) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
	--source|--kconfig|--symvers|--image|--agent|--runtime-deb|--sources|--gpu-rom|--config|--replay|--output|-o)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
	esac
	case $prev in
	--old|--new)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur"; compgen -W "HEAD $(git for-each-ref --format='%(refname:short)' 2>/dev/null)" -- "$cur")
		return ;;
	esac
	if [ "${cur#-}" != "$cur" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$("$1" "$command" --help 2>/dev/null |
			grep -o -- '--[a-z-]*')" -- "$cur")
		return
	fi
	case $command in
	resume|prove|status|report|log|visualize)
		state=${XDG_STATE_HOME:-$HOME/.local/state}/amdgpu-bisect
		for word in "$state"/*/run.db; do
			[ -e "$word" ] && COMPREPLY+=("$(basename "$(dirname "$word")")")
		done
		mapfile -t COMPREPLY < <(compgen -W "${COMPREPLY[*]}" -- "$cur")
		;;
	replay) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	image)
		mapfile -t COMPREPLY < <(compgen -W "list show build check remove $("$1" image 2>/dev/null |
			sed -n 's/^\([a-z]*-[0-9a-f]*\) .*/\1/p')" -- "$cur")
		;;
	test|build|plan|run)
		mapfile -t COMPREPLY < <(compgen -W "HEAD $(git for-each-ref --format='%(refname:short)' 2>/dev/null)" -- "$cur")
		;;
	esac
}
complete -F _amdgpu_bisect amdgpu-bisect
