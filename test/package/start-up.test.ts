import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const dist = path.resolve(import.meta.dirname, '../../dist');

/** The files that are loaded before a file of the package can run. */
function loadedFor(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name) || !existsSync(path.join(dist, name))) return seen;
  seen.add(name);
  const text = readFileSync(path.join(dist, name), 'utf8');
  for (const [, other = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) loadedFor(other, seen);
  return seen;
}

function fileOf(command: string): string {
  const holds = (name: string) => readFileSync(path.join(dist, name), 'utf8').includes(`async function ${command}(`);
  return readdirSync(dist).find((name) => name.endsWith('.js') && holds(name)) ?? '';
}

test.each(['statusCommand', 'lsCommand', 'completionsCommand'])(
  '%s is loaded without the schemas, which take longer than a look',
  (name) => {
    const files = [...loadedFor('cli.js'), ...loadedFor(fileOf(name))];
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => readFileSync(path.join(dist, file), 'utf8').includes('_zod'))).toEqual([]);
    expect(
      [...loadedFor(fileOf('runCommand'))].some((file) => readFileSync(path.join(dist, file), 'utf8').includes('_zod')),
    ).toBe(true);
  },
);

test('what sends traces and metrics is loaded only by a loop whose environment asks for it', () => {
  const sends = (file: string) => readFileSync(path.join(dist, file), 'utf8').includes('invoke_agent');
  expect(readdirSync(dist).filter((name) => name.endsWith('.js') && sends(name))).toHaveLength(1);
  expect([...loadedFor('cli.js'), ...loadedFor(fileOf('runCommand'))].filter(sends)).toEqual([]);
});

test('no file of the package imports a module of Node: reading all of its exports would slow down every start', () => {
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
  expect(files.filter((name) => /(from|import)"node:/.test(readFileSync(path.join(dist, name), 'utf8')))).toEqual([]);
});

test('a screen that is watched for days loads nothing of what runs agents, checks work or changes a loop', () => {
  const declares = (file: string, name: string) => readFileSync(path.join(dist, file), 'utf8').includes(name);
  const screen = readdirSync(dist).find((name) => name.endsWith('.js') && declares(name, 'ScreenSession=class')) ?? '';
  const files = [...loadedFor('cli.js'), ...loadedFor(fileOf('watchCommand')), ...loadedFor(screen)];
  expect(files.length).toBeGreaterThan(10);
  for (const name of ['sendToLoop', 'inspectIteration', 'driveLoop', 'createWorkspacePort']) {
    const declaration = `function ${name}(`;
    expect([name, readdirSync(dist).some((file) => file.endsWith('.js') && declares(file, declaration))]).toContain(
      true,
    );
    expect([name, files.filter((file) => declares(file, declaration))]).toEqual([name, []]);
  }
});

test('every file of the package is ASCII: one character beyond Latin-1 would double what the file takes in memory', () => {
  const files = readdirSync(dist).filter((name) => name.endsWith('.js'));
  const isAscii = (name: string) => /^[\x00-\x7f]*$/.test(readFileSync(path.join(dist, name), 'utf8'));
  expect(files.filter((name) => !isAscii(name))).toEqual([]);
});
