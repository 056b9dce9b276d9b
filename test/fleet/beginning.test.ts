import { expect, test } from 'vitest';
import { driveClaim } from '../../src/app/fleet/drive-claim.ts';
import { createFleetCommandBus } from '../../src/app/fleet/fleet-command-bus.ts';
import { createFleetEventBus } from '../../src/app/fleet/fleet-event-bus.ts';
import { createFleetLoopStore } from '../../src/app/fleet/fleet-loop-store.ts';
import { createFleetMember } from '../../src/app/fleet/fleet-member.ts';
import { createOutputTails } from '../../src/app/fleet/output-tails.ts';
import { writeRequest } from '../../src/app/fleet/request.ts';
import { type NewSubmission, submitLoop } from '../../src/app/fleet/submit.ts';
import { openWorkerPlace } from '../../src/app/fleet/worker-place.ts';
import { thisMachine } from '../../src/app/machine.ts';
import { createRegistry } from '../../src/app/registry.ts';
import { permitUntil, uptimeSeconds } from '../../src/process/index.ts';
import { configSchema, type LoopConfigInput } from '../../src/protocol/index.ts';
import { openLoopFolders } from '../../src/store/index.ts';
import { sharedRepository } from '../../src/workspace/testing/shared-repository.ts';
import { env } from '../../src/workspace/testing/tree.ts';
import { useEmptyFleet, workerNote } from '../support/postgres/fleet.ts';
import { describeWithPostgres } from '../support/postgres/shared.ts';

describeWithPostgres('the beginning of a loop of a fleet', () => {
  const world = useEmptyFleet();

  test('a loop whose owners died before its first fact begins on the next worker', async () => {
    const { repository, root } = await sharedRepository();
    const id = await submitLoop(world.fleet, submission({ repository }));
    for (const name of ['first', 'second']) await openAndDie(id, root.at(name));
    expect(await world.fleet.lookAt(id)).toMatchObject({ seq: 2, status: 'queued' });
    expect(await drive(root.at('third'))).toEqual({ kind: 'rests', status: 'completed' });
    const types = (await world.fleet.facts(id, 0, 4)).map(({ line }) => /"type":"([^"]*)"/.exec(line)?.[1]);
    expect(types).toEqual(['segment.opened', 'segment.opened', 'segment.opened', 'loop.started']);
  });

  test('a loop that a fleet would drive differently from its settings is refused, also if it is in the database already', async () => {
    const { repository, root } = await sharedRepository();
    const early = 'ralph-early-7d444840';
    for (const config of refused) {
      const wanted = submission({ repository, config });
      await expect(submitLoop(world.fleet, wanted)).rejects.toMatchObject({ failure: { code: 'FLEET_SETTING' } });
      const request = writeRequest({ ...wanted, uuid });
      const row = { request, title: 'Begin.', priority: 0, byPerson: true, agent: 'command', labels: [], repository };
      await world.fleet.submit({ id: early, ...row, submittedBy: 'tester' });
      expect(await drive(root.at('machine'))).toEqual({
        kind: 'held',
        why: expect.stringContaining('cannot be driven by a fleet'),
      });
      expect(await world.fleet.lookAt(early)).toMatchObject({ seq: 0, status: 'held' });
      await world.execute('delete from ralphd.loops');
    }
  });

  /** A worker that opens the journal of the loop that waits, and dies. */
  async function openAndDie(loopId: string, folder: string) {
    using place = openWorkerPlace(folder);
    const member = memberAt(place.machine);
    await member.join();
    const epoch = (await world.fleet.claim(member.id, false))?.epoch ?? 0;
    const { root } = place;
    const { self, livenessOf, clock } = thisMachine;
    const folders = openLoopFolders({ root, owner: self(), livenessOf, now: () => new Date(clock.nowMs()) });
    const registry = createRegistry({ root, workingDirectory: root });
    const commands = createFleetCommandBus(world.fleet, createFleetEventBus(world.fleet));
    const given = new Map([[loopId, epoch]]);
    const store = createFleetLoopStore({ member, folders, registry, machine: thisMachine, commands, given });
    await using _loop = await store.create(loopId);
    await world.fleet.lose(member.id);
    member.declareLost('it died');
  }

  async function drive(folder: string) {
    using place = openWorkerPlace(folder);
    const member = memberAt(place.machine);
    await member.join();
    const claim = (await world.fleet.claim(member.id, false)) ?? expect.unreachable();
    permitUntil(place.permitFile, uptimeSeconds() + 600);
    await using tails = createOutputTails(world.fleet, 'here');
    const how = { isTrusted: () => true, isDraining: () => false, report: () => {} };
    return await driveClaim(claim, { member, place, tails, env: { ...process.env, ...env }, ...how });
  }

  function memberAt(machine: string) {
    return createFleetMember(world.fleet, thisMachine.self(), { ...workerNote, machine, agents: ['command'] });
  }
});

const uuid = '7d444840-9dc0-41d2-b245-5ffdce74fad2';
const refused: readonly LoopConfigInput[] = [
  { persistence: { encrypt: true } },
  { persistence: { enabled: false } },
  { workingDir: 'packages/one' },
];

function submission({ repository, config = {} }: { repository: string; config?: LoopConfigInput }): NewSubmission {
  const agentCommand = ['sh', '-c', 'cat > /dev/null; echo "<promise>DONE</promise>"'];
  const plain = {
    prompt: 'Begin.',
    agent: 'command',
    agentCommand,
    trustPromise: true,
    autoTest: false,
    iterationDelay: '0s',
    maxIterations: 1,
  } as const;
  const where = { repository, ref: 'main', given: [], chosen: [] };
  return { ...where, config: configSchema.parse({ ...plain, ...config }), priority: 0, labels: [] };
}
