import path from 'node:path';
import { type BroughtLine, type Given, lineOf, placeOutside } from '../../config/index.ts';
import type { Prompt } from '../../core/index.ts';
import { findTestCommand, type GatePlan, packageScript } from '../../gate/index.ts';
import { readSmallFile, toRaw } from '../../workspace/index.ts';

/** No agent reads a larger file; what is longer asks only for its beginning. */
const maxFileBytes = 64 * 1024 * 1024;

/** What a loop takes from a project, settings aside. */
interface Taken {
  readonly gate: GatePlan;
  readonly prompt: Pick<Prompt, 'path' | 'metadata'>;
  readonly isGiven: Given;
  /** What the agent that is started here obeys besides its settings. */
  readonly agentFiles: readonly string[];
  readonly workingDirectory: string;
}

/** What a project brings without a setting: its own tests, and a prompt file that says or is more than a task. */
export function projectLines({ gate, prompt, isGiven, agentFiles, workingDirectory }: Taken): readonly BroughtLine[] {
  return [
    ...testLine(gate, workingDirectory),
    ...agentLines(agentFiles, workingDirectory),
    ...promptLines(prompt, { isGiven, workingDirectory }),
  ];
}

/** Lines with what the scripts behind them run, for a person; which lines they are does not depend on it. */
export function withScripts(lines: readonly BroughtLine[], workingDirectory: string): readonly BroughtLine[] {
  return lines.map((line) => {
    const script = line.setting === 'verify' ? packageScript(workingDirectory, line.text) : undefined;
    return script === undefined ? line : { ...line, note: `package.json: ${script}` };
  });
}

/** The project's own tests, if they are among the checks because of `autoTest`. */
export function testLine({ data: { foundTest } }: GatePlan, workingDirectory: string): readonly BroughtLine[] {
  if (foundTest === undefined) return [];
  const found = findTestCommand(workingDirectory);
  const script = packageScript(workingDirectory, foundTest);
  // The command has only words of ralphd; what they run is in the project.
  const value = script === undefined ? foundTest : `${foundTest} (${script})`;
  return [lineOf({ setting: 'autoTest', asks: 'runs', where: found?.from ?? 'the project', value })];
}

/** Files with which the agent of a loop starts programs of the project by itself. */
export function agentLines(names: readonly string[], workingDirectory: string): readonly BroughtLine[] {
  return names.flatMap((name) => {
    const value = readSmallFile(toRaw(path.join(workingDirectory, name)), maxFileBytes)?.toString('utf8');
    return value === undefined ? [] : [lineOf({ setting: "the agent's settings", asks: 'runs', where: name, value })];
  });
}

/** A file that the user named elsewhere is the user's own. */
function promptLines(
  { path: file, metadata }: Taken['prompt'],
  { isGiven, workingDirectory }: Pick<Taken, 'isGiven' | 'workingDirectory'>,
): readonly BroughtLine[] {
  const where = path.relative(workingDirectory, file ?? '..');
  if (file === undefined || where.startsWith('..')) return [];
  const outside = placeOutside(file, workingDirectory);
  const isUntested = metadata.iteration.runTests === false && !isGiven('autoTest');
  return [
    ...(outside === undefined
      ? []
      : [
          {
            ...lineOf({ setting: 'promptPath', asks: 'place', where, value: outside }),
            note: 'outside of the project',
          },
        ]),
    ...(isUntested ? [lineOf({ setting: 'autoTest', asks: 'weakens', where, value: false })] : []),
  ];
}
