import { createRandom, mix, type Random } from '../../simulation/random.ts';
import type { Scenario } from './scenarios.ts';
import type { Stage } from './stage.ts';

/** A random history of a loop, determined by its number. */
export function randomLife(number: number): Scenario {
  const sizes = createRandom(mix(number, 0x11fe));
  const segmentBytes = sizes.pick([500, 1500, 100_000]);
  return {
    name: `life ${number}`,
    segmentBytes,
    play(stage) {
      const random = createRandom(mix(number, 0xd1ce));
      stage.create();
      stage.append(random.int(1, 3));
      const steps = random.int(3, 8);
      for (let step = 0; step < steps; step += 1) something(stage, random);
    },
  };
}

const calls = ['write', 'syncData', 'syncFolder', 'rename', 'create', 'sync', 'remove', 'lookAt'] as const;
const faults = ['EIO', 'ENOSPC', 'TORN', 'SHORT', 'EMFILE'] as const;

function something(stage: Stage, random: Random): void {
  const append = () => stage.append(random.int(1, 4), random.chance(0.1) ? 2000 : 0);
  const plain = random.weighted<() => void>([
    [append, 5],
    [() => stage.snapshot(), 2],
    [() => stage.open(), 2],
    [() => stage.put('inbox', `${random.int(1, 2)}.json`, `{"id":"${random.int(1, 9)}"}\n`), 1],
    [() => stage.close(), 1],
  ]);
  const how = random.next();
  if (how < 0.6) plain();
  else if (how < 0.8) stage.dying(random.pick(calls), plain);
  else stage.failing(random.pick(calls), random.pick(faults), plain);
}
