import { truncateSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endLine, jsonLines } from '../support/project.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { hasNamespaces } from '../support/system.ts';
import { createHostileProject, describeMeeting, expectHealthy, expectNothingLeft, resume } from './meet.ts';

const places = [{ place: 'outside a sandbox' }, { place: 'in a sandbox', sandbox: 'on' as const }];

test.for(places)(
  'A121 R21: an agent that fills the disk by printing, $place, loses the loop nothing, and with free space it continues',
  async ({ sandbox }, context) => {
    if (sandbox !== undefined && !hasNamespaces) context.skip('there is no sandbox here');
    const project = createHostileProject({ agent: 'fills-disk.sh', ...(sandbox && { sandbox }) });
    if (!mountSmallDisk(project)) context.skip('a small disk cannot be mounted here');
    const full = await project.program('run', 'x', '-n', '5', '--json');
    expect(endLine(full)).toMatchObject({ status: 'paused', reason: 'environment', exitCode: 5 });
    const types = jsonLines(full.stdout).map(({ type }) => type);
    expect(types, 'a full disk costs no iteration').not.toContain('iteration.finished');
    expect(types).toContain('iteration.interrupted');
    await expectNothingLeft(project);
    const spool = describeMeeting(project, [full]).file('stdout');
    truncateSync(spool);
    const meeting = describeMeeting(project, [full, await resume(project)]);
    await expectHealthy(meeting, Number(endLine(meeting.runs[1] ?? full)['iterations']));
  },
);
