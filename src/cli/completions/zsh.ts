import { type CompletedCommand, type Offer, valuedNames } from './table.ts';

/** A script for zsh. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef ralphd
# Completions of ralphd for zsh. In ~/.zshrc, after compinit: source <(ralphd completions zsh)
_ralphd_ids() {
  local -a ids
  ids=(\${(f)"$("\${words[1]}" completions ids 2> /dev/null)"})
  compadd -a ids
}

_ralphd() {
  local before=\${words[CURRENT-1]} cur=\${words[CURRENT]} command='' valued='' word
  local -i args=0 takes=0 i
  local -a commands flags
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${escaped(summary)}'`).join('\n')}
    'help:Show the help of a command'
  )
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if ((takes)); then
      takes=0
    elif [[ -z $command ]]; then
      case $word in
${commands.map(({ name, flags }) => `        (${name}) command=${name} valued=' ${valuedNames(flags).join(' ')} ' ;;`).join('\n')}
        (help) command=help ;;
        (-*) ;;
        (*) return ;;
      esac
    elif [[ $word == -- ]]; then
      return
    elif [[ $valued == *" $word "* ]]; then
      takes=1
    elif [[ $word != -* ]]; then
      args+=1
    fi
  done
  if [[ $cur == --*=* ]]; then
    before=\${cur%%=*}
    compset -P '*='
    takes=1
  fi
  case $command in
    ('')
      if [[ $cur == -* ]]; then compadd -- --help --version; else _describe 'command' commands; fi
      ;;
    (help) _describe 'command' commands ;;
${commands.map(commandCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _ralphd ]]; then _ralphd "$@"; else compdef _ralphd ralphd; fi
`;
}

function commandCase({ name, flags, args }: CompletedCommand): string {
  const valued = flags.flatMap(({ names, value }) =>
    value === undefined ? [] : [`          (${names.join('|')}) ${lines(value)};;`],
  );
  const positions = args.map((offer, index) => `          (${index}) ${lines(offer)};;`);
  const described = flags.map(({ names, summary }) => `          '${names[0] ?? ''}:${escaped(summary)}'`);
  return `    (${name})
      if ((takes)); then
        case $before in
${[...valued, '          (*) ;;'].join('\n')}
        esac
      elif [[ $cur == -* ]]; then
        flags=(
${described.join('\n')}
        )
        _describe -o 'option' flags
      else
        case $args in
${[...positions, '          (*) ;;'].join('\n')}
        esac
      fi
      ;;`;
}

function lines({ words, files, folders, ids }: Offer): string {
  return [
    ...(words.length === 0 ? [] : [`compadd -- ${words.join(' ')}; `]),
    ...(files ? ['_files; '] : []),
    ...(folders ? ['_files -/; '] : []),
    ...(ids ? ['_ralphd_ids; '] : []),
  ].join('');
}

function escaped(text: string): string {
  return text.replaceAll(':', '\\:');
}
