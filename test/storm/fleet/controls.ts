import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Client } from 'pg';
import { createFleetCommandBus } from '../../../src/app/fleet/fleet-command-bus.ts';
import { createFleetEventBus } from '../../../src/app/fleet/fleet-event-bus.ts';
import { type Fleet, openFleet } from '../../../src/fleet/index.ts';
import { sampleSubmission, sampleWorker } from '../../fleet/samples.ts';
import { createProxy } from '../../support/postgres/proxy.ts';
import { seenBy } from './oracle.ts';

/** A fleet that somebody attacks. */
export interface Attacked {
  readonly url: string;
  readonly fleet: Fleet;
  readonly client: Client;
}

/** A part of the protocol, what the fleet is without it, and an attack that shows the difference. */
export interface Control {
  readonly name: string;
  /** In a function of the schema, what is replaced by what. */
  readonly spoils: readonly (readonly [name: string, from: string, to: string])[];
  /** What is seen to be broken. */
  readonly attack: (attacked: Attacked, isSpoilt: boolean) => Promise<readonly string[]>;
}

const batch = { loopId: 'a', epoch: 1, lines: ['x\n'], types: ['x'] };

async function twoWorkers({ fleet }: Attacked): Promise<void> {
  for (const id of ['w', 'v']) await fleet.join(sampleWorker(id));
  await fleet.submit(sampleSubmission('a'));
  await fleet.claim('w', false);
  await fleet.append({ ...batch, after: 0, id: 'before' });
}

/** The fleet does not hear of the first worker until it is lost. */
async function silence({ fleet, client }: Attacked): Promise<void> {
  await client.query(
    "update ralphd.clock set tick = tick + 18; update ralphd.worker set tick = tick + 18 where id = 'v'",
  );
  await fleet.look();
}

/** An owner that was lost goes on to write. */
async function writeLate(attacked: Attacked): Promise<readonly string[]> {
  await twoWorkers(attacked);
  await silence(attacked);
  await attacked.fleet.append({ ...batch, after: 1, id: 'late' });
  return await seenBy(attacked.client);
}

/** Every part of the protocol that the database keeps. */
export const controls: readonly Control[] = [
  {
    name: 'no comparison of epochs',
    spoils: [['append', 'l.epoch <> my_epoch or l.owner is null', 'false']],
    attack: writeLate,
  },
  {
    name: 'a loss that leaves the epoch as it is',
    spoils: [
      ['append', 'l.epoch <> my_epoch or l.owner is null', 'l.epoch <> my_epoch'],
      ['lose', 'epoch = epoch + 1, owner = null', 'owner = null'],
    ],
    attack: writeLate,
  },
  {
    name: 'an epoch that is raised after the claim, by a statement of its own',
    spoils: [['give', 'epoch = epoch + 1, owner = me', 'owner = me']],
    async attack(attacked, isSpoilt) {
      const { fleet, client } = attacked;
      const raise = async (worker: string) => {
        if (isSpoilt) await client.query('update ralphd.loops set epoch = epoch + 1, owner = $1', [worker]);
      };
      for (const id of ['w', 'v']) await fleet.join(sampleWorker(id));
      await fleet.submit(sampleSubmission('a'));
      await fleet.claim('w', false);
      // It sleeps before its second step.
      await silence(attacked);
      await fleet.claim('v', false);
      await raise('v');
      await raise('w');
      return await seenBy(client);
    },
  },
  {
    name: 'a lease by the wall clock',
    spoils: [['look', 'c.tick - w.tick >= c.lost_after', "w.beat_at < clock_timestamp() - interval '9 seconds'"]],
    async attack(attacked) {
      await twoWorkers(attacked);
      // The clock of the server is set by an hour: whatever is written there was an hour ago.
      await attacked.client.query("update ralphd.worker set beat_at = beat_at - interval '1 hour'");
      await attacked.fleet.look();
      return await seenBy(attacked.client);
    },
  },
  {
    name: 'commands that only a notification tells of',
    spoils: [
      [
        'waiting',
        'c.answer_seq is null order',
        "c.answer_seq is null and c.sent_at > clock_timestamp() - interval '20 milliseconds' order",
      ],
    ],
    async attack(attacked) {
      await twoWorkers(attacked);
      await using proxy = await createProxy(attacked.url);
      await using fleet = openFleet(proxy.url);
      const received: string[] = [];
      proxy.cut();
      await attacked.fleet.send('a', 'c', JSON.stringify({ id: 'c', command: 'skip' }));
      await attacked.client.query("update ralphd.command set sent_at = sent_at - interval '1 second'");
      proxy.heal();
      const bus = createFleetCommandBus(fleet, createFleetEventBus(fleet));
      using _listening = bus.listen('a', async ({ id }) => {
        received.push(id);
        return { accepted: true };
      });
      // Whoever looks again and again has found it by now.
      for (let look = 0; look < 40 && received.length === 0; look += 1) await fleet.waiting(['a']);
      return received.length > 0 ? [] : ['a: a command that waits is not found'];
    },
  },
];

/** The push of an owner that was lost, where the branch decides (`branch`) or only the journal does. */
export function pushLate(folder: string, decides: 'branch' | 'journal'): readonly string[] {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=P', '-c', 'user.email=p@example.org'];
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync('git', [...who, ...args], {
      cwd: path.join(folder, cwd),
      env,
      stdio: 'pipe',
      encoding: 'utf8',
    }).trim();
  git('.', 'init', '-q', '--bare', '-b', 'main', 'shared.git');
  git('.', 'clone', '-q', 'shared.git', 'lost');
  git('lost', 'commit', '-q', '--allow-empty', '-m', 'Begin');
  git('lost', 'push', '-q', 'origin', 'HEAD:main', 'HEAD:ralphd/a');
  git('.', 'clone', '-q', 'shared.git', 'current');
  const base = git('lost', 'rev-parse', 'HEAD');
  const push = (owner: 'lost' | 'current', epoch: number) => {
    git(owner, 'commit', '-q', '--allow-empty', '-m', `Work of ${owner}`);
    const commit = git(owner, 'rev-parse', 'HEAD');
    const where =
      decides === 'branch'
        ? [`--force-with-lease=ralphd/a:${base}`, 'origin', 'HEAD:refs/heads/ralphd/a']
        : ['origin', `HEAD:refs/ralphd/a/${epoch}/${commit}`];
    try {
      git(owner, 'push', '-q', ...where);
      return true;
    } catch {
      return false;
    }
  };
  push('lost', 1);
  return push('current', 2) ? [] : ['a: the work of the current owner was refused after a late push of the lost one'];
}
