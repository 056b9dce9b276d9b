import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { writeCheck, writeHonestAgent } from '../support/agents.ts';
import { writeClaude } from '../support/claude.ts';
import { programOf } from '../support/programs.ts';
import { createProject, type Project } from '../support/project.ts';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Example {
  readonly name: string;
  readonly code: string;
  readonly prints: string;
}

/** The examples of a page: code, and below it what it prints. */
function examplesOf(page: string): readonly Example[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  const form =
    /^#+ (?<name>[^\n]+)\n(?:(?!^#)[^])*?^```ts\n(?<code>[^]*?)^```\n(?:\n```text\n(?<prints>[^]*?)^```\n)?/gm;
  return [...text.matchAll(form)].map(({ groups }) => ({
    name: `${page}: ${groups?.['name']}`,
    code: groups?.['code'] ?? '',
    prints: groups?.['prints'] ?? '',
  }));
}

const pages = ['docs/library.md', 'docs/tachikoma.md', 'docs/ultraplan.md', 'docs/aiwg.md', 'README.md'];
const examples = pages.flatMap(examplesOf);

/** A project that has the package installed, and the agents of the examples. */
function preparedProject(): Project {
  const project = createProject();
  writeHonestAgent(project);
  writeCheck(project);
  project.script('slow-agent.sh', 'cat > heard', 'sleep 60');
  writeClaude(project, 'claude.sh', { work: ['touch done'], text: '<promise>DONE</promise>' });
  project.write('prompt.md', 'Fix the tests');
  project.script('busy-agent.sh', 'cat > heard', 'echo more >> work');
  mkdirSync(path.join(project.folder, 'node_modules'));
  symlinkSync(root, path.join(project.folder, 'node_modules/ralphd'));
  symlinkSync(path.join(root, 'node_modules/@types'), path.join(project.folder, 'node_modules/@types'));
  project.write('package.json', '{ "type": "module" }');
  return project;
}

test('there are examples to try', () => {
  expect(examples.length).toBeGreaterThan(6);
});

test.each(examples)('the example "$name" prints what the page says', async ({ code, prints }) => {
  const project = preparedProject();
  project.write('example.ts', code);
  // An example that hangs fails soon.
  const options = { cwd: project.folder, env: project.env, timeout: 60_000 };
  const { stdout } = await run(process.execPath, ['example.ts'], options);
  expect(stdout).toBe(prints);
});

test('A001: the examples, and programs written from the documents of other systems alone, are sound TypeScript', async () => {
  const project = preparedProject();
  for (const [index, { code }] of examples.entries()) project.write(`example-${index}.ts`, code);
  const programs = ['tachikoma', 'ultraplan'];
  for (const name of programs) project.write(`${name}.ts`, programOf(name));
  const files = [...programs.map((name) => `${name}.ts`), ...examples.map((_, index) => `example-${index}.ts`)];
  const options = [
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--types',
    'node',
  ];
  const libraries = ['--lib', 'es2024,esnext.disposable'];
  const compiler = path.join(root, 'node_modules/typescript-native/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, ...options, ...libraries, ...files], {
    cwd: project.folder,
  }).catch((error: unknown) => error as { stdout: string });
  expect(stdout).toBe('');
});
