import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { accept, type LoopCommand } from '../../core/index.ts';
import { configSchema, encodeConfig, type Fact, type RecordedFact } from '../../protocol/index.ts';
import { type Answer, createRecorder, type Recorder } from '../../runner/index.ts';
import type { OpenLoop } from '../../store/index.ts';
import { systemClock } from '../clock.ts';
import { thisMachine } from '../machine.ts';
import { openStore } from '../stores.ts';
import { createFileCommandBus } from './file-command-bus.ts';
import { createFileEventBus } from './file-event-bus.ts';
import { createFileLoopStore, own } from './file-loop-store.ts';
import { followOutput } from './follow-output.ts';

const loopId = 'ralph-fix-a1b2c3d4';
const registry = { whileLocked: async <Result>(action: () => Promise<Result>) => await action(), refresh: () => {} };
const setting = { registry, machine: thisMachine };
const ended: Fact = {
  type: 'loop.ended',
  data: { status: 'aborted', reason: 'user_abort', message: 'ended by the user', verified: false, elapsedMs: 0 },
};

function started(workingDirectory: string): Fact {
  const uuid = 'a1b2c3d4-0000-4000-8000-000000000000';
  const config = encodeConfig(configSchema.parse({}));
  const origin = { loopId, uuid, task: 'x', agent: 'command', workingDirectory, startedBy: 'user' } as const;
  return { type: 'loop.started', data: { ...origin, config, configHash: 'hash', checks: [] } };
}

const changes = { known: true, headMoved: false, modified: [], created: [], deleted: [], count: 0 };

/** A folder with one loop in it, and what there is to reach it from outside. */
async function project() {
  const folder = mkdtempSync(path.join(tmpdir(), 'ralphd-bus-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const folders = openStore({ root: path.join(folder, '.ralph') });
  const events = createFileEventBus(folders);
  const commands = createFileCommandBus({ folders, events, clock: systemClock });
  const record = (open: OpenLoop) => {
    const owned = own(open, setting);
    onTestFinished(() => owned.close());
    return { owned, recorder: createRecorder({ loop: owned, observe: owned.observe }) };
  };
  const { owned, recorder } = record(folders.create(loopId));
  await recorder.write([started(folder)]);
  const inbox = path.join(folder, '.ralph/loops', loopId, 'inbox');
  return { folders, events, commands, owned, recorder, record, inbox };
}

/** Answers commands as a driver does. */
function answering(recorder: Recorder, seen: string[] = []) {
  return async (command: LoopCommand): Promise<Answer> => {
    seen.push(command.id);
    await recorder.write(accept(recorder.loop, command));
    return { accepted: true };
  };
}

async function typesOf(facts: AsyncIterable<RecordedFact>): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of facts) types.push(type);
  return types;
}

test('a command reaches the owner, and its durable answer reaches the sender', async () => {
  const { commands, recorder, inbox } = await project();
  using _listening = commands.listen(loopId, answering(recorder));
  expect(await commands.send(loopId, { id: 'one', command: 'pause' })).toEqual({ accepted: true });
  expect(await commands.send(loopId, { id: 'two', command: 'skip' })).toEqual({
    accepted: false,
    why: 'no iteration is under way',
    allowed: ['pause', 'resume', 'stop', 'abort', 'reboot', 'guide', 'mode', 'note', 'breakpoint'],
  });
  await expect.poll(() => readdirSync(inbox)).toEqual([]);
});

test('a command that is sent again under its id is answered again and carried out once', async () => {
  const { commands, recorder } = await project();
  const seen: string[] = [];
  using _listening = commands.listen(loopId, answering(recorder, seen));
  const command: LoopCommand = { id: 'one', command: 'guide', text: 'mind the gap' };
  expect(await commands.send(loopId, command)).toEqual({ accepted: true });
  expect(await commands.send(loopId, command)).toEqual({ accepted: true });
  expect(seen).toEqual(['one']);
});

test('a command whose owner dies before it answers is answered by the next owner', async () => {
  const { folders, commands, owned, record } = await project();
  const answer = commands.send(loopId, { id: 'one', command: 'pause' });
  {
    using _listening = commands.listen(loopId, async () => await Promise.reject(new Error('killed')));
    await owned.close();
  }
  const next = record(folders.open(loopId));
  await commands.serveWaiting(loopId, answering(next.recorder));
  expect(await answer).toEqual({ accepted: true });
});

