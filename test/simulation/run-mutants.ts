import { simulateWith } from './plant.ts';
import { loopSeed } from './random.ts';
import { runnerMutants } from './runner-mutants.ts';

/** Prints, for each bug planted in the runner, the loop that detects it, and the rule that detects it. */
const [masterSeed = 1, maxLoops = 500] = process.argv.slice(2).map(Number);

for (const [index, { bug, loop: first = 0 }] of runnerMutants.entries()) {
  const simulate = await simulateWith(index);
  let caught: { readonly loop: number; readonly rule: string } | undefined;
  for (const loop of [first, ...Array(maxLoops).keys()]) {
    const rule = await ruleBroken(simulate, loopSeed(masterSeed, loop));
    if (rule === undefined) continue;
    caught = { loop, rule };
    break;
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
