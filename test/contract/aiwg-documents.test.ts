import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { type AiwgKind, schemaOf } from '../../src/aiwg.ts';
import { runOf, writeBusyAgent, writeCheck, writeHonestAgent } from '../support/agents.ts';
import { createProject, type Project } from '../support/project.ts';
import { problemsOf } from './aiwg-v2.ts';

/** What a strict JSON Schema 2020-12 validator, which does not support `nullable`, reports about a document. */
function ajvProblems(kind: AiwgKind, document: unknown): readonly unknown[] {
  const validate = validators.get(kind) ?? compile(kind);
  validators.set(kind, validate);
  return validate(document) ? [] : (validate.errors ?? []);
}

const validators = new Map<AiwgKind, ReturnType<typeof compile>>();

function compile(kind: AiwgKind) {
  const text = JSON.stringify(schemaOf(kind), (key, value: unknown) => (key === 'nullable' ? undefined : value));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return ajv.compile(JSON.parse(text) as object);
}

const kinds: readonly (readonly [RegExp, AiwgKind])[] = [
  [/registry\.json$/u, 'registry'],
  [/^loops\/[^/]+\/(?:state|backups\/[^/]+)\.json$/u, 'state'],
  [/checkpoints\/iteration-\d{3}\.json\.gz$/u, 'checkpoint'],
  [/analytics\/analytics\.json$/u, 'analytics'],
];

interface Written {
  readonly name: string;
  readonly kind: AiwgKind;
  readonly document: unknown;
}

/** Every AIWG document below a state folder. */
function documentsIn(root: string): readonly Written[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names.flatMap((name) => {
    const [, kind] = kinds.find(([form]) => form.test(name)) ?? [];
    if (kind === undefined) return [];
    const bytes = readFileSync(path.join(root, name));
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    return [{ name, kind, document: JSON.parse(text) as unknown }];
  });
}

const shared = ['--state-dir', '.aiwg/ralph'];
const aiwgEntry = {
  loop_id: 'ralph-theirs-00000009',
  status: 'paused',
  iteration: 5,
  started_at: '2026-02-02T21:00:00Z',
};

/** A project whose loops ended in every way, beside one of AIWG. */
async function projectOfLoops(): Promise<Project> {
  const project = createProject();
  writeCheck(project);
  mkdirSync(path.join(project.folder, '.aiwg/ralph'), { recursive: true });
  const registry = { version: '2.0.0', max_concurrent_loops: 4, active_loops: [aiwgEntry] };
  project.write('.aiwg/ralph/registry.json', JSON.stringify(registry));
  writeBusyAgent(project);
  const run = async (name: string, ...more: readonly string[]) =>
    (await project.ralphd(...runOf('--force', '--loop-id', name, ...shared, ...more))).code;
  expect(await run('paused', '-n', '1', '--on-limit', 'pause')).toBe(2);
  expect(await run('aborted', '-n', '1', '--on-limit', 'pause')).toBe(2);
  expect((await project.ralphd('abort', 'aborted', ...shared)).code).toBe(0);
  expect(await run('failed', '-n', '2', '--no-promise')).toBe(2);
  writeHonestAgent(project);
  expect(await run('completed', '-n', '5')).toBe(0);
  for (const name of ['paused', 'failed']) expect((await project.ralphd('backup', name, ...shared)).code).toBe(0);
  return project;
}

test('A172 A177 B083-B085 B092 B095 B096: every document of whole loops in .aiwg/ralph is valid for a plain 2020-12 validator', async () => {
  const project = await projectOfLoops();
  const written = documentsIn(path.join(project.folder, '.aiwg/ralph'));
  for (const { name, kind, document } of written) {
    expect(ajvProblems(kind, document), name).toEqual([]);
    if (kind === 'state') expect(problemsOf(document, 'pure'), name).toEqual([]);
  }
  for (const kind of ['analytics', 'checkpoint', 'registry', 'state']) {
    const { name = '' } = written.find((each) => each.kind === kind) ?? {};
    const { stdout } = await project.ralphd('validate', path.join('.aiwg/ralph', name), '--pure');
    expect(stdout).toContain(`a valid AIWG v2 ${kind} document`);
  }
  expect(written.filter(({ name }) => name.includes('/backups/')).length).toBeGreaterThan(1);
  for (const status of ['paused', 'aborted', 'failed', 'completed']) {
    const { stdout } = await project.ralphd('export', status, ...shared);
    const exported = JSON.parse(stdout) as Record<string, unknown>;
    expect([exported['status'], problemsOf(exported, 'pure')]).toEqual([status, []]);
    const stats = JSON.parse((await project.ralphd('stats', status, '--json', ...shared)).stdout) as {
      analytics: object;
    };
    expect([status, ajvProblems('analytics', stats.analytics)]).toEqual([status, []]);
  }
});
