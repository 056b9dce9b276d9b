import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Enclosure } from './enclose.ts';
import { confineCommand, seatbeltProfile, unfitForSeatbelt } from './seatbelt.ts';

const work = '/Users/me/my "work" \\ (tree)';
const enclosure: Enclosure = {
  shows: 'machine',
  cwd: work,
  binds: [
    { source: work, target: work, writable: true },
    { source: `${work}/.git`, target: `${work}/.git`, writable: true },
    { source: `${work}/.git/hooks`, target: `${work}/.git/hooks`, writable: false },
  ],
  hidden: ['/Users/me/.ssh', `${work}/.ralph`],
};

test('a profile for macOS has the same places as a sandbox on Linux, outer ones first', () => {
  expect(seatbeltProfile(enclosure, '/state/failed')).toMatchInlineSnapshot(`
    "(version 1)
    (allow default)
    (deny file-write*)
    (allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper") (regex #"^/dev/tty"))
    (deny signal)
    (allow signal (target same-sandbox))
    (deny process-info*)
    (allow process-info* (target same-sandbox))
    (deny mach-priv-task-port)
    (deny appleevent-send)
    (deny lsopen)
    (deny job-creation)
    (deny network-outbound (remote unix-socket))
    (allow network-outbound (literal "/private/var/run/mDNSResponder"))
    (allow network-outbound (subpath "/Users/me/my \\"work\\" \\\\ (tree)"))
    (allow network-outbound (subpath "/Users/me/my \\"work\\" \\\\ (tree)/.git"))
    (deny file-read* file-write* network-outbound (subpath "/Users/me/.ssh"))
    (allow file-read* file-write* (subpath "/Users/me/my \\"work\\" \\\\ (tree)"))
    (allow file-read* file-write* (subpath "/Users/me/my \\"work\\" \\\\ (tree)/.git"))
    (deny file-read* file-write* network-outbound (subpath "/Users/me/my \\"work\\" \\\\ (tree)/.ralph"))
    (allow file-read* (subpath "/Users/me/my \\"work\\" \\\\ (tree)/.git/hooks"))
    (deny file-write* (subpath "/Users/me/my \\"work\\" \\\\ (tree)/.git/hooks"))
    (deny file-write-unlink (literal "/Users/me/my \\"work\\" \\\\ (tree)"))
    (deny file-write-unlink (literal "/Users/me/my \\"work\\" \\\\ (tree)/.git"))
    (allow file-read-metadata file-write-unlink (literal "/state/failed"))
    "
  `);
});

test('a profile is a list of rules that the reader of macOS can take apart, whatever the places are called', () => {
  const odd = [
    '/a"b',
    '/a\\',
    '/a\\"b',
    '/(deny default)',
    '/a) (allow file-write* (subpath "/")',
    '/ü 💥',
    '/a;b',
    '/a#b',
  ];
  const binds = odd.map((place) => ({ source: place, target: place, writable: true }));
  const rules = read(seatbeltProfile({ ...enclosure, binds, hidden: odd.map((place) => `${place}/secret`) }));
  expect(rules[0]).toEqual(['version', '1']);
  for (const [action] of rules.slice(1)) expect(['allow', 'deny']).toContain(action);
  const written = rules.filter((rule) => rule.slice(0, 3).join(' ') === 'allow file-read* file-write*');
  expect(written.map(([, , , filter]) => filter)).toEqual(
    [...odd].sort((a, b) => a.length - b.length).map((place) => ['subpath', JSON.stringify(place)]),
  );
});

test('what no profile can express is named', () => {
  const named = (place: string) => unfitForSeatbelt({ ...enclosure, hidden: [place] });
  expect(['/a\nb', '/a\0b', '/a\u007fb', '/fine'].map(named)).toEqual(['/a\nb', '/a\0b', '/a\u007fb', undefined]);
});

test('a profile that was refused is told from a command that fails', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'ralphd-seatbelt-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = path.join(folder, 'sandbox-exec');
  const statusFile = path.join(folder, 'failed');
  const run = (text: string) => {
    writeFileSync(program, `#!/bin/sh\n${text}\n`);
    chmodSync(program, 0o755);
    const own = { ...enclosure, cwd: folder };
    const { command } = confineCommand({ command: 'pwd; exit 7', env: {}, enclosure: own, statusFile }, program);
    const [file = '', ...args] = command;
    const { status, stdout } = spawnSync(file, args, { encoding: 'utf8' });
    return { status, stdout, failed: existsSync(statusFile) && readFileSync(statusFile, 'utf8') };
  };
  expect(run('shift 2; exec "$@"')).toEqual({ status: 7, stdout: `${folder}\n`, failed: false });
  expect(run('exit 65')).toEqual({ status: 65, stdout: '', failed: 'not set up\n' });
});

type Expression = string | readonly Expression[];

/** Reads S-expressions; strings keep their quotes, with what is escaped in them as in JSON. */
function read(text: string): readonly (readonly Expression[])[] {
  const tokens = text.match(/#?"(?:\\.|[^"\\])*"|[()]|[^\s()"]+/gu) ?? [];
  expect(tokens.join('').replace(/\s/gu, '')).toBe(text.replace(/\s/gu, ''));
  const one = (): Expression => {
    const token = tokens.shift() ?? '';
    if (token !== '(')
      return token.startsWith('"') ? JSON.stringify(token.slice(1, -1).replace(/\\(.)/gu, '$1')) : token;
    const list: Expression[] = [];
    while (tokens.length > 0 && tokens[0] !== ')') list.push(one());
    expect(tokens.shift()).toBe(')');
    return list;
  };
  const all: Expression[] = [];
  while (tokens.length > 0) all.push(one());
  return all as readonly (readonly Expression[])[];
}
