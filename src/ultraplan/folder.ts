import { openStateFolder, type StateFolder } from '../app/index.ts';
import { failures, LoopError } from '../base/index.ts';

/** Where a project is. */
export interface UltraplanOptions {
  /** The folder of the project. Default: the current folder. */
  readonly cwd?: string;
}

/** The folder in which ultraplan keeps its state. */
export function ultraplanFolder({ cwd = process.cwd() }: UltraplanOptions): StateFolder {
  return openStateFolder(cwd, '.ultraplan/state');
}

/** A JSON object in that folder; undefined if there is no such file. */
export function readDocument(folder: StateFolder, name: string): Readonly<Record<string, unknown>> | undefined {
  const text = folder.read(name);
  if (text === undefined) return undefined;
  const found = parse(text);
  if (found instanceof Error) {
    throw new LoopError(failures.ultraplanStateInvalid(folder.pathOf(name), 'it is not JSON'), { cause: found });
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new LoopError(failures.ultraplanStateInvalid(folder.pathOf(name), 'it is not a JSON object'));
  }
  return found as Readonly<Record<string, unknown>>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}
