import type { ProjectFolder } from './project-folder.ts';

/** How a project's own tests are run. */
export interface TestCommand {
  /** A shell line that holds nothing but words of ours. */
  readonly command: string;
  /** The program that it needs. */
  readonly program: string;
  /** The file that says so. */
  readonly from: string;
  /** How people begin a line that runs the same tests, or some of them. */
  readonly stems: readonly string[];
  /** Whether there is any test yet: without one the command cannot pass. */
  readonly hasTests: boolean;
}

/** Finds out whether one kind of project is here, and how it is tested. */
export type Finder = (project: ProjectFolder) => TestCommand | undefined;

/** A command whose program is its first word and whose beginning is all of it. */
export function testCommand(command: string, from: string, more: Partial<TestCommand> = {}): TestCommand {
  return { command, program: command.split(' ')[0] ?? command, from, stems: [command], hasTests: true, ...more };
}

/** A JSON document of a project; anything that is no object is nothing. */
export function parseObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text at a path of keys in a document. */
export function textAt(document: unknown, ...keys: readonly string[]): string | undefined {
  const value = keys.reduce<unknown>((inside, key) => (isObject(inside) ? inside[key] : undefined), document);
  return typeof value === 'string' ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
