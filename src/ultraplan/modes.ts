import { thisMachine, timestamp } from '../app/index.ts';
import { failures, LoopError } from '../base/index.ts';
import type { ProcessIdentity } from '../protocol/index.ts';
import { readDocument, type UltraplanOptions, ultraplanFolder } from './folder.ts';
import { readRalphLoopState } from './state.ts';

/** What ultraplan can be doing in a project. */
export type Mode = 'idle' | 'planning' | 'executing' | 'verifying' | 'paused' | 'error';

/** Whether a mode may start now. */
export interface ModePermission {
  /** Whether it may. */
  readonly allowed: boolean;
  /** The active mode that prevents it. */
  readonly blockedBy?: Mode;
  /** Why it may not, in a sentence. */
  readonly message?: string;
}

/** A mode that is active. */
export interface ActiveMode {
  /** Its name. */
  readonly mode: Mode;
  /** When it started, in ISO 8601; absent if nobody recorded it. */
  readonly startedAt?: string;
  /** The process that started it; absent if nobody recorded it. */
  readonly pid?: number;
  /** What that process says about it. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The metadata of the mode that a Ralph loop registers. */
export const ralphLoopMetadata: Readonly<Record<string, unknown>> = { mode: 'ralph-loop' };

const files = {
  planning: 'planning-state.json',
  executing: 'execution-state.json',
  verifying: 'verification-state.json',
  paused: 'paused-state.json',
  error: 'error-state.json',
} as const satisfies Partial<Record<Mode, string>>;

type StoredMode = keyof typeof files;

const storedModes = Object.keys(files) as readonly StoredMode[];
const exclusiveModes: readonly Mode[] = ['planning', 'executing', 'verifying'];

/** Whether a mode may start: planning, executing and verifying exclude each other, and a second one of the same. */
export function canStartMode(mode: Mode, options: UltraplanOptions = {}): ModePermission {
  if (!exclusiveModes.includes(mode)) return { allowed: true };
  const blocking = getActiveModes(options).find((active) => exclusiveModes.includes(active.mode));
  if (blocking === undefined) return { allowed: true };
  const { message } = failures.modeActive(mode, blocking.mode);
  return { allowed: false, blockedBy: blocking.mode, message };
}

/** Registers a mode for this process; refused while a mode is active that excludes it. */
export function startMode(
  mode: Mode,
  metadata: Readonly<Record<string, unknown>> = {},
  options: UltraplanOptions = {},
): void {
  ultraplanFolder(options).whileLocked(() => {
    const { blockedBy } = canStartMode(mode, options);
    if (blockedBy !== undefined) throw new LoopError(failures.modeActive(mode, blockedBy));
    writeMarker(mode, metadata, options);
  });
}

/** Unregisters a mode; one that is not active is not an error. */
export function endMode(mode: Mode, options: UltraplanOptions = {}): void {
  if (isStored(mode)) ultraplanFolder(options).remove(files[mode]);
}

/** All modes that are active. */
export function getActiveModes(options: UltraplanOptions = {}): readonly ActiveMode[] {
  return storedModes.flatMap((mode) => activeMode(mode, options) ?? []);
}

/** Writes that this process is in a mode. */
export function writeMarker(mode: Mode, metadata: Readonly<Record<string, unknown>>, options: UltraplanOptions): void {
  if (!isStored(mode)) return;
  const { pid, ...process } = thisMachine.self();
  const marker = { active: true, startedAt: timestamp(), pid, process, metadata };
  ultraplanFolder(options).write(files[mode], `${JSON.stringify(marker, undefined, 2)}\n`);
}

function isStored(mode: Mode): mode is StoredMode {
  return mode !== 'idle';
}

/** A mode, if it is active. A Ralph loop counts until it ends, whichever process started it. */
function activeMode(mode: StoredMode, options: UltraplanOptions): ActiveMode | undefined {
  const marker = readDocument(ultraplanFolder(options), files[mode]);
  const isLoop = mode === 'executing' && readRalphLoopState(options)?.active === true;
  if (!isLoop && (marker === undefined || !isLive(marker))) return undefined;
  const { startedAt, pid, metadata } = marker ?? {};
  return {
    mode,
    ...(typeof startedAt === 'string' ? { startedAt } : {}),
    ...(typeof pid === 'number' ? { pid } : {}),
    metadata: isObject(metadata) ? metadata : isLoop ? ralphLoopMetadata : {},
  };
}

/** Whether the process behind a marker lives. Its age says nothing: a loop may take days. */
function isLive(marker: Readonly<Record<string, unknown>>): boolean {
  const { active, pid, process } = marker;
  if (active !== true || typeof pid !== 'number') return false;
  // Other programs record only the number of their process.
  if (!isObject(process)) return thisMachine.isRunning(pid);
  const { host, bootId, startTime } = process;
  const identity = { pid, host: String(host), bootId: String(bootId), startTime: String(startTime) };
  return thisMachine.livenessOf(identity satisfies ProcessIdentity) !== 'dead';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
