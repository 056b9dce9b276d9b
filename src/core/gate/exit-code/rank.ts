/**
 * The purpose of a command: `plain` prepares, prints or cleans up; `aside` reports or serves; `work` is anything unknown;
 * a `judge` compares or searches; a `test` has the name of a test or a linter.
 */
export type Rank = 'plain' | 'aside' | 'work' | 'judge' | 'test';

const plain: ReadonlySet<string> = new Set(
  (
    'true false : echo printf cd pushd popd export unset set shopt trap ulimit umask alias unalias read local declare ' +
    'readonly typeset source . mkdir rmdir rm cp mv touch ln chmod chown cat tee head tail less more sort uniq wc cut tr ' +
    'sed column date sleep wait kill pkill killall pwd ls tree printenv clear exit return break continue shift tput ' +
    'base64 nl fold fmt tac rev sync sponge ts jobs disown strip-ansi ansi2txt stty hash basename dirname realpath seq'
  ).split(' '),
);
const aside: ReadonlySet<string> = new Set(
  (
    'curl wget git gh glab docker docker-compose podman kubectl notify-send say osascript logger mail sendmail open ' +
    'xdg-open tmux screen systemctl service serve http-server wait-on find which type'
  ).split(' '),
);
const judges: ReadonlySet<string> = new Set(
  '[ [[ test grep egrep fgrep zgrep rg ag ack diff cmp comm expr let sha256sum md5sum shasum pgrep'.split(' '),
);

/** Programs that only start another program. */
const starters: ReadonlySet<string> = new Set(
  (
    'env time exec command builtin nohup nice ionice sudo doas stdbuf unbuffer setsid xvfb-run faketime caffeinate ' +
    'chronic cross-env dotenv xargs parallel timeout gtimeout'
  ).split(' '),
);

const testName = new RegExp(
  String.raw`(?:^|[:._/@-])(?:${[
    'tests?|specs?|checks?|verify|lint|linter|e2e|unit|integration|acceptance|smoke|typecheck|type-check|coverage',
    'jest|vitest|mocha|ava|tap|tape|pytest|py\\.test|unittest|nose2?|tox|nox|rspec|minitest|phpunit|pest|ctest|gtest',
    'playwright|cypress|karma|jasmine|nextest|gotestsum|bats|behave|cucumber|robot|testcafe|newman|shellspec',
    'eslint|oxlint|stylelint|flake8|pylint|ruff|mypy|pyright|rubocop|clippy|vet|golangci-lint|shellcheck|phpstan|psalm',
  ].join('|')})(?:[:._/@-]|\d*$)`,
  'i',
);
/** Names such as `test:setup` and `build-tests`, which prepare tests. */
const prepares =
  /(?:^|[:._/-])(?:setup|set-up|teardown|seed|install|build|compile|clean|prepare|start|serve|server|watch|up|down|migrate|reset|fixtures?|data|init|bootstrap)(?:[:._/-]|$)/i;

/** Scripts that run after the tests. */
const reports = /^(?:clean-?up|tear-?down|notify|report|summary)/i;

/** The command that starters run: `env A=1 timeout 60 npm test` is `npm test`. */
function startedBy(words: readonly string[]): readonly string[] {
  let at = 0;
  while (starters.has(baseName(words[at] ?? ''))) {
    at += 1;
    while (/^-|^[A-Za-z_]\w*=|^[\d.]+[smhd]?$/.test(words[at] ?? '')) at += 1;
  }
  return words.slice(at);
}

