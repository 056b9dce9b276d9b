import path from 'node:path';
import {
  judgeExitCode,
  type NamedScript,
  type NamedTarget,
  parseCheckCommand,
  plainCommands,
  rankOf,
} from '../core/index.ts';
import type { CheckCommand } from '../protocol/index.ts';
import { targetFile, targetLines } from './guards/make-target.ts';
import { scriptLine } from './guards/package-scripts.ts';
import { isBuildScript, resolveScripts } from './guards/plan-guards.ts';

/** A line that a check runs and that hides the exit code of its test. */
export interface MaskedLine {
  /** Its place: `package.json#scripts.test`, `Makefile#test`. */
  readonly from: string;
  readonly test: string;
  readonly reason: string;
  readonly corrected: string;
}

interface CalledLine {
  readonly line: CheckCommand;
  readonly folder: string;
  readonly from?: string;
  /** A `pre` or `post` script, which may only prepare or clean up. */
  readonly isHook?: boolean;
}

const maxLines = 200;

/** The package scripts and targets run by the checks that can succeed although their test failed. */
export function findMaskedLines(checks: readonly CheckCommand[], workingDirectory: string): readonly MaskedLine[] {
  const lines: CalledLine[] = checks.map((line) => ({ line, folder: '' }));
  const known = new Set<string>();
  const found: MaskedLine[] = [];
  for (const { line, folder, from, isHook = false } of lines) {
    const masked = from !== undefined && typeof line === 'string' ? maskedLine(line, from) : [];
    found.push(
      ...masked.filter(({ test }) => !isHook || plainCommands(test).some((words) => rankOf(words) === 'test')),
    );
    const { scripts, targets } = parseCheckCommand(line, { folder });
    const resolved = scripts.flatMap((script) => resolveScripts(script, workingDirectory));
    const judging = resolved.filter(({ name }) => from === undefined || !isBuildScript.test(name));
    const next = [
      ...judging.flatMap(linesOfScript(workingDirectory)),
      ...targets.flatMap(linesOfTarget(workingDirectory)),
    ];
    for (const each of next) {
      const key = JSON.stringify([each.from, each.line]);
      if (known.has(key) || lines.length >= maxLines) continue;
      known.add(key);
      lines.push(each);
    }
  }
  return found;
}

function linesOfScript(workingDirectory: string): (script: NamedScript) => readonly CalledLine[] {
  return ({ folder, name }) => {
    const place = path.resolve(workingDirectory, folder);
    return [name, `pre${name}`, `post${name}`].flatMap((each) => {
      const line = scriptLine(place, each);
      const from = `${path.join(folder, 'package.json')}#scripts.${each}`;
      return line === undefined ? [] : [{ line, folder, from, isHook: each !== name }];
    });
  };
}

function linesOfTarget(workingDirectory: string): (target: NamedTarget) => readonly CalledLine[] {
  return ({ folder, program, name }) => {
    const place = path.resolve(workingDirectory, folder);
    const file = program === 'task' ? undefined : targetFile(place, program);
    if (file === undefined) return [];
    const recipe = (targetLines(path.join(place, file), name) ?? []).filter((line) => !isNotRecipe.test(line));
    return recipe.map((line) => ({ line: asShell(line), folder, from: `${path.join(folder, file)}#${name}` }));
  };
}

/** Heads of rules, variables and settings. */
const isNotRecipe = /^@?[^\s#:=][^:=#'"|&;]*::?(?!=)|^(?:export\s+|override\s+)?[\w.]+\s*[:+?!]*=|^\.|^set\s/;

/** A line of a recipe as a shell line; a make variable is replaced by its name. */
function asShell(line: string): string {
  const prefix = /^[@+-]*/.exec(line)?.[0] ?? '';
  const plain = line
    .slice(prefix.length)
    .replaceAll(/\$[({](\w+)[)}]/g, '$1')
    .replaceAll('$$', '$');
  return prefix.includes('-') ? `${plain} || true` : plain;
}

function maskedLine(line: string, from: string): readonly MaskedLine[] {
  const judged = judgeExitCode(line);
  if (judged.kind === 'faithful') return [];
  const { test, reason } = judged;
  const corrected =
    judged.kind === 'masked' ? judged.corrected : `bash -o pipefail -c '${line.replaceAll("'", String.raw`'\''`)}'`;
  return [{ from, test, reason, corrected }];
}
