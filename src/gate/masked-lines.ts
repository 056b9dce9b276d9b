import path from 'node:path';
import { gateWords, judgeExitCode, type NamedScript, type NamedTarget, plainCommands, rankOf } from '../core/index.ts';
import type { CheckCommand } from '../protocol/index.ts';
import { targetFile, targetLines } from './guards/make-target.ts';
import { scriptLine } from './guards/package-scripts.ts';
import { builds, scriptsMeant } from './guards/plan-guards.ts';

/** A line behind a check that hides the exit code of its test. */
export interface MaskedLine {
  /** Where it stands: `package.json#scripts.test`, `Makefile#test`. */
  readonly from: string;
  readonly test: string;
  readonly why: string;
  readonly corrected: string;
}

interface Behind {
  readonly line: CheckCommand;
  readonly folder: string;
  readonly from?: string;
  /** It stands before or after a script, and may only prepare or clean up. */
  readonly isAround?: boolean;
}

const mostLines = 200;

/** The package scripts and targets behind the checks that could succeed although their test failed. */
export function maskedBehind(checks: readonly CheckCommand[], workingDirectory: string): readonly MaskedLine[] {
  const lines: Behind[] = checks.map((line) => ({ line, folder: '' }));
  const known = new Set<string>();
  const found: MaskedLine[] = [];
  for (const { line, folder, from, isAround = false } of lines) {
    const masked = from !== undefined && typeof line === 'string' ? maskedLine(line, from) : [];
    found.push(
      ...masked.filter(({ test }) => !isAround || plainCommands(test).some((words) => rankOf(words) === 'test')),
    );
    const { scripts, targets } = gateWords(line, { folder });
    const meant = scripts.flatMap((script) => scriptsMeant(script, workingDirectory));
    const wanted = meant.filter(({ name }) => from === undefined || !builds.test(name));
    const next = [
      ...wanted.flatMap(scriptBehind(workingDirectory)),
      ...targets.flatMap(targetBehind(workingDirectory)),
    ];
    for (const each of next) {
      const key = JSON.stringify([each.from, each.line]);
      if (known.has(key) || lines.length >= mostLines) continue;
      known.add(key);
      lines.push(each);
    }
  }
  return found;
}

function scriptBehind(workingDirectory: string): (script: NamedScript) => readonly Behind[] {
  return ({ folder, name }) => {
    const place = path.resolve(workingDirectory, folder);
    return [name, `pre${name}`, `post${name}`].flatMap((each) => {
      const line = scriptLine(place, each);
      const from = `${path.join(folder, 'package.json')}#scripts.${each}`;
      return line === undefined ? [] : [{ line, folder, from, isAround: each !== name }];
    });
  };
}

function targetBehind(workingDirectory: string): (target: NamedTarget) => readonly Behind[] {
  return ({ folder, program, name }) => {
    const place = path.resolve(workingDirectory, folder);
    const file = program === 'task' ? undefined : targetFile(place, program);
    if (file === undefined) return [];
    const recipe = (targetLines(path.join(place, file), name) ?? []).filter((line) => !isNoRecipe.test(line));
    return recipe.map((line) => ({ line: asShell(line), folder, from: `${path.join(folder, file)}#${name}` }));
  };
}

/** Heads of rules, variables and settings. */
const isNoRecipe = /^@?[^\s#:=][^:=#'"|&;]*::?(?!=)|^(?:export\s+|override\s+)?[\w.]+\s*[:+?!]*=|^\.|^set\s/;

/** A line of a recipe as the shell gets it: the names of make's variables stand for their values. */
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
  const { test, why } = judged;
  const corrected =
    judged.kind === 'masked' ? judged.corrected : `bash -o pipefail -c '${line.replaceAll("'", String.raw`'\''`)}'`;
  return [{ from, test, why, corrected }];
}
