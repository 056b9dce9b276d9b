import { isDeepStrictEqual } from 'node:util';
import { Oracle, RuleBroken } from './oracle/oracle.ts';
import { createRandom, mix } from './random.ts';
import { type Rules, realRules } from './rules.ts';
import { driveToRest } from './world/lives.ts';
import { drawSetting, type Setting } from './world/settings.ts';
import { World } from './world/world.ts';

/** The result of one simulated loop. */
export interface SimulatedLoop {
  readonly seed: number;
  readonly world: World;
  readonly violation?: { readonly rule: string; readonly detail: string };
}

export interface SimulationOptions {
  readonly seed: number;
  readonly rules?: Rules;
  readonly note?: (line: string) => void;
}

/** Simulates one loop from its seed. A loop that can be compared runs twice: without crashes and with them. */
export async function simulateLoop({ seed, rules = realRules, note }: SimulationOptions): Promise<SimulatedLoop> {
  const setting = drawSetting(createRandom(mix(seed, 1)));
  const simulate = (crashes: boolean) =>
    runOnce({ seed, rules, ...(note === undefined ? {} : { note }) }, setting, crashes);
  if (!setting.comparable) return await simulate(setting.crashes);
  note?.('== without crashes');
  const smooth = await simulate(false);
  if (smooth.violation !== undefined) return smooth;
  note?.('== with crashes');
  const rough = await simulate(true);
  if (rough.violation !== undefined) return rough;
  const [wanted, got] = [essence(smooth.world), essence(rough.world)];
  if (isDeepStrictEqual(wanted, got)) return rough;
  const rule = 'a run with crashes ends as the same run without them';
  return { ...rough, violation: { rule, detail: `${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}` } };
}

async function runOnce(
  options: SimulationOptions & { readonly rules: Rules },
  setting: Setting,
  crashes: boolean,
): Promise<SimulatedLoop> {
  const oracle = new Oracle();
  const world = new World({ ...options, setting, oracle, crashes });
  const { seed } = options;
  try {
    await driveToRest(world);
    oracle.atRest(world);
    return { seed, world };
  } catch (error) {
    if (!(error instanceof RuleBroken)) throw error;
    return { seed, world, violation: { rule: error.rule, detail: error.message } };
  }
}

/** The parts of the state that must not depend on how often the owner died. */
function essence({ loop }: World) {
  const { totalExecutionMs: _totalExecutionMs, ...stats } = loop.totals.stats;
  const {
    status,
    outcome: { reason, verified },
    position: { finished },
    progress: { best },
  } = loop;
  // `runs` is left out: a run lost with its owner adds a run with unknown usage.
  const { tokens, outputTokens, toolCalls, costUsd } = loop.totals.spent;
  return { status, reason, verified, finished, stats, best, spent: { tokens, outputTokens, toolCalls, costUsd } };
}
