import { type CompletedCommand, type Offer, valuedNames } from './table.ts';

/** A script for bash (3.2 or newer). */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  return `# Completions of ralphd for bash. In ~/.bashrc: source <(ralphd completions bash)
_ralphd_offer() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$@" -- "$cur")
}

_ralphd_ids() {
  _ralphd_offer -W "$("\${COMP_WORDS[0]}" completions ids 2> /dev/null)"
}

_ralphd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command='' valued='' word i
  local -i args=0 takes=0
  COMPREPLY=()
  if [ "$cur" = '=' ]; then cur=''; elif [ "$before" = '=' ]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [ "$takes" = 1 ]; then
      [ "$word" = '=' ] || takes=0
    elif [ -z "$command" ]; then
      case $word in
${commands.map(({ name, flags }) => `        ${name}) command=${name} valued=' ${valuedNames(flags).join(' ')} ' ;;`).join('\n')}
        help) command=help ;;
        -*) ;;
        *) return ;;
      esac
    elif [ "$word" = '--' ]; then
      return
    elif [[ "$valued" == *" $word "* ]]; then
      takes=1
    elif [[ "$word" != -* ]]; then
      args+=1
    fi
  done
  case $command in
    '') _ralphd_offer -W '${names} help --help --version' ; return ;;
    help) _ralphd_offer -W '${names}' ; return ;;
${commands.map(commandCase).join('\n')}
  esac
}

complete -F _ralphd ralphd
`;
}

function commandCase({ name, flags, args }: CompletedCommand): string {
  const valued = flags.flatMap(({ names, value }) =>
    value === undefined ? [] : [`        ${names.join(' | ')}) ${lines(value)}return ;;`],
  );
  const positions = args.map((offer, index) => `        ${index}) ${lines(offer)};;`);
  return `    ${name})
      case $before in
${[...valued, '        *) ;;'].join('\n')}
      esac
      if [[ "$cur" == -* ]]; then
        _ralphd_offer -W '${flags.flatMap(({ names }) => names.slice(0, 1)).join(' ')}'
        return
      fi
      case $args in
${[...positions, '        *) ;;'].join('\n')}
      esac
      ;;`;
}

function lines({ words, files, folders, ids }: Offer): string {
  return [
    ...(words.length === 0 ? [] : [`_ralphd_offer -W '${words.join(' ')}'; `]),
    ...(files ? ['_ralphd_offer -f; '] : []),
    ...(folders ? ['_ralphd_offer -d; '] : []),
    ...(ids ? ['_ralphd_ids; '] : []),
  ].join('');
}
