import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createWorld, factsIn } from '../support/world.ts';
import type { Kind } from './kind.ts';

/** Where the checks run. */
export type Mode = 'tree' | 'clean' | 'sealed';

/** The outcome of an honest run. */
export interface Outcome {
  readonly completed: boolean;
  /** Doubts, warnings and tampered files. */
  readonly findings: readonly string[];
  /** Missing findings, and findings without a reason. */
  readonly wrong: readonly string[];
  readonly verdict: string;
  readonly message: string;
}

/** The downloaded templates. */
export const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/honest');

/** Why a kind cannot be tested here; undefined if it can. */
export function skipReason({ needs = [], fetched }: Kind): string | undefined {
  const missing = needs.find((name) => !['/usr/bin', '/bin'].some((folder) => existsSync(path.join(folder, name))));
  if (missing !== undefined) return `${missing} is not installed`;
  if (fetched !== undefined && !existsSync(path.join(cache, fetched))) return 'not fetched: npm run honest -- --fetch';
  return undefined;
}

/** Runs one honest agent with the built command line. */
export async function playHonest(kind: Kind, mode: Mode): Promise<Outcome> {
  await using world = createWorld((kind.programs ?? []).map(inCache));
  world.write(kind.files);
  const git = 'git init -q -b main . && git add -A && git commit -q -m start';
  const env = Object.fromEntries(Object.entries(kind.env ?? {}).map(([name, value]) => [name, inCache(value)]));
  for (const lines of [kind.prepare, git]) {
    const ended = lines === undefined ? undefined : await world.shell(inCache(`set -e\n${lines}`), { env });
    if (ended !== undefined && ended.code !== 0)
      throw new Error(`${kind.id}: ${lines}\n${ended.stdout}${ended.stderr}`);
  }
  const agent = path.join(world.root, 'agent.sh');
  const program = `#!/bin/sh\nset -e\ncat > /dev/null\n${inCache(kind.agent)}\necho '<promise>DONE</promise>'\n`;
  writeFileSync(agent, program);
  chmodSync(agent, 0o755);
  const where = mode === 'tree' ? [] : ['--verify-in', mode];
  const checks = kind.checks.flatMap((check) => ['--verify', check]);
  const run = ['run', 'Make sum add', '--agent', 'command', '--agent-command', agent, ...checks, ...where];
  const all = [...run, ...(kind.flags ?? []), '-n', '1', '--delay', '0', '--json'];
  const ended = await world.ralphd(all, env);
  return outcomeOf(kind, world.project, ended);
}

function inCache(text: string): string {
  return text.replaceAll('CACHE', cache);
}

function outcomeOf(kind: Kind, project: string, ended: { code: number; stdout: string; stderr: string }): Outcome {
  const gate = factsIn(project).findLast(({ type }) => type === 'gate.finished')?.data ?? {};
  const last = parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '');
  const lists = [gate['doubts'], gate['warnings'], gate['tampered'], ...Object.values(last)];
  const findings = [...new Set(lists.flatMap((list) => (Array.isArray(list) ? list.map(textOf) : [])))];
  const unnamed = kind.named
    .filter((name) => !findings.some((text) => name.test(text)))
    .map((name) => `not named: ${name}`);
  // Building or testing in the work tree changes ignored files, so one warning about them is correct.
  const allowed = [...kind.named, ...(kind.mayName ?? []), /^Ignored files that the checks can read/];
  const needless = findings
    .filter((text) => !allowed.some((name) => name.test(text)))
    .map((text) => `needless: ${text}`);
  const failure = JSON.stringify(gate['checks'] ?? []).slice(-1500);
  return {
    completed: ended.code === 0,
    findings,
    wrong: [...unnamed, ...needless],
    verdict: typeof gate['verdict'] === 'string' ? gate['verdict'] : `exit ${ended.code}`,
    message: ended.code === 0 ? '' : `${ended.stderr.trimEnd().split('\n').slice(-8).join('\n')}\n${failure}`,
  };
}

const textOf = (one: unknown) => (typeof one === 'string' ? one : JSON.stringify(one));

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
