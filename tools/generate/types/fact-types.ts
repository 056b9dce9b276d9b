import type * as z from 'zod';
import { factCatalogue } from '../../../src/protocol/facts/catalogue.ts';
import * as guards from '../../../src/protocol/facts/guard.ts';
import * as shapes from '../../../src/protocol/facts/shapes.ts';
import { bodyText, commentText, declarationText, type Names } from './schema-text.ts';
import { sourceText } from './source-text.ts';
import { importOfWords, nameOfWords } from './words.ts';

interface Named {
  readonly schema: z.core.$ZodType;
  readonly what: string;
}

const named: Readonly<Record<string, Named>> = {
  ProcessIdentity: {
    schema: shapes.processIdentity,
    what: 'A process, named so that a reused pid is never mistaken for it.',
  },
  Sender: { schema: shapes.sender, what: 'Who sent a command: as it says itself, so it proves nothing.' },
  Ending: { schema: shapes.ending, what: 'How a process ended.' },
  Usage: {
    schema: shapes.usage,
    what: 'What a run cost, as far as it was reported: a field that is missing is unknown, not 0.',
  },
  ApiCalls: { schema: shapes.apiCalls, what: 'API calls of an agent, up to this instant.' },
  Changes: {
    schema: shapes.changes,
    what: 'What a run changed in the work tree; `known: false` means that this could not be determined.',
  },
  TestHints: { schema: shapes.testHints, what: "Test counts that an agent's own output shows: hints, never proof." },
  TestCounts: { schema: shapes.testCounts, what: 'Test counts from a run that ralphd made itself.' },
  Measure: { schema: shapes.measure, what: 'A number that the checks gave.' },
  Check: { schema: shapes.check, what: 'One command of the gate and its result.' },
  JudgedTree: {
    schema: shapes.judgedTree,
    what: 'The files that a verdict is about: every file that is not ignored, byte by byte.',
  },
  Obstacle: {
    schema: shapes.obstacle,
    what: 'Why the checks could not be run at all, for a reason that the agent cannot remove.',
  },
  ConditionResult: {
    schema: shapes.conditionResult,
    what: 'The result of one condition; `met: null` means that it could not be determined.',
  },
  Progress: {
    schema: shapes.progress,
    what: 'Whether the iteration made progress; `made: null` means that this could not be determined.',
  },
  NotedIssue: { schema: shapes.notedIssue, what: 'Something that an agent reports as wrong.' },
  RunNotes: {
    schema: shapes.runNotes,
    what: 'What an agent notes for those after it: quotations of its own words, each one line.',
  },
  SettingChange: {
    schema: shapes.settingChange,
    what: 'A setting that changed, with its values as text; missing where there is none, or where they are not shown.',
  },
  LeftWork: { schema: shapes.leftWork, what: 'What a loop leaves to the one that continues its work.' },
  ProtectedBase: {
    schema: shapes.protectedBase,
    what: 'The commit that holds the original files, and the git reference that keeps it.',
  },
  Worktree: { schema: shapes.worktree, what: "A git worktree of a loop's own, and where its branch began." },
  Quality: {
    schema: shapes.quality,
    what: 'How good the work was when an iteration ended, as far as ralphd saw itself.',
  },
  FoundProgram: { schema: guards.foundProgram, what: 'What the name of a program stood for.' },
  FolderProgram: { schema: guards.folderProgram, what: 'One program of a folder.' },
  InstalledPackage: { schema: guards.installedPackage, what: 'One installed package.' },
  Guard: {
    schema: guards.guard,
    what: 'Something that affects a check, as it was. Paths are relative to the work folder.',
  },
};

const names: Names = {
  nameOf: (schema) => Object.entries(named).find(([, each]) => each.schema === schema)?.[0],
  nameOfWords,
};

/** The types that the facts share. */
export async function factShapes(): Promise<string> {
  const text = Object.entries(named)
    .map(([name, { schema, what }]) => declarationText({ schema, name, what }, 'output', names))
    .join('\n\n');
  return await sourceText(importOfWords(text, '../words.ts') + text, 'src/protocol/facts/fact-shapes.ts');
}

/** The data of every fact. */
export async function factData(): Promise<string> {
  const members = Object.entries(factCatalogue).map(
    ([type, { summary, data }]) => `${commentText(summary)}'${type}': ${bodyText(data, 'output', names)};`,
  );
  const text = `${commentText('The data of each kind of fact, by its name.')}export interface FactDataByType {\n${members.join('\n')}\n}`;
  const used = Object.keys(named).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  const imports = `import type { ${used.join(', ')} } from './fact-shapes.ts';\n${importOfWords(text, '../words.ts')}`;
  return await sourceText(imports + text, 'src/protocol/facts/fact-data.ts');
}
