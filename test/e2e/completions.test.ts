import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { launcher } from '../support/ralphd-process.ts';
import { hasTerminal, quoted, startLineInTerminal } from '../support/terminal.ts';

/** The words before the cursor, and what a shell offers for the last of them. */
const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['sta'], ['stats', 'status']],
  [
    ['status', 'ralph-'],
    ['ralph-fix-tests-a1b2c3d4', 'ralph-greet-e5f6a7b8'],
  ],
  [['status', 'gr'], ['greet']],
  [['logs', '--attempt', '2', 'ralph-g'], ['ralph-greet-e5f6a7b8']],
  [['logs', 'ralph-greet-e5f6a7b8', 'ra'], []],
  [['proof', 've'], ['verify']],
  [
    ['run', '--agent', 'c'],
    ['claude', 'codex', 'command'],
  ],
  [
    ['run', 'x', '--verify-in', ''],
    ['clean', 'sealed', 'tree'],
  ],
  [['run', '--verify', 'npm test', '--on-'], ['--on-limit']],
  [['run', '--prompt-file', 'PRO'], ['PROMPT.md']],
  [['config', 'e'], ['explain']],
  [['config', 'explain', 'iteration.time'], ['iteration.timeout']],
  [['help', 'comp'], ['completions']],
];

/** A project with two loops, and ralphd on the PATH. */
function stage(): { readonly project: Project; readonly env: NodeJS.ProcessEnv } {
  const project = createProject();
  for (const id of ['ralph-fix-tests-a1b2c3d4', 'ralph-greet-e5f6a7b8']) {
    const journal = path.join(project.folder, '.ralph', 'loops', id, 'journal');
    mkdirSync(journal, { recursive: true });
    writeFileSync(path.join(journal, '0001-0001.jsonl'), '');
  }
  project.write('PROMPT.md', 'x');
  project.script('ralphd', `exec ${quoted([process.execPath, launcher])} "$@"`);
  return { project, env: { ...project.env, PATH: `${project.folder}:/usr/bin:/bin`, TERM: 'xterm' } };
}

const hasShell = (name: string) => existsSync(`/usr/bin/${name}`);

/** Runs a program of a shell, which prints "==" after the answer to each case. */
function answers(shell: readonly string[], program: string, { project, env }: ReturnType<typeof stage>) {
  const [file = '', ...args] = shell;
  const { stdout, stderr } = spawnSync(file, [...args, program], { cwd: project.folder, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('==\n').map((answer) => answer.split('\n').flatMap(firstWord).sort());
}

const firstWord = (line: string) => (line === '' ? [] : [line.split('\t')[0] ?? '']);

test('bash completes commands, flags, values, settings and loops', (context) => {
  if (!hasShell('bash')) context.skip('bash is not installed');
  const program = cases.map(([words]) => {
    const all = ['ralphd', ...words];
    return `COMP_WORDS=(${quoted(all)}) COMP_CWORD=${all.length - 1}; _ralphd; printf '%s\\n' "\${COMPREPLY[@]}" ==`;
  });
  const lines = ['eval "$(ralphd completions bash)"', ...program].join('\n');
  const found = answers(['/usr/bin/bash', '--norc', '-c'], lines, stage());
  expect(found.slice(0, -1)).toEqual(cases.map(([, offered]) => offered));
});

test('fish completes commands, flags, values, settings and loops', (context) => {
  if (!hasShell('fish')) context.skip('fish is not installed');
  const program = cases.map(
    ([words]) => `complete -C ${quoted([['ralphd', ...words.map(plainWord)].join(' ')])}; echo ==`,
  );
  const lines = ['ralphd completions fish | source', ...program].join('\n');
  const found = answers(['/usr/bin/fish', '--no-config', '-c'], lines, stage());
  expect(found.slice(0, -1)).toEqual(cases.map(([, offered]) => offered));
});

const plainWord = (word: string) => (word.includes(' ') ? `"${word}"` : word);

/**
 * Writes down what would be offered (a call that only fills variables goes on as it is), and begins a new line at
 * Ctrl-N without leaving the line editor: keys that arrive while a command runs would go to the terminal itself.
 */
const zshRecorder = `autoload -Uz compinit; compinit -D -u; eval "$(ralphd completions zsh)"
compadd() {
  local -a hits
  case " \${(j: :)@[1,(i)(-|--)]} " in (*" -"[OAD]" "*) builtin compadd "$@"; return;; esac
  builtin compadd -A hits "$@"
  print -rl -- $hits >> answers
}
next-case() { print '==' >> answers; BUFFER='' }
zle -N next-case; bindkey '^N' next-case; setopt no_auto_list no_beep
`;

test('zsh completes commands, flags, values, settings and loops', async (context) => {
  if (!hasShell('zsh')) context.skip('zsh is not installed');
  if (!hasTerminal) context.skip('no terminal can be opened here');
  const { project, env } = stage();
  project.write('recorder.zsh', zshRecorder);
  const terminal = startLineInTerminal(project, 'exec zsh -f -i', { ...env, PS1: '> ' });
  terminal.press("source ./recorder.zsh; echo rea''dy\r");
  await expect.poll(() => terminal.output().stdout).toContain('ready');
  const typed = cases.map(([words]) => `${['ralphd', ...words.map(plainWord)].join(' ')}\t\u000e`);
  terminal.press(`${typed.join('')}exit\r`);
  await terminal.ended;
  const found = project.read('answers').split('==\n').slice(0, -1);
  const offered = found.map((answer) => [...new Set(answer.split('\n').flatMap(firstWord))].sort());
  expect(offered).toEqual(cases.map(([, expected]) => expected));
});

test.for([
  ['bash', '--norc --noprofile -i', 'bind "set enable-bracketed-paste off"'],
  ['zsh', '-f -i', 'autoload -Uz compinit; compinit -D -u'],
] as const)(
  'in a terminal, %s completes a loop and a value at the Tab key',
  async ([shell, options, prepare], context) => {
    if (!hasShell(shell)) context.skip(`${shell} is not installed`);
    if (!hasTerminal) context.skip('no terminal can be opened here');
    const { project, env } = stage();
    const terminal = startLineInTerminal(project, `exec ${shell} ${options}`, { ...env, PS1: '> ' });
    const shows = async (text: string) => await expect.poll(() => terminal.output().stdout).toContain(text);
    terminal.press(`${prepare}; eval "$(ralphd completions ${shell})"; echo rea''dy\r`);
    await shows('ready');
    terminal.press('ralphd explain ralph-gr\t');
    await shows('ralph-greet-e5f6a7b8');
    terminal.press('\u0015ralphd run x --verify-in sea\t');
    await shows('--verify-in sealed');
    terminal.press('\u0015exit\r');
    await terminal.ended;
  },
);
