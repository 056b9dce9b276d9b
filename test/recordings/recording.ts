import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Tokens } from '../../src/agents/_shared/event.ts';
import { type AgentReading, createReader, type StreamDialect } from '../../src/agents/_shared/reader.ts';
import type { AgentOutcome, Ending } from '../../src/protocol/index.ts';

/** What a recording calls for; a field that is not named may be anything, one that is `undefined` must be missing. */
export interface Expectation {
  readonly outcome: AgentOutcome;
  readonly sessionId?: string | undefined;
  readonly model?: string | undefined;
  readonly lastMessage?: string;
  readonly usage?: Tokens | undefined;
  readonly costUsd?: number | undefined;
  readonly context?: { readonly used?: number; readonly size?: number };
  readonly resetAt?: string | undefined;
  readonly permissionDenials?: number;
  readonly retries?: number;
  readonly backgroundLeft?: number;
}

/** By version and case; an outcome alone says that nothing else is of interest. */
export type Expectations = Readonly<Record<string, Readonly<Record<string, AgentOutcome | Expectation>>>>;

/** One run of a real agent against a scripted provider. */
export interface Recording {
  readonly stdout: Uint8Array;
  readonly stderr: string;
  readonly ending: Ending;
}

interface Meta {
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
}

/** The versions and cases that were recorded of an agent. */
export function recordedCases(agent: string): readonly (readonly [version: string, name: string])[] {
  const versions = readdirSync(path.join(import.meta.dirname, agent));
  return versions.flatMap((version) =>
    readdirSync(path.join(import.meta.dirname, agent, version))
      .filter((file) => file.endsWith('.meta'))
      .map((file) => [version, path.basename(file, '.meta')] as const),
  );
}

/** Reads a recording from its three files. */
export function loadRecording(agent: string, version: string, name: string): Recording {
  const file = (suffix: string) => path.join(import.meta.dirname, agent, version, `${name}.${suffix}`);
  const { exitCode, exitSignal } = JSON.parse(readFileSync(file('meta'), 'utf8')) as Meta;
  return {
    stdout: readFileSync(file('stdout')),
    stderr: readFileSync(file('stderr'), 'utf8'),
    ending: exitSignal === null ? { kind: 'exited', code: exitCode ?? 0 } : { kind: 'signalled', signal: exitSignal },
  };
}

/** Reads a whole recording at once. */
export function readRecording(dialect: StreamDialect, { stdout, stderr, ending }: Recording): AgentReading {
  const reader = createReader(dialect);
  reader.push(stdout);
  return reader.finish({ stderr, ending });
}
