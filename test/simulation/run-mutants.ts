import { simulateWith } from './plant.ts';
import { loopSeed } from './random.ts';
import { runnerMutants } from './runner-mutants.ts';

/** Prints, for each bug planted in the runner, how many loops it takes to detect it, and the rule that detects it. */
const [masterSeed = 1, maxLoops = 500] = process.argv.slice(2).map(Number);

for (const [index, { bug }] of runnerMutants.entries()) {
  const simulate = await simulateWith(index);
  let caught: { readonly loops: number; readonly rule: string } | undefined;
  for (let loops = 0; loops < maxLoops && caught === undefined; loops += 1) {
    const rule = await ruleBroken(simulate, loopSeed(masterSeed, loops));
    if (rule !== undefined) caught = { loops, rule };
  }
  console.log(JSON.stringify({ bug, ...caught }));
}

/** A bug may also show up as an unexpected error. */
async function ruleBroken(
  simulate: Awaited<ReturnType<typeof simulateWith>>,
  seed: number,
): Promise<string | undefined> {
  try {
    return (await simulate({ seed })).violation?.rule;
  } catch (error) {
    return `unexpected: ${String(error)}`;
  }
}
