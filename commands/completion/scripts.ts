/** The completion scripts. Each runs `homesec __complete` with the words up to the cursor, which prints one candidate per line. */
export const scripts = {
  bash: `# bash completion for homesec
_homesec() {
  local word quote words=() escape='s/[][ "'\\''\`$&|;<>(){}*?!~#^=:\\\\]/\\\\&/g'
  # bash passes the words as typed, with quotes, and expects candidates the same way
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    quote=
    case $word in
      [\\'\\"]*) quote=\${word:0:1}; word=\${word:1}; word=\${word%"$quote"} ;;
      *) word=\${word//\\\\/} ;;
    esac
    words+=("$word")
  done
  case $quote in
    \\') escape="/'/d" ;;
    \\") escape='s/["$\`\\\\]/\\\\&/g' ;;
  esac
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(homesec __complete "\${words[@]}" 2>/dev/null | sed "$escape")
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _homesec homesec
`,
  zsh: `#compdef homesec
_homesec() {
  local -a candidates
  candidates=("\${(@f)$(homesec __complete "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -- "\${candidates[@]}"; else _files; fi
}
if [[ "$funcstack[1]" == _homesec ]]; then _homesec "$@"; else compdef _homesec homesec; fi
`,
  fish: `# fish completion for homesec
function __homesec_complete
  set -l words (commandline -opc) (commandline -ct | string unescape)
  set -l found (homesec __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c homesec -f -a '(__homesec_complete)'
`,
} as const;
