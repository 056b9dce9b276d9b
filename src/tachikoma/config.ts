import path from 'node:path';
import { failures, LoopError as RalphdError } from '../base/index.ts';
import { parseGiven } from '../config/index.ts';
import type { LoopConfigInput } from '../protocol/index.ts';
import { type Duration, durationText } from './durations.ts';
import { inTheirWords } from './errors.ts';

/** The settings of a loop runner. */
export interface LoopConfig {
  /** Where the agent works. Default: `.`. */
  workingDir: string;
  /** The prompt file, relative to `workingDir`; read again for every iteration. Default: `prompt.md`. */
  promptPath: string;
  /**
   * Maximum number of iterations. Default: 100. 0 means unlimited, and is refused unless `ralphd` sets another limit, such
   * as `maxTime`: a loop without any limit would never end.
   */
  maxIterations: number;
  /** Delay between iterations. Default: `5s`. */
  iterationDelay: Duration;
  /** Usage of the context, in percent, from which the next iteration gets a fresh session. Default: 85. */
  contextRedlinePercent: number;
  /** Whether a person confirms each iteration. Default: false. */
  attendedMode: boolean;
  /** When the loop stops. */
  stopConditions: StopConditionsConfig;
  /** How the agent is started. */
  session: SessionConfig;
  /**
   * Further settings of ralphd by its own names, such as `verify` or `maxTime`; they take precedence. Without checks, the
   * agent's claim that the task is done is trusted.
   */
  ralphd?: LoopConfigInput;
}

/** When a loop stops. */
export interface StopConditionsConfig {
  /** Test failures in a row. Default: 3. */
  maxTestFailureStreak: number;
  /** Iterations in a row without progress. Default: 5. */
  maxNoProgressIterations: number;
  /** Regular expressions for errors. Default: none. */
  stopOnPatterns: string[];
  /** Scripts, relative to the working directory, that stop the loop by exiting with 0. Default: none. */
  customScripts: string[];
}

/** How the agent is started. */
export interface SessionConfig {
  /** The program of Claude Code. Default: `claude`. */
  claudeCommand: string;
  /** Maximum age of a session that is continued; an iteration has its own limit. Default: `1h`. */
  sessionTimeout: Duration;
  /** Whether session ids are stored, so that a resumed loop can continue its session. Default: true. */
  persistSessions: boolean;
  /** Where sessions are kept, in the folder of all state: `.ralph/sessions` means `.ralph`. Default: `.ralph/sessions`. */
  stateDir: string;
}

/** Settings that differ from the defaults. */
export interface PartialLoopConfig extends Partial<Omit<LoopConfig, 'stopConditions' | 'session'>> {
  /** When the loop stops. */
  stopConditions?: Partial<StopConditionsConfig>;
  /** How the agent is started. */
  session?: Partial<SessionConfig>;
}

/** The defaults of a loop, and its configuration as a document. */
export const LoopConfig = {
  /** A new configuration with the defaults. */
  default: (): LoopConfig => LoopConfig.from({}),
  /** A complete configuration; missing settings get their defaults. A wrong one is refused. */
  from: (given: PartialLoopConfig): LoopConfig => {
    const config: LoopConfig = {
      workingDir: '.',
      promptPath: 'prompt.md',
      maxIterations: 100,
      iterationDelay: '5s',
      contextRedlinePercent: 85,
      attendedMode: false,
      ...given,
      stopConditions: { ...StopConditionsConfig.default(), ...given.stopConditions },
      session: { ...SessionConfig.default(), ...given.session },
    };
    settingsOf(config);
    return config;
  },
  /** The configuration as a JSON document: names in snake case, durations as text. */
  toDocument: (config: LoopConfig): Record<string, unknown> => {
    const { stopConditions, session, ralphd, ...rest } = config;
    return {
      ...renamed({ ...rest, iterationDelay: durationText(rest.iterationDelay, 'iterationDelay') }, toSnake),
      stop_conditions: renamed(stopConditions, toSnake),
      session: renamed({ ...session, sessionTimeout: durationText(session.sessionTimeout, 'sessionTimeout') }, toSnake),
      ...(ralphd === undefined ? {} : { ralphd }),
    };
  },
  /** Reads what `toDocument` wrote; missing settings get their defaults, unknown ones are refused. */
  fromDocument: (document: unknown): LoopConfig => {
    const {
      stop_conditions: stopConditions = {},
      session = {},
      ralphd,
      ...rest
    } = mapping(document, 'The configuration');
    return LoopConfig.from({
      ...known(rest, topSettings, ''),
      stopConditions: known(mapping(stopConditions, 'stop_conditions'), stopSettings, 'stop_conditions.'),
      session: known(mapping(session, 'session'), sessionSettings, 'session.'),
      ...(ralphd === undefined ? {} : { ralphd: mapping(ralphd, 'ralphd') }),
    });
  },
} as const;

