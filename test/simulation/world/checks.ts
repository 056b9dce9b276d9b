import type { GateRun } from '../../../src/core/index.ts';
import type { ConditionsPort, GatePort, HooksPort, HooksRun } from '../../../src/runner/index.ts';
import { createRandom, mix } from '../random.ts';
import { lookAt } from './conditions.ts';
import { changedFilesOf, evidenceOf, reportOf } from './evidence.ts';
import type { Owner } from './owner.ts';
import { hookSays } from './script.ts';
import { gateSays } from './tampering.ts';
import type { World } from './world.ts';

const baselineMs = 3_000;
const gateMs = 2_000;
const hookMs = 300;
const lookMs = 200;
const preparationMs = 700;

/** The scripted checks: each reports the true state, unless it is interrupted. */
export function createGatePort(owner: Owner): GatePort {
  const { world, clock } = owner;
  return {
    async run({ purpose }, { signal }): Promise<GateRun | undefined> {
      await clock.sleep(purpose === 'baseline' ? baselineMs : gateMs, signal);
      await owner.interfere(purpose);
      if (signal.aborted) return undefined;
      await owner.mayDie(0.05);
      if (purpose === 'gate') return judge(world);
      return { ...evidenceOf(world, [0, world.finishedBaselines]), durationMs: baselineMs };
    },
    async prepare() {
      await clock.sleep(preparationMs);
      await owner.interfere('baseline');
      await owner.mayDie(0.1);
      // Seeded with the number of pauses, which crashes do not change.
      world.isUnprepared = createRandom(mix(world.seed, 32, world.pauses)).chance(0.3);
      if (world.isUnprepared) return 'a folder cannot be read';
      return { id: 'env', digest: 'd', folders: [], files: 1, bytes: 1, durationMs: preparationMs };
    },
    captureStart: async () => ({ id: 'tree', files: 1, bytes: 1 }),
  };
}

function judge(world: World): GateRun {
  const { iteration } = world.loop.position;
  const evidence = evidenceOf(world, [iteration, world.finishedGates.get(iteration) ?? 0]);
  const { verdict, ...changed } = gateSays(world, evidence.verdict);
  // Checks whose file was changed do not run, so they count no tests; checks that cannot run report nothing at all.
  const report =
    changed.tampered === undefined ? reportOf(world, verdict) : { ...reportOf(world, 'unverifiable'), verdict };
  const shown = evidence.obstacle === undefined ? { ...evidence, ...report } : evidence;
  return { ...shown, ...changed, ...changedFilesOf(world), durationMs: gateMs };
}

/** Hooks run one after the other; interrupted hooks report nothing. */
export function createHooksPort(owner: Owner): HooksPort {
  const { world, clock } = owner;
  return {
    async run({ context: { iteration }, point, hooks }, { signal }): Promise<HooksRun | undefined> {
      const { seed, setting } = world;
      // Where runs with and without crashes are compared, the result must not depend on how often a hook ran.
      const earlier = setting.comparable ? 0 : (world.finishedHooks.get(`${iteration} ${point}`) ?? 0);
      const results: HooksRun['results'] = [];
      for (const due of hooks) {
        await clock.sleep(hookMs, signal);
        await owner.interfere('hooks');
        if (signal.aborted) return undefined;
        await owner.mayDie(0.03);
        const says = hookSays(seed, [iteration, earlier, pointKey(point)], { name: due.name, point });
        const isFatal = !says.ok && setting.config.hooks.some(({ name, fatal }) => name === due.name && fatal);
        results.push({ ...due, ok: says.ok, ...(isFatal ? { fatal: true } : {}), durationMs: hookMs, output: '' });
        if (isFatal || says.stops) {
          return { results, ...(says.stops ? { stop: { hook: due.name, reason: 'enough' } } : {}) };
        }
      }
      return { results, data: { by: hooks[0]?.name ?? '' } };
    },
  };
}

function pointKey(point: string): number {
  return Buffer.from(point).reduce((key, byte) => (31 * key + byte) % 65_536, 0);
}

/** Observes the world; an interrupted observation reports nothing. */
export function createConditionsPort(owner: Owner): ConditionsPort {
  const { world, clock } = owner;
  return {
    async observe({ iteration, conditions }, { signal }) {
      await clock.sleep(lookMs, signal);
      await owner.interfere('conditions');
      if (signal.aborted) return undefined;
      await owner.mayDie(0.1);
      return conditions.map(({ key }) => lookAt(world, iteration, key));
    },
  };
}
