import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, type NotStarted, notStarted } from './ending.ts';
import { findExecutable } from './find-executable.ts';

/** Where a program should have started. */
export interface StartPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Explains why a program could not be started. */
export function explainFailure(file: string, { cwd, env }: StartPlace, error: unknown): NotStarted {
  const code = errorCode(error);
  if (!isFolder(cwd)) return notStarted('directory', code, `The working directory ${cwd} does not exist.`);
  if (code === 'ENOENT' && findExecutable(file, { PATH: env['PATH'], cwd }) !== undefined) return noInterpreter(file);
  if (code === 'ENOENT') return notStarted('command', code, `${file} was not found.`);
  if (code === 'EACCES') return notStarted('command', code, `${file} may not be executed.`);
  return notStarted('command', code, `${file} could not be started (${code}).`);
}

/** Explains in advance why a program will not start, for a starter that cannot report the reason. */
export function foreseeFailure(file: string, { cwd, env }: StartPlace): NotStarted | undefined {
  const PATH = env['PATH'];
  if (!isFolder(cwd)) return notStarted('directory', 'ENOENT', `The working directory ${cwd} does not exist.`);
  const found = findExecutable(file, { PATH, cwd });
  if (found !== undefined) return lacksInterpreter(found) ? noInterpreter(file) : undefined;
  const isThere = file.includes('/') && existsSync(path.resolve(cwd, file));
  if (isThere) return notStarted('command', 'EACCES', `${file} may not be executed.`);
  return notStarted('command', 'ENOENT', `${file} was not found.`);
}

function noInterpreter(file: string): NotStarted {
  return notStarted('command', 'ENOEXEC', `${file} exists, but the interpreter named in its first line does not.`);
}

function lacksInterpreter(file: string): boolean {
  const [, interpreter] = /^#![ \t]*(\/[^\s\0]+)/.exec(beginning(file)) ?? [];
  return interpreter !== undefined && !existsSync(interpreter);
}

// A program that may be executed need not be readable; then nothing is known in advance.
function beginning(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(256);
      return bytes.toString('latin1', 0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