test('who stops waiting for an answer leaves the command where the owner finds it', async () => {
  const { commands, inbox } = await project();
  const stop = new AbortController();
  const answer = commands.send(loopId, { id: 'one', command: 'pause' }, { signal: stop.signal });
  stop.abort(new Error('tired'));
  await expect(answer).rejects.toThrow('tired');
  expect(readdirSync(inbox)).toHaveLength(1);
});

test('a loop that is over refuses a command, and nothing is written for it', async () => {
  const { folders, commands, recorder, owned, inbox } = await project();
  const late = commands.send(loopId, { id: 'late', command: 'pause' });
  await recorder.write([ended]);
  const refusal = { accepted: false, why: 'the loop has already ended (aborted)', allowed: [] };
  expect(await late).toEqual(refusal);
  expect(readdirSync(inbox)).toEqual([]);
  await owned.close();
  const mark = folders.mark(loopId);
  expect(await commands.send(loopId, { id: 'later', command: 'resume' })).toEqual(refusal);
  expect(folders.mark(loopId)).toBe(mark);
  expect(existsSync(inbox) ? readdirSync(inbox) : []).toEqual([]);
});

test('who follows a loop gets its facts from any number on, over a new owner, until it ends', async () => {
  const { folders, events, owned, recorder, record } = await project();
  const all = typesOf(events.follow(loopId));
  const later = typesOf(events.follow(loopId, { afterSeq: recorder.loop.journal.seq }));
  await recorder.write(accept(recorder.loop, { id: 'one', command: 'pause' }));
  await owned.close();
  const next = record(folders.open(loopId));
  await next.recorder.write([{ type: 'loop.recovered', data: { problems: [] } }]);
  await next.recorder.write([ended]);
  expect(await all).toEqual(['loop.started', 'command.accepted', 'loop.recovered', 'loop.ended']);
  expect(await later).toEqual(['command.accepted', 'loop.recovered', 'loop.ended']);
  expect(await typesOf(events.follow(loopId, { afterSeq: next.recorder.loop.journal.seq }))).toEqual([]);
});

test('following ends when its signal aborts, and when the loop is gone', async () => {
  const { events, recorder, inbox, owned } = await project();
  const stop = new AbortController();
  const aborted = typesOf(events.follow(loopId, { signal: stop.signal, afterSeq: recorder.loop.journal.seq }));
  const gone = typesOf(events.follow(loopId, { afterSeq: recorder.loop.journal.seq }));
  stop.abort();
  expect(await aborted).toEqual([]);
  await owned.close();
  rmSync(path.dirname(inbox), { recursive: true });
  expect(await gone).toEqual([]);
});

test('a store tells which loops changed since it was last asked, and which are gone', async () => {
  const { folders, recorder, owned, inbox } = await project();
  const store = createFileLoopStore(folders, setting);
  const first = await store.changesSince();
  expect(first).toMatchObject({ loopIds: [loopId], removed: [] });
  expect(await store.changesSince(first.cursor)).toMatchObject({ loopIds: [], removed: [] });
  await recorder.write(accept(recorder.loop, { id: 'one', command: 'pause' }));
  const second = await store.changesSince(first.cursor);
  expect(second).toMatchObject({ loopIds: [loopId], removed: [] });
  await owned.close();
  rmSync(path.dirname(inbox), { recursive: true });
  expect(await store.changesSince(second.cursor)).toMatchObject({ loopIds: [], removed: [loopId] });
});

test('B113: who follows the output also gets that of an agent whose start its owner could not record', async () => {
  const { folders, recorder } = await project();
  const { signal } = new AbortController();
  const output = followOutput(folders, { loop: recorder.loop, attempts: [], stream: 'stdout', signal });
  const key = { iteration: 1, attempt: 1 };
  const attempt = path.join(folders.place(loopId).folder, 'iterations/001/attempt-1');
  mkdirSync(attempt, { recursive: true });
  writeFileSync(path.join(attempt, 'stdout'), 'adopted\n');
  await recorder.write([
    { type: 'iteration.started', data: { ...key, session: 'fresh', handOff: false, guidance: [], elapsedMs: 0 } },
    {
      type: 'agent.finished',
      data: {
        ...key,
        outcome: 'completed',
        ending: { kind: 'exited', code: 0 },
        durationMs: 1,
        claimed: false,
        changes,
      },
    },
    ended,
  ]);
  const pieces: string[] = [];
  for await (const piece of output)
    pieces.push(piece.kind === 'bytes' ? Buffer.from(piece.bytes).toString() : piece.kind);
  expect(pieces).toEqual(['attempt', 'adopted\n', 'end']);
});
