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