/** The default stop conditions. */
export const StopConditionsConfig = {
  /** New stop conditions with the defaults. */
  default: (): StopConditionsConfig => ({
    maxTestFailureStreak: 3,
    maxNoProgressIterations: 5,
    stopOnPatterns: [],
    customScripts: [],
  }),
} as const;

/** The default session. */
export const SessionConfig = {
  /** A new session configuration with the defaults. */
  default: (): SessionConfig => ({
    claudeCommand: 'claude',
    sessionTimeout: '1h',
    persistSessions: true,
    stateDir: '.ralph/sessions',
  }),
} as const;

const topSettings = [
  'workingDir',
  'promptPath',
  'maxIterations',
  'iterationDelay',
  'contextRedlinePercent',
  'attendedMode',
];
const stopSettings = Object.keys(StopConditionsConfig.default());
const sessionSettings = Object.keys(SessionConfig.default());

/** The configuration in ralphd's settings; refuses values that ralphd would refuse. */
export function settingsOf(config: LoopConfig): LoopConfigInput {
  const { stopConditions, session, ralphd = {} } = config;
  const settings: LoopConfigInput = {
    workingDir: config.workingDir,
    ...(ralphd.prompt === undefined ? { promptPath: config.promptPath } : {}),
    maxIterations: config.maxIterations,
    iterationDelay: durationText(config.iterationDelay, 'iterationDelay'),
    contextRedlinePercent: config.contextRedlinePercent,
    attended: config.attendedMode,
    trustPromise: true,
    stateDir: stateRoot(session.stateDir),
    ...ralphd,
    stopConditions: {
      maxTestFailureStreak: stopConditions.maxTestFailureStreak,
      maxNoProgressIterations: stopConditions.maxNoProgressIterations,
      stopOnPatterns: [...stopConditions.stopOnPatterns],
      customScripts: stopConditions.customScripts.map((script): [string] => [scriptPath(script)]),
      ...ralphd.stopConditions,
    },
    session: {
      timeout: durationText(session.sessionTimeout, 'sessionTimeout'),
      persist: session.persistSessions,
      ...ralphd.session,
    },
    agents: { claude: { command: session.claudeCommand }, ...ralphd.agents },
  };
  try {
    parseGiven(settings, 'given to LoopConfig');
  } catch (error) {
    throw inTheirWords(error, {});
  }
  return settings;
}

/** One folder holds all state; sessions are part of it. */
function stateRoot(sessionsDir: string): string {
  return path.basename(sessionsDir) === 'sessions' ? path.dirname(sessionsDir) : sessionsDir;
}

/** A bare name would be searched for in the PATH. */
function scriptPath(script: string): string {
  return script.includes('/') ? script : `./${script}`;
}

function renamed(values: object, rename: (name: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]));
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The settings with these names, from their names in a document. */
function known(values: Record<string, unknown>, names: readonly string[], group: string): Record<string, unknown> {
  const byDocumentName = new Map(names.map((name) => [toSnake(name), name]));
  const entries = Object.entries(values).map(([documentName, value]) => {
    const name = byDocumentName.get(documentName);
    if (name !== undefined) return [name, value] as const;
    throw inTheirWords(new RalphdError(failures.configUnknownKey(`${group}${documentName}`, 'in the document')), {});
  });
  return Object.fromEntries(entries);
}

function mapping(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw inTheirWords(
    new RalphdError(failures.configBadValue(place, 'a mapping', JSON.stringify(value) ?? 'nothing')),
    {},
  );
}
