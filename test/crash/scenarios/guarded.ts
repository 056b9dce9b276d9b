import { registryFile } from '../oracle/registry.ts';
import { harm, harms, spoilCopy, startOver, writeRegistry } from './harm.ts';
import type { Scenario } from './scenarios.ts';

const tiny = 600;
const home = '/home';

/** The problems that the next owner reports after an agent's damage and its repair. */
const harmed = ['rebuilt', 'corruption', 'journal_behind', 'copy_damaged'];

/** Histories of a loop with a mirror. */
export const guardedScenarios: readonly Scenario[] = [
  {
    name: 'a guarded loop and its copy',
    isGuarded: true,
    segmentBytes: tiny,
    play: (stage) => {
      stage.create();
      for (const count of [1, 2, 3]) stage.append(count);
      stage.snapshot();
      stage.open();
      stage.append(2);
      stage.close();
      stage.open();
      stage.append();
    },
  },
  {
    name: 'an agent that deletes the state of its loop',
    isGuarded: true,
    allows: harmed,
    play: (stage) => {
      stage.create();
      stage.append(2);
      for (const how of [
        harms.deletesTheLoop,
        harms.deletesTheLock,
        harms.deletesEverything,
        harms.deletesTheJournal,
      ]) {
        harm(stage, how);
        stage.append();
        stage.append(2);
      }
    },
  },
  {
    name: 'an agent that deletes while facts are recorded',
    isGuarded: true,
    segmentBytes: tiny,
    allows: harmed,
    play: (stage) => {
      stage.create();
      stage.append(2);
      for (const call of ['write', 'syncData', 'look', 'create']) {
        stage.meanwhile(
          call,
          () => harm(stage, harms.deletesTheLoop),
          () => stage.append(2),
        );
        stage.append();
      }
    },
  },
  {
    name: 'state that is damaged while no process runs the loop',
    isGuarded: true,
    segmentBytes: tiny,
    allows: harmed,
    play: (stage) => {
      stage.create();
      stage.append(3);
      stage.append(3);
      stage.snapshot();
      for (const how of [
        harms.deletesEverything,
        harms.deletesTheNewestSegment,
        harms.cutsTheNewestSegment,
        harms.cutsTheFirstSegment,
        harms.deletesTheFirstSegment,
      ]) {
        stage.close();
        harm(stage, how, true);
        stage.open();
        stage.append(2);
      }
    },
  },
  {
    name: 'an owner that dies while it restores its state',
    isGuarded: true,
    segmentBytes: tiny,
    allows: harmed,
    play: (stage) => {
      stage.create();
      stage.append(3);
      stage.append(3);
      for (const call of ['rename', 'write', 'syncData']) {
        harm(stage, harms.deletesTheLoop, true);
        stage.dying(call, () => stage.append());
        stage.dying(call, () => stage.open());
        stage.open();
        stage.append();
      }
    },
  },
  {
    name: 'a sealed segment that is damaged unnoticed while the loop runs',
    isGuarded: true,
    segmentBytes: tiny,
    allows: harmed,
    play: (stage) => {
      stage.create();
      for (let count = 0; count < 3; count += 1) stage.append(2);
      harm(stage, harms.cutsTheFirstSegment, true);
      for (let count = 0; count < 3; count += 1) stage.append(2);
      harm(stage, harms.deletesTheFirstSegment, true);
      for (let count = 0; count < 3; count += 1) stage.append(2);
      stage.open();
      stage.append();
    },
  },
  {
    name: 'an outdated copy, and a damaged one',
    isGuarded: true,
    allows: harmed,
    play: (stage) => {
      stage.create();
      stage.append();
      stage.refusing(home, () => {
        stage.open();
        for (let count = 0; count < 4; count += 1) stage.append();
      });
      harm(stage, harms.deletesTheLock);
      stage.append();
      spoilCopy(stage, (bytes) => Buffer.from(bytes).fill(' ', 30, 60));
      stage.open();
      stage.append();
      spoilCopy(stage, (bytes) => bytes.subarray(0, 400));
      harm(stage, harms.deletesTheLock);
      stage.append();
    },
  },
  {
    name: 'a guarded loop on a disk that fails twice',
    isGuarded: true,
    allows: harmed,
    play: (stage) => {
      stage.create();
      stage.append(2);
      stage.failing('syncData', 'EIO', () => stage.failing('create', 'EIO', () => stage.append(2)));
      stage.append();
      stage.meanwhile(
        'syncData',
        () => harm(stage, harms.deletesTheLock),
        () => stage.append(2),
      );
      stage.append();
    },
  },
  {
    name: 'a loop of the same name as one that was deleted',
    isGuarded: true,
    allows: harmed,
    play: (stage) => {
      stage.create();
      stage.append(3);
      startOver(stage);
      stage.create();
      stage.append();
      stage.open();
      stage.append();
    },
  },
  {
    name: 'the list of loops is rewritten',
    play: (stage) => {
      stage.create();
      stage.append();
      for (const number of [1, 2]) writeRegistry(stage, number);
      stage.dying('rename', () => writeRegistry(stage, 3));
      writeRegistry(stage, 4);
      stage.damage(registryFile, (bytes) => bytes.subarray(0, 20));
      writeRegistry(stage, 5);
      stage.open();
      stage.snapshot();
    },
  },
];
