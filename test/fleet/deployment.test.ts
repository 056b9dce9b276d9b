import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseCommandLine } from '../../src/cli/parse.ts';

const docs = path.resolve(import.meta.dirname, '../../docs');

/** The examples of a page, with their languages. */
function examples(page: string): readonly { readonly language: string; readonly text: string }[] {
  const found = readFileSync(path.join(docs, page), 'utf8').matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm);
  return [...found].map(([, language = '', text = '']) => ({ language, text }));
}

/** The command lines of ralphd in an example, as words. */
function commandsIn(text: string): readonly (readonly string[])[] {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const started = lines.flatMap((line) => /^(?:ExecStart=\/usr\/bin\/|\s*)ralphd (.+)$/.exec(line)?.[1] ?? []);
  const words = started.map((line) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? ''),
  );
  const entry = /^ENTRYPOINT (.+)$/m.exec(text)?.[1];
  if (entry === undefined) return words;
  const [, ...first] = JSON.parse(entry) as string[];
  return [...words, [...first, ...(JSON.parse(/^CMD (.+)$/m.exec(text)?.[1] ?? '[]') as string[])]];
}

test('every command that the pages about fleets show is one that ralphd takes', () => {
  const shown = ['fleet.md', 'fleet-deployment.md']
    .flatMap((page) => examples(page))
    .flatMap(({ text }) => commandsIn(text));
  expect(shown.length).toBeGreaterThan(5);
  for (const words of shown) expect(parseCommandLine(words)).toMatchObject({ kind: 'invoke' });
});

test('the examples for containers and Prometheus are YAML, and name only what they define', () => {
  const [compose, prometheus] = examples('fleet-deployment.md').flatMap(({ language, text }) =>
    language === 'yaml' ? [parse(text) as Compose] : [],
  );
  const { services = {}, volumes = {}, secrets = {} } = compose ?? {};
  for (const { volumes: mounts, secrets: used = [], depends_on: needed = [] } of Object.values(services)) {
    const named = mounts.map((mount) => mount.split(':')[0] ?? '').filter((name) => !name.startsWith('.'));
    for (const name of named) expect(Object.keys(volumes)).toContain(name);
    for (const name of used) expect(Object.keys(secrets)).toContain(name);
    for (const name of needed) expect(Object.keys(services)).toContain(name);
  }
  expect(Object.keys(services)).toEqual(['database', 'worker']);
  expect(prometheus).toMatchObject({ scrape_configs: [{ job_name: 'ralphd-fleet' }] });
});

interface Compose {
  readonly services?: Readonly<
    Record<
      string,
      {
        readonly volumes: readonly string[];
        readonly secrets?: readonly string[];
        readonly depends_on?: readonly string[];
      }
    >
  >;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, unknown>>;
}