/** The purpose of a command, as far as its words show it. */
export function rankOf(all: readonly string[]): Rank {
  const [first = '', ...args] = startedBy(all);
  const program = baseName(first);
  if (first === '') return 'plain';
  if (judges.has(program) || (program === 'jq' && args.some((word) => /^-\w*e|^--exit-status$/.test(word))))
    return 'judge';
  if (program === 'git' && args.some((word) => word === '--exit-code' || word === '--quiet')) return 'judge';
  if (program === 'awk') return args.some((word) => word.includes('exit')) ? 'judge' : 'plain';
  if (plain.has(program) || program === 'jq' || (/^(?:command|type)$/.test(all[0] ?? '') && all[1] === '-v'))
    return 'plain';
  const inner = innerCommand(program, args);
  if (inner !== undefined) return inner.length === 0 ? 'aside' : rankOf(inner);
  if (isTest(program, first, args)) return 'test';
  return aside.has(program) || reports.test(program) ? 'aside' : 'work';
}

/** The command that `find -exec` or `docker run` starts; undefined for other programs. */
function innerCommand(program: string, args: readonly string[]): readonly string[] | undefined {
  if (program === 'find') {
    const at = args.findIndex((word) => /^-(?:exec|execdir|ok|okdir)$/.test(word));
    return at === -1 ? [] : args.slice(at + 1);
  }
  if (!/^(?:docker|podman|docker-compose|kubectl)$/.test(program)) return undefined;
  const at = args.findIndex((word) => word === 'run' || word === 'exec');
  const rest = args.slice(at + 1);
  const begins = rest.findIndex((word) => testName.test(word) || word === 'npm' || word === 'sh' || word === 'bash');
  return at === -1 || begins === -1 ? [] : rest.slice(begins);
}

const managers = /^(?:npm|pnpm|yarn|bun)$/;
const maxNamedWords = 6;

function isTest(program: string, path: string, args: readonly string[]): boolean {
  if (args.includes('--test')) return true;
  if (managers.test(program) && args.some((word) => word === 't' || word === 'tst')) return true;
  const named = [path, ...args.filter((word) => !word.startsWith('-'))].slice(0, maxNamedWords);
  return named.some((word) => testName.test(word) && !prepares.test(word));
}

export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}

/** Programs that read test results from their input and exit accordingly. */
const resultReaders = /^(?:tap-[\w-]+|faucet|tapview|tparse|gotestfmt|gotestsum|prove)$/;

/** Whether the last stage of a pipe judges its input, so that a failure before it is not lost. */
export function judgesInput(all: readonly string[]): boolean {
  const words = startedBy(all).filter((word) => !/^(?:npx|bunx|pnpx)$/.test(word));
  const [program = '', ...args] = words;
  const name = baseName(program);
  if (name === 'go-junit-report') return args.some((word) => word.endsWith('-set-exit-code'));
  if (/^(?:e|f|z)?grep$|^rg$/.test(name)) return args.some((word) => /^-[a-zA-Z]*q|^--quiet$|^--silent$/.test(word));
  return resultReaders.test(name) || (rankOf(all) === 'judge' && !/^(?:e|f|z)?grep$|^rg$|^ag$|^ack$/.test(name));
}

/** The positions of the words that make a command exit 0 in any case: `make -i`, `flake8 --exit-zero`. */
export function silencers(all: readonly string[]): readonly number[] {
  const offset = all.length - startedBy(all).length;
  const [program = '', ...args] = startedBy(all);
  const name = baseName(program);
  const found = args.flatMap((word, index) => {
    if (/^g?make$/.test(name))
      return /^-[bBdehikLnqrRsStvw]*i[bBdehikLnqrRsStvw]*$|^--ignore-errors$/.test(word) ? [index] : [];
    if (/^mvnw?$/.test(name))
      return /^(?:-fn|--fail-never|-D(?:maven\.)?test\.?failure\.ignore(?:=true)?)$/i.test(word) ? [index] : [];
    if (word === '--exit-zero' || word === '--nostatusrc' || /^--(?:issues|failure)-exit-code=0$/.test(word))
      return [index];
    if (/^--(?:issues|failure)-exit-code$/.test(word) && args[index + 1] === '0') return [index, index + 1];
    return [];
  });
  if (name === 'find' && args.at(-1) === ';') return [all.length - 1];
  return found.map((index) => index + 1 + offset);
}
