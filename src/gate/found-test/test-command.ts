import type { ProjectFolder } from './project-folder.ts';

/** The command that runs a project's own tests. */
export interface TestCommand {
  /** A shell line that contains only words from ralphd, none from the project. */
  readonly command: string;
  /** The program that it needs. */
  readonly program: string;
  /** The file that it was derived from. */
  readonly from: string;
  /** Beginnings of command lines that run the same tests, or some of them. */
  readonly stems: readonly string[];
  /** Whether the project has any test yet: without one the command cannot pass. */
  readonly hasTests: boolean;
  /** What installs the packages that it needs, if they are not installed. */
  readonly install?: string;
}

/** Recognises one kind of project. */
export type Finder = (project: ProjectFolder) => TestCommand | undefined;

/** By default the program is the first word, and the whole command is the only stem. */
export function testCommand(command: string, from: string, more: Partial<TestCommand> = {}): TestCommand {
  return { command, program: command.split(' ')[0] ?? command, from, stems: [command], hasTests: true, ...more };
}

/** Parses a JSON object; undefined for anything else. */
export function parseObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    // Windows editors like to begin a file with a byte order mark.
    const value: unknown = JSON.parse((text ?? '').replace(/^\uFEFF/u, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The string at a path of keys. */
export function textAt(document: unknown, ...keys: readonly string[]): string | undefined {
  const value = valueAt(document, keys);
  return typeof value === 'string' ? value : undefined;
}

/** The object at a path of keys. */
export function objectAt(document: unknown, ...keys: readonly string[]): object | undefined {
  const value = valueAt(document, keys);
  return isObject(value) ? value : undefined;
}

function valueAt(document: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inside, key) => (isObject(inside) ? inside[key] : undefined), document);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
