import type { SnapshotDocument } from '../../../src/protocol/index.ts';
import type { OpenLoop } from '../../../src/store/index.ts';
import type { Tape } from '../disk/trace.ts';
import { type Subject, subjectFor } from '../oracle/subject.ts';
import { documentOf } from '../oracle/world.ts';
import { guardedScenarios } from './guarded.ts';
import type { Play } from './play.ts';
import { Stage } from './stage.ts';
import { putTogether } from './together.ts';

/** A short history of a loop. */
export interface Scenario {
  readonly name: string;
  /** Small segments force the journal to start new ones. */
  readonly segmentBytes?: number;
  /** Whether the loop has a mirror. */
  readonly isGuarded?: boolean;
  /** Problems caused by the scenario itself. */
  readonly allows?: readonly string[];
  readonly play: (stage: Stage) => void;
}

const tiny = 500;

/** Histories of a loop without a mirror. */
const plain: readonly Scenario[] = [
  {
    name: 'make a loop and record facts',
    play: (stage) => {
      stage.create();
      for (let count = 0; count < 4; count += 1) stage.append();
      stage.close();
    },
  },
  {
    name: 'batches of facts',
    play: (stage) => {
      stage.create();
      for (const count of [2, 7, 1, 12]) stage.append(count);
    },
  },
  {
    name: 'facts larger than a page',
    play: (stage) => {
      stage.create();
      stage.append(1, 3000);
      stage.append(3, 1500);
      stage.snapshot();
      stage.append(1, 9000);
      stage.append();
    },
  },
  {
    name: 'a new segment when one is full',
    segmentBytes: tiny,
    play: (stage) => {
      stage.create();
      for (const count of [1, 2, 1, 3, 1, 1, 2]) stage.append(count);
      stage.close();
    },
  },
  {
    name: 'snapshots between facts',
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.snapshot();
      stage.append();
      stage.snapshot();
      stage.append(2);
      stage.close();
    },
  },
  {
    name: 'snapshots and new segments',
    segmentBytes: tiny,
    play: (stage) => {
      stage.create();
      for (const count of [2, 3, 1]) {
        stage.append(count);
        stage.snapshot();
        stage.append(2);
      }
    },
  },
  {
    name: 'a second and a third owner',
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.close();
      stage.open();
      stage.append();
      stage.snapshot();
      stage.open();
      stage.append(2);
      stage.close();
    },
  },
  {
    name: 'an owner that dies in the middle of a write',
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.dying('write', () => stage.append(3));
      stage.open();
      stage.append();
      stage.dying('write', () => stage.append(2));
      stage.open();
      stage.append();
    },
  },
  {
    name: 'an owner that dies in the middle of a takeover',
    segmentBytes: tiny,
    play: (stage) => {
      stage.create();
      stage.append(3);
      for (const call of ['rename', 'syncData', 'syncFolder', 'write']) {
        stage.dying(call, () => stage.open());
        stage.open();
        stage.append();
      }
    },
  },
  {
    name: 'a failed sync, then on in a new segment',
    play: (stage) => {
      stage.create();
      stage.append();
      stage.failing('syncData', 'EIO', () => stage.append(2));
      stage.append();
      stage.snapshot();
      stage.failing('write', 'TORN', () => stage.append(2));
      stage.append();
      stage.open();
      stage.append();
    },
  },
  {
    name: 'a disk that fails twice, an owner that leaves, another that comes',
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.failing('syncData', 'EIO', () => stage.failing('create', 'EIO', () => stage.append(2)));
      stage.close();
      stage.open();
      stage.append();
    },
  },
  {
    name: 'a full disk, then space again',
    play: (stage) => {
      stage.create();
      stage.append();
      stage.failing('write', 'ENOSPC', () => stage.append());
      stage.failing('write', 'ENOSPC', () => stage.snapshot());
      stage.failing('create', 'ENOSPC', () => stage.snapshot());
      stage.append(2);
      stage.snapshot();
      stage.append();
    },
  },
  {
    name: 'a damaged snapshot is put aside',
    allows: ['snapshot_damaged'],
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.snapshot();
      stage.append();
      stage.damage('state.json', (bytes) => bytes.subarray(0, 90));
      stage.open();
      stage.append();
      stage.snapshot();
      stage.append();
    },
  },
  {
    name: 'a disk that garbles a snapshot',
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.snapshot();
      stage.append();
      stage.failing('write', 'GARBLED', () => stage.snapshot());
      stage.append();
    },
  },
  {
    name: 'an owner that lost the loop and wakes up',
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.freeze();
      stage.open();
      stage.append();
      stage.thaw(() => stage.append());
      stage.thaw(() => stage.snapshot());
      stage.append();
    },
  },
  {
    name: 'checkpoint and backup, then a damaged snapshot',
    allows: ['snapshot_damaged', 'rebuilt'],
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.snapshot();
      stage.keep((loop) => checkpoint(loop, stage.tape.truth().acknowledged));
      stage.append();
      stage.snapshot();
      stage.keep((loop) => loop.backUp({ compress: true, maxBackups: 3 }).file);
      stage.append();
      stage.damage('state.json', (bytes) => bytes.subarray(0, 90));
      stage.open();
      stage.append();
      stage.snapshot();
    },
  },
  {
    name: 'checkpoints that are pruned',
    allows: ['copy_damaged', 'rebuilt'],
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.snapshot();
      const facts = () => stage.tape.truth().acknowledged;
      stage.keep((loop) => checkpoint(loop, facts()));
      for (const iteration of [2, 3, 4, 5, 6, 7]) {
        stage.append();
        stage.keep((loop) => checkpoint(loop, facts(), iteration));
        stage.damage(`checkpoints/iteration-00${iteration}.json.gz`, (bytes) => bytes.subarray(0, 30));
      }
      // Only the first checkpoint is readable, and it was acknowledged.
      stage.act((loop) => loop.pruneCheckpoints(() => false));
      stage.open();
      stage.append();
    },
  },
  {
    name: 'files of an attempt',
    play: (stage) => {
      stage.create();
      stage.append();
      stage.dying('syncFolder', () => stage.putAndSettle('iterations/001', 'prompt', 'Never sent.\n'));
      stage.putAndSettle('iterations/001', 'prompt', 'Fix the tests.\n'.repeat(50));
      stage.put('iterations/001', 'result.json', '{"status":"ok"}\n');
      stage.append();
    },
  },
  {
    name: 'commands in the inbox, two at once',
    play: (stage) => {
      stage.create();
      stage.append();
      stage.put('inbox', '1-a.json', '{"id":"a","command":"pause"}\n');
      const texts = ['{"id":"b","command":"resume"}\n', '{"id":"b","command":"stop"}\n'] as const;
      putTogether(stage, { folder: 'inbox', name: '1-b.json', texts });
      stage.append();
    },
  },
];

/** All scenarios; crashes, failing disks and planted bugs are tried on each. */
export const scenarios: readonly Scenario[] = [...plain, ...guardedScenarios];

/** Writes a checkpoint of these facts as the layers above do: it wraps a snapshot. */
export function checkpoint(loop: OpenLoop, facts: readonly number[], iteration = 1): string {
  const { position } = loop;
  if (!position) throw new Error('Nothing was recorded yet.');
  const document = documentOf(iteration, facts);
  const wrap = (snapshot: SnapshotDocument) => ({ checkpoint_id: String(iteration), ralphd: { snapshot } });
  return loop.writeCheckpoint({ iteration, document, position, wrap });
}

/** Plays a scenario to its end, on an in-memory disk unless another tape is given. */
export function played(
  scenario: Scenario,
  subject: Subject,
  how: { readonly plan?: NonNullable<Play['plan']>; readonly tape?: Tape } = {},
): Stage {
  const { plan, tape } = how;
  const stage = new Stage(
    { subject: subjectFor(scenario, subject), segmentBytes: scenario.segmentBytes, ...(plan && { plan }) },
    tape,
  );
  scenario.play(stage);
  return stage;
}
