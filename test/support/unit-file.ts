import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { follow, type Project, type Running } from './project.ts';

/** The folder with the user's systemd units. */
export function unitFolder(project: Project): string {
  return path.join(path.dirname(project.folder), '.config/systemd/user');
}

/** A fake systemctl that records its calls and links an enabled unit like the real one. */
export function writeSystemctl(project: Project, failure?: string): { readonly PATH: string; calls(): string } {
  const home = path.dirname(project.folder);
  const folder = path.join(home, 'stand-ins');
  mkdirSync(folder);
  const lines = [
    '#!/bin/sh',
    'echo "$*" >> "$HOME/systemctl-calls"',
    ...(failure === undefined ? [] : [`echo "${failure}" >&2`, 'exit 1']),
    '[ "$2" = enable ] || exit 0',
    'mkdir -p "$HOME/.config/systemd/user/default.target.wants"',
    'ln -s "../$3" "$HOME/.config/systemd/user/default.target.wants/$3"',
    '',
  ];
  writeFileSync(path.join(folder, 'systemctl'), lines.join('\n'), { mode: 0o755 });
  const calls = path.join(home, 'systemctl-calls');
  return {
    PATH: [folder, project.env['PATH']].join(path.delimiter),
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8') : ''),
  };
}

/** Starts a unit's command like systemd: in its working directory, with its variables and little else. */
export function startUnit(project: Project, file: string): Running {
  const values = (name: string) =>
    [...readFileSync(file, 'utf8').matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const [program = '', ...args] = wordsOf(values('ExecStart')[0]?.replace(/^:/, '') ?? '');
  const variables = values('Environment').flatMap(wordsOf);
  const env = Object.fromEntries(variables.map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const { HOME, RALPHD_ATTEMPT } = project.env;
  const cwd = values('WorkingDirectory')[0]?.replaceAll('%%', '%');
  return follow(spawn(program, args, { cwd, env: { ...env, HOME, RALPHD_ATTEMPT }, detached: true }));
}

function wordsOf(value: string): string[] {
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain = '']) =>
    (quoted ?? plain)
      .replace(/\\(x[0-9a-f]{2}|.)/g, (_, escape: string) =>
        escape.length === 1 ? escape : String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
      )
      .replaceAll('%%', '%'),
  );
}
