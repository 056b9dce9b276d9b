import type { CheckCommand } from '../../protocol/index.ts';

/** Files that a shell of the user reads when it starts: none that a check runs should, but a login shell does. */
export const shellProfiles: readonly string[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.zshenv',
  '.zshrc',
].map((name) => `~/${name}`);

/** The profiles that a line has its own shells read first: `bash -lc`, `zsh -i`. */
export function profilesRead(check: CheckCommand): readonly string[] {
  const text = typeof check === 'string' ? check : check.join(' ');
  return [...text.matchAll(/\b(ba|da|k|z)?sh((?:\s+-[-\w]+)*)/g)].flatMap(([, shell, flags = '']) => {
    const isLogin = /\s(?:-[a-zA-Z]*l|--login\b)/.test(flags);
    return [
      ...(shell === 'z' ? ['~/.zshenv'] : []),
      ...(isLogin ? ['~/.profile', '~/.bash_profile', '~/.bash_login', '~/.bashrc', '~/.zprofile'] : []),
      ...(/\s-[a-zA-Z]*i/.test(flags) ? ['~/.bashrc', '~/.zshrc'] : []),
    ];
  });
}

type Environment = Readonly<Record<string, string | undefined>>;

const startFiles = ['sitecustomize.py', 'usercustomize.py'];

/** The files that the variables of an environment have shells and runtimes load first. */
export function filesInEnvironment(env: Environment): readonly string[] {
  const listed = (name: string) => (env[name] ?? '').split(/[:\s]+/).filter((word) => word !== '');
  const files = [
    ...['BASH_ENV', 'ENV', 'PYTHONSTARTUP'].flatMap((name) => env[name] ?? []),
    ...listed('LD_PRELOAD'),
    ...listed('PYTHONPATH').flatMap((folder) => startFiles.map((file) => `${folder}/${file}`)),
    ...['NODE_OPTIONS', 'RUBYOPT', 'PERL5OPT'].flatMap((name) => filesInOptions(env[name] ?? '')),
  ];
  return [...new Set(files)].filter((file) => file.includes('/') && !/[\0$*]/.test(file));
}

/** `--require ./a.js`, `-r./a`, `--import=./a.mjs`, `-I/lib`: only what is a path can be told. */
function filesInOptions(options: string): readonly string[] {
  const words = options.split(/\s+/).map((word) => word.replace(/^(?:--[\w-]+=|-[rI](?=.))/, ''));
  return words.filter((word) => !word.startsWith('-')).map((word) => word.replace(/^file:\/\//, ''));
}
