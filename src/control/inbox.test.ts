import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LoopCommand } from '../core/index.ts';
import { collectCommands, type Delivery, leaveCommand, peekCommands, watchInbox } from './inbox.ts';
import type { InboxPlace } from './inbox-folder.ts';

function createPlace(): InboxPlace & { readonly inbox: string } {
  const root = mkdtempSync(path.join(tmpdir(), 'ralphd-inbox-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = path.join(root, 'loops/ralph-x-a1b2c3d4');
  mkdirSync(folder, { recursive: true });
  return { root, folder, inbox: path.join(folder, 'inbox') };
}

function commandsIn(place: InboxPlace): readonly LoopCommand[] {
  return collectCommands(place).map(({ command }) => command);
}

const pause: LoopCommand = { id: 'one', command: 'pause', now: true };
const guide: LoopCommand = { id: 'two', command: 'guide', text: 'Grüße\n"quoted"' };
const abort: LoopCommand = { id: 'three', command: 'abort' };

test('commands are found in the order in which they were left, whatever their ids', () => {
  const place = createPlace();
  leaveCommand(place, pause, 2_000);
  leaveCommand(place, guide, 10_000);
  leaveCommand(place, abort, 999);
  expect(commandsIn(place)).toEqual([abort, pause, guide]);
});

test('a command stays until its answer is durable, so that a crash in between loses nothing', () => {
  const place = createPlace();
  leaveCommand(place, pause, 1);
  leaveCommand(place, guide, 2);
  const [first] = collectCommands(place);
  expect(commandsIn(place)).toEqual([pause, guide]);
  first?.done();
  first?.done();
  expect(commandsIn(place)).toEqual([guide]);
});

test('a command is stored in a file that only its owner can read, and no half-written one is left beside it', () => {
  const place = createPlace();
  leaveCommand(place, pause, 1);
  expect(readdirSync(place.inbox)).toEqual(['000000000000001-one.json']);
  expect(statSync(path.join(place.inbox, '000000000000001-one.json')).mode & 0o777).toBe(0o600);
  expect(statSync(place.inbox).mode & 0o777).toBe(0o700);
});

test.each([
  ['no JSON', '{'],
  ['another command', '{"id":"x","command":"explode"}'],
  ['a key too many', '{"id":"x","command":"abort","now":true}'],
  ['no id', '{"command":"abort"}'],
  ['guidance without a text', '{"id":"x","command":"guide"}'],
  ['an interrupt, which only a signal may give', '{"id":"x","command":"interrupt","signal":"SIGINT"}'],
  ['more than anyone would say', `{"id":"x","command":"guide","text":"${'x'.repeat(300_000)}"}`],
])('a file with %s is taken away: it could never be answered', (_what, text) => {
  const place = createPlace();
  leaveCommand(place, abort, 5);
  writeFileSync(path.join(place.inbox, '000000000000001-bad.json'), text);
  expect(commandsIn(place)).toEqual([abort]);
  expect(readdirSync(place.inbox)).toEqual(['000000000000005-three.json']);
});

test('files that are not messages are left untouched, and a link to a command elsewhere is not followed', () => {
  const place = createPlace();
  mkdirSync(place.inbox);
  writeFileSync(path.join(place.inbox, 'README'), 'mine');
  const elsewhere = path.join(place.root, 'elsewhere.json');
  writeFileSync(elsewhere, JSON.stringify(abort));
  symlinkSync(elsewhere, path.join(place.inbox, '1-link.json'));
  expect(commandsIn(place)).toEqual([]);
  expect(existsSync(elsewhere)).toBe(true);
  expect(readdirSync(place.inbox)).toEqual(['README']);
});

test('an inbox that is a link is refused, by the one who writes and the one who reads', () => {
  const place = createPlace();
  const elsewhere = path.join(place.root, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, place.inbox);
  expect(() => leaveCommand(place, pause, 1)).toThrow(/inbox is a symbolic link/);
  expect(() => collectCommands(place)).toThrow(/inbox is a symbolic link/);
  expect(readdirSync(elsewhere)).toEqual([]);
});

test('somebody who only looks sees when each command was sent, and takes nothing away, not even what is no command', () => {
  const place = createPlace();
  leaveCommand(place, guide, 10_000);
  leaveCommand(place, pause, 2_000);
  writeFileSync(path.join(place.inbox, '000000000000001-bad.json'), '{');
  writeFileSync(path.join(place.inbox, 'no-time.json'), JSON.stringify(abort));
  expect(peekCommands(place)).toEqual([
    { command: pause, sentAtMs: 2_000 },
    { command: guide, sentAtMs: 10_000 },
  ]);
  expect(readdirSync(place.inbox)).toHaveLength(4);
});

test('a loop without an inbox has no commands, and looking makes none', () => {
  const place = createPlace();
  expect(collectCommands(place)).toEqual([]);
  expect(existsSync(place.inbox)).toBe(false);
});

test('a watched inbox delivers waiting commands at once, later ones soon, and nothing after it is closed', async () => {
  const place = createPlace();
  leaveCommand(place, pause, 1);
  const seen: LoopCommand[] = [];
  const receive = ({ command, done }: Delivery) => {
    seen.push(command);
    done();
  };
  {
    using _watch = watchInbox(place, receive);
    expect(seen).toEqual([pause]);
    leaveCommand(place, guide, 2);
    await expect.poll(() => seen).toEqual([pause, guide]);
  }
  leaveCommand(place, abort, 3);
  using _second = watchInbox(place, () => {});
  expect(seen).toEqual([pause, guide]);
});

test('an inbox that is made unreadable while it is watched does not bring the loop down, and works again once it is fixed', async () => {
  const place = createPlace();
  const seen: LoopCommand[] = [];
  using _watch = watchInbox(place, ({ command, done }) => {
    seen.push(command);
    done();
  });
  const elsewhere = path.join(place.root, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, place.inbox);
  let looks = 0;
  using _other = watchInbox({ ...createPlace() }, () => {});
  await expect.poll(() => (looks += 1), { interval: 100 }).toBeGreaterThan(4);
  rmSync(place.inbox);
  leaveCommand(place, abort, 1);
  await expect.poll(() => seen).toEqual([abort]);
});

test.skipIf(process.getuid?.() === 0)('a folder that cannot be written is an error for the sender', () => {
  const place = createPlace();
  chmodSync(place.folder, 0o500);
  onTestFinished(() => chmodSync(place.folder, 0o700));
  expect(() => leaveCommand(place, pause, 1)).toThrow(/cannot be written/);
});
