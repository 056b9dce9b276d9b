import type { CheckCommand } from '../../protocol/index.ts';

/** Files that the user's shells read at start. The shells of checks should not, but a login shell does. */
export const shellProfiles: readonly string[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.zshenv',
  '.zshrc',
].map((name) => `~/${name}`);

/** The profiles that the shells of a line read first: `bash -lc`, `zsh -i`. */
export function profilesReadBy(check: CheckCommand): readonly string[] {
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

const pythonStartFiles = ['sitecustomize.py', 'usercustomize.py'];

/** The files that shells and runtimes load first because of environment variables. */
export function filesLoadedByEnvironment(env: Environment): readonly string[] {
  const listed = (name: string) => (env[name] ?? '').split(/[:\s]+/).filter((word) => word !== '');
  const files = [
    ...['BASH_ENV', 'ENV', 'PYTHONSTARTUP'].flatMap((name) => env[name] ?? []),
    ...listed('LD_PRELOAD'),
    ...listed('PYTHONPATH').flatMap((folder) => pythonStartFiles.map((file) => `${folder}/${file}`)),
    ...['NODE_OPTIONS', 'RUBYOPT', 'PERL5OPT'].flatMap((name) => filesInOptions(env[name] ?? '')),
  ];
  return [...new Set(files)].filter((file) => file.includes('/') && !/[\0$*]/.test(file));
}

/** `--require ./a.js`, `-r./a`, `--import=./a.mjs`, `-I/lib`: the caller keeps only paths. */
function filesInOptions(options: string): readonly string[] {
  const words = options.split(/\s+/).map((word) => word.replace(/^(?:--[\w-]+=|-[rI](?=.))/, ''));
  return words.filter((word) => !word.startsWith('-')).map((word) => word.replace(/^file:\/\//, ''));
}
