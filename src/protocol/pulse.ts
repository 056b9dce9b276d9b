import type { Usage } from './facts/fact-shapes.ts';
import { type Verdict, verdicts } from './words.ts';

/** The version of a pulse; a reader ignores any other. */
export const pulseVersion = 1;

/**
 * What a loop is doing right now. Transient: a pulse may be lost, and nothing durable depends on it. What must not be
 * lost is a fact.
 */
export type Pulse = PulseOrigin & PulseStep;

/** Which loop a pulse belongs to, who sent it and when. */
export interface PulseOrigin {
  readonly version: typeof pulseVersion;
  readonly loopId: string;
  /** The epoch of the owner: a pulse of an earlier owner is stale. */
  readonly epoch: number;
  readonly at: string;
  readonly iteration: number;
  readonly attempt: number;
}

/** The current step. */
export type PulseStep = AgentStep | CheckStep;

/** The agent works. */
export interface AgentStep extends AgentProgress {
  readonly step: 'agent';
  readonly since: string;
}

/** What an agent has done so far, according to its output. */
export interface AgentProgress {
  readonly pid?: number;
  /** An earlier owner started it. */
  readonly isAdopted?: true;
  readonly model?: string;
  readonly usage?: Usage;
  /** The newest activities, oldest first. */
  readonly recent: readonly AgentActivity[];
}

/** One thing that an agent did: it used a tool, wrote a message, or announced that it retries a failed request. */
export interface AgentActivity {
  /** Counts from 1 within the run. */
  readonly number: number;
  readonly at: string;
  readonly kind: 'tool' | 'text' | 'retry';
  readonly text: string;
  /** The message is still being written. */
  readonly isOpen?: true;
}

/** A check runs, or has just ended. */
export interface CheckStep extends CheckProgress {
  readonly step: 'check';
  readonly purpose: 'baseline' | 'gate';
  readonly since: string;
}

/** One check of a run of the gate. */
export interface CheckProgress {
  /** Counts from 1. */
  readonly index: number;
  readonly count: number;
  readonly command: string;
  /** Missing while it runs. */
  readonly verdict?: Verdict;
}

/** How many activities a pulse holds. */
export const maxActivities = 20;
/** The maximum length of the text of an activity or a command. */
export const maxActivityLength = 500;

type Fields = Readonly<Record<string, unknown>>;

/** A pulse as another process wrote it; undefined for anything else. Checked by hand, so that reading one is quick. */
export function readPulse(text: string): Pulse | undefined {
  const fields = parseFields(text);
  const origin = fields && originOf(fields);
  if (fields === undefined || origin === undefined || !isText(fields['since'])) return undefined;
  const step = fields['step'] === 'agent' ? agentOf(fields) : checkOf(fields);
  return step && { ...origin, ...step, since: fields['since'] };
}

function originOf({ version, loopId, epoch, at, iteration, attempt }: Fields): PulseOrigin | undefined {
  if (version !== pulseVersion || !isText(loopId) || !isText(at)) return undefined;
  if (!isCount(epoch) || !isCount(iteration) || !isCount(attempt)) return undefined;
  return { version, loopId, epoch, at, iteration, attempt };
}

function agentOf({ pid, isAdopted, model, usage, recent }: Fields): Omit<AgentStep, 'since'> | undefined {
  if (!Array.isArray(recent)) return undefined;
  return {
    step: 'agent',
    ...(isCount(pid) ? { pid } : {}),
    ...(isAdopted === true ? { isAdopted } : {}),
    ...(isText(model) ? { model } : {}),
    ...(isFields(usage) ? { usage: usageOf(usage) } : {}),
    recent: recent.slice(-maxActivities).flatMap((each) => (isFields(each) ? activityOf(each) : [])),
  };
}

function activityOf({ number, at, kind, text, isOpen }: Fields): readonly AgentActivity[] {
  if (!isCount(number) || !isText(at) || !isText(text)) return [];
  if (kind !== 'tool' && kind !== 'text' && kind !== 'retry') return [];
  return [{ number, at, kind, text: text.slice(0, maxActivityLength), ...(isOpen === true ? { isOpen } : {}) }];
}

const usageNames = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd', 'toolCalls'];

function usageOf(usage: Fields): Usage {
  return Object.fromEntries(usageNames.flatMap((name) => (isCount(usage[name]) ? [[name, usage[name]]] : [])));
}

function checkOf({ step, purpose, index, count, command, verdict }: Fields): Omit<CheckStep, 'since'> | undefined {
  if (step !== 'check' || (purpose !== 'baseline' && purpose !== 'gate')) return undefined;
  if (!isCount(index) || !isCount(count) || !isText(command)) return undefined;
  const known = verdicts.find((each) => each === verdict);
  return { step, purpose, index, count, command, ...(known === undefined ? {} : { verdict: known }) };
}

function parseFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
