import { expect, test } from 'vitest';
import type { Fleet, WorkerNote } from '../../fleet/index.ts';
import { createFleetMember } from './fleet-member.ts';

test('a worker tells the fleet what it offers, and nothing of its environment or of the address with the password', async () => {
  const notes: WorkerNote[] = [];
  const fleet = {
    join: async (note: WorkerNote) => {
      notes.push(note);
      return [];
    },
  } as unknown as Fleet;
  const self = { host: 'h', bootId: 'b', pid: 1, startTime: '1' };
  const offer = { machine: 'm', version: '1', capacity: 2, agents: ['claude'], labels: [], trust: ['all'], nowMs: 5 };
  const options = { ...offer, env: { TOKEN: 'secret' }, address: 'postgresql://me:secret@host/db', folder: '/f' };
  const member = createFleetMember(fleet, self, options);
  await member.join();
  expect(notes).toEqual([{ id: member.id, ...self, ...offer }]);
});
