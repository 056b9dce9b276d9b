import path from 'node:path';
import { type GateWords, gateWords, scriptsIn } from '../core/index.ts';
import { type CheckCommand, type Guard, type LoopConfig, protectionOf, usualTests } from '../protocol/index.ts';
import { createPathMatcher, linesOfScript, linesOfTarget, takeGuards } from '../workspace/index.ts';

/** A command that the gate runs, or one that stands behind it in a package script or a makefile. */
interface Line {
  readonly line: CheckCommand;
  readonly folder: string;
  /** What it stands in, where nobody named it to us. */
  readonly inside?: 'script' | 'target';
}

const mostLines = 200;

/** The digests of what the checks name and of what stands behind them, taken before any agent runs. */
export function guardsOf(
  { guard, protect }: LoopConfig,
  checks: readonly CheckCommand[],
  workingDirectory: string,
): { readonly guards?: Guard[] } {
  if (!guard) return {};
  const isTest = createPathMatcher([...usualTests, ...protectionOf(protect).paths]);
  const files = [];
  const scripts = [];
  const targets = [];
  const lines: Line[] = checks.map((line) => ({ line, folder: '' }));
  for (const { line, folder, inside } of lines) {
    const words = gateWords(line, folder);
    // What stands behind in the same folder is already a part of what led there.
    files.push(...words.files.map((named) => (inside !== undefined ? { ...named, fits: judges(isTest) } : named)));
    scripts.push(...words.scripts.filter((script) => inside !== 'script' || script.folder !== folder));
    targets.push(...words.targets.filter((target) => inside !== 'target' || target.folder !== folder));
    if (lines.length < mostLines) lines.push(...linesBehind(words, workingDirectory).filter(isNewIn(lines)));
  }
  const guards = takeGuards(workingDirectory, { files, scripts, targets, scriptsIn });
  return guards.length === 0 ? {} : { guards: [...guards] };
}

/** Scripts that make the work, and do not judge it. */
const builds = /^(?:pre|post)?(?:build|compile|bundle|prepare|generate|codegen|start|dev|serve|clean|install)/;

function linesBehind({ scripts, targets }: GateWords, workingDirectory: string): readonly Line[] {
  const behind = (folder: string, inside: Line['inside'] & string) => (line: string) => ({ line, folder, inside });
  const judging = scripts.filter(({ name }) => !builds.test(name));
  return [
    ...judging.flatMap(({ folder, name }) =>
      linesOfScript(path.resolve(workingDirectory, folder), name).map(behind(folder, 'script')),
    ),
    ...targets.flatMap(({ folder, program, name }) =>
      linesOfTarget(path.resolve(workingDirectory, folder), program, name).map(behind(folder, 'target')),
    ),
  ];
}

function isNewIn(known: readonly Line[]): (line: Line) => boolean {
  const same = new Set(known.map(({ line, folder }) => JSON.stringify([folder, line])));
  return ({ line, folder }) => !same.has(JSON.stringify([folder, line]));
}

/** Nobody named such a file to us: only what looks like a check is one. It may well be the work, or a test to change. */
const looksLikeCheck = new RegExp(
  [
    String.raw`(?:^|\/)(?:scripts?|tools?|ci|\.ci|hack)\/`,
    String.raw`\.(?:ba|z|k)?sh$`,
    String.raw`(?:^|[/._-])(?:run)?(?:tests?|checks?|verify|specs?|lint|config)(?:[._-][^/]*)?$`,
    String.raw`(?:^|\/)\.\w+rc(?:\.\w+)?$`,
  ].join('|'),
  'i',
);

function judges(isTest: (file: string) => boolean): (file: string) => boolean {
  return (file) => looksLikeCheck.test(file) && !isTest(file);
}
