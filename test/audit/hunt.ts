import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createVitest, type TestModule } from 'vitest/node';
import { plantIn } from '../support/plant-in.ts';
import { namesFor, root } from './names.ts';
import type { PlantedBug } from './planted-bug.ts';

/** What became of a planted bug. */
export interface Finding {
  readonly requirement: string;
  readonly bug: string;
  readonly result: 'caught' | 'survived' | 'unfit';
  readonly details?: string;
}

/** Plants bugs one at a time while modules are loaded, never on disk, and runs only the tests that have to notice. */
export interface Hunter extends AsyncDisposable {
  /** All bugs must have the same test file. */
  hunt(bugs: readonly PlantedBug[], onFinding: (finding: Finding) => void): Promise<void>;
}

/** The program as it is built is replaced by its sources, because that is where bugs are planted. */
function sourceOf(id: string): string | undefined {
  const { dir, name, ext } = path.parse(id);
  if (dir !== path.join(root, 'dist') || ext !== '.js') return undefined;
  return path.join(root, 'src', name === 'cli' ? 'cli/main.ts' : `${name}.ts`);
}

export async function createHunter(): Promise<Hunter> {
  let planted: PlantedBug | undefined;
  let isLoaded = false;
  const plugin = {
    name: 'planted-bug',
    enforce: 'pre' as const,
    resolveId: sourceOf,
    transform(code: string, id: string) {
      if (planted === undefined || id !== placeOf(planted)) return undefined;
      isLoaded = true;
      return plantIn(code, planted);
    },
  };
  const vitest = await createVitest(
    // A module with a bug must be neither kept on disk nor shared with the next run.
    {
      root,
      watch: false,
      reporters: [{}],
      maxWorkers: 1,
      isolate: true,
      fsModuleCache: false,
      retry: 0,
      testTimeout: 120_000,
      expect: { poll: { timeout: 15_000, interval: 20 } },
    },
    { plugins: [plugin] },
  );

  return {
    async hunt(bugs, onFinding) {
      const fit = bugs.filter((bug) => {
        const details = whyUnfit(bug);
        if (details !== undefined) onFinding({ ...named(bug), result: 'unfit', details });
        return details === undefined;
      });
      const failing = fit.length === 0 ? undefined : await run(fit);
      for (const bug of fit) onFinding(failing === undefined ? await judge(bug) : unreliable(bug, failing));
    },
    [Symbol.asyncDispose]: () => vitest.close(),
  };

  async function judge(bug: PlantedBug): Promise<Finding> {
    planted = bug;
    isLoaded = bug.asText === true;
    provide(bug.asText === true ? bug : null);
    vitest.invalidateFile(placeOf(bug));
    try {
      const details = await run([bug]);
      if (!isLoaded) return { ...named(bug), result: 'unfit', details: `its tests do not load src/${bug.file}` };
      if (details === undefined) return { ...named(bug), result: 'survived' };
      const isNoTest = details.startsWith(cannotLoad);
      return { ...named(bug), result: isNoTest ? 'unfit' : 'caught', details };
    } finally {
      planted = undefined;
      provide(null);
      vitest.invalidateFile(placeOf(bug));
    }
  }

  function provide(bug: PlantedBug | null): void {
    for (const project of vitest.projects) project.provide('planted', bug);
  }

  /** Runs the tests for bugs; the first failure, if there is one. */
  async function run(bugs: readonly PlantedBug[]): Promise<string | undefined> {
    const file = path.join(root, bugs[0]?.test ?? '');
    vitest.setGlobalTestNamePattern(namesFor(bugs) ?? /^$/);
    const found = await vitest.globTestSpecifications([file]);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
      found.filter(({ moduleId }) => moduleId === file),
    );
    const [module] = testModules.filter(({ moduleId }) => moduleId === file);
    const [unhandled] = unhandledErrors;
    return (module && firstFailure(module)) ?? (unhandled === undefined ? undefined : messageOf(unhandled));
  }
}

/** Why a bug cannot be planted, or has no test that could notice it. */
export function whyUnfit(bug: PlantedBug): string | undefined {
  try {
    plantIn(readFileSync(placeOf(bug), 'utf8'), bug);
    return namesFor([bug]) === undefined ? `no test in ${bug.test} names ${bug.requirement}` : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}

const cannotLoad = 'The test file cannot be loaded';

function firstFailure(module: TestModule): string | undefined {
  const [error] = module.errors();
  if (error) return `${cannotLoad}: ${error.message}`;
  for (const test of module.children.allTests('failed'))
    return `${test.fullName}: ${test.result().errors?.[0]?.message}`;
  for (const _ of module.children.allTests('passed')) return undefined;
  return `${cannotLoad}: none of its tests ran`;
}

function unreliable(bug: PlantedBug, failure: string): Finding {
  return { ...named(bug), result: 'unfit', details: `its tests fail without the bug, too: ${failure}` };
}

function named({ requirement, bug }: PlantedBug): { readonly requirement: string; readonly bug: string } {
  return { requirement, bug };
}

function placeOf({ file }: PlantedBug): string {
  return path.join(root, 'src', file);
}
