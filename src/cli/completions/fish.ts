import { type CompletedCommand, type CompletedFlag, type Offer, valuedNames } from './table.ts';

/** A script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  return `# Completions of ralphd for fish: ralphd completions fish > ~/.config/fish/completions/ralphd.fish
function __ralphd_ids
    set -l words (commandline -opc)
    $words[1] completions ids 2>/dev/null
end

# Succeeds for a command and the number of arguments that it has so far; -1 stands for any number.
function __ralphd_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l command ''
    set -l valued
    set -l count 0
    set -l takes 0
    for word in $words
        if test $takes = 1
            set takes 0
        else if test -z "$command"
            string match -q -- '-*' $word; and continue
            set command $word
            switch $command
${commands.map(({ name, flags }) => `                case ${name}\n                    set valued ${valuedNames(flags).join(' ')}`).join('\n')}
            end
        else if contains -- $word $valued
            set takes 1
        else if not string match -q -- '-*' $word
            set count (math $count + 1)
        end
    end
    test "$command" = "$argv[1]"; or return 1
    test $argv[2] = -1; and return
    test $takes = 0; and test $count = $argv[2]
end

complete -c ralphd -f
${commands.map(({ name, summary }) => `complete -c ralphd -n "__ralphd_at '' 0" -a ${name} -d '${summary}'`).join('\n')}
complete -c ralphd -n "__ralphd_at '' 0" -a help -d 'Show the help of a command'
complete -c ralphd -n "__ralphd_at '' 0" -l version -d 'Show the version'
complete -c ralphd -n "__ralphd_at help 0" -a '${commands.map(({ name }) => name).join(' ')}'
${commands.flatMap(commandLines).join('\n')}
`;
}

function commandLines({ name, flags, args }: CompletedCommand): readonly string[] {
  return [
    ...args.flatMap((offer, index) => {
      const [wanted, answers] = [`complete -c ralphd -n "__ralphd_at ${name} ${index}"`, answersOf(offer)];
      return [...(answers === '' ? [] : [`${wanted} -a '${answers}'`]), ...(offer.files ? [`${wanted} -F`] : [])];
    }),
    ...flags.map((flag) => `complete -c ralphd -n "__ralphd_at ${name} -1" ${flagWords(flag)}`),
  ];
}

function flagWords({ names, summary, value }: CompletedFlag): string {
  const forms = names.map((each) => (each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`));
  return [...forms, ...(value === undefined ? [] : [valueWords(value)]), `-d '${summary}'`].join(' ');
}

function valueWords(offer: Offer): string {
  const answers = answersOf(offer);
  return [offer.files ? '-r -F' : '-x', ...(answers === '' ? [] : [`-a '${answers}'`])].join(' ');
}

function answersOf({ words, ids, folders }: Offer): string {
  return [...words, ...(ids ? ['(__ralphd_ids)'] : []), ...(folders ? ['(__fish_complete_directories)'] : [])].join(
    ' ',
  );
}
