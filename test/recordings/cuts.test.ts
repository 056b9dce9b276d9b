import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../src/agents/_shared/event.ts';
import { type AgentReading, createReader, type StreamDialect } from '../../src/agents/_shared/reader.ts';
import { recordedAgents } from './agents.ts';
import { loadRecording } from './recording.ts';

const newline = 0x0a;
const killed = { stderr: '', ending: { kind: 'signalled', signal: 'SIGKILL' } } as const;

describe.each(recordedAgents)('the stream of $name', ({ name, createDialect, eventful }) => {
  const { stdout } = loadRecording(name, ...eventful);
  const whole = read(createDialect(), [stdout]);

  test('is short enough to be cut everywhere, and worth it', () => {
    expect(stdout.byteLength).toBeLessThanOrEqual(20_000);
    expect(new Set(whole.events.map(({ type }) => type)).size).toBeGreaterThan(5);
    expect(whole.reading.outcome).not.toBe('interrupted');
  });

  test('A083: cut at any byte, gives the events before the cut and no others', () => {
    const all = whole.events.map((event) => JSON.stringify(event));
    const wrong = offsetsIn(stdout).filter((at) => {
      const { events, reading } = read(createDialect(), [stdout.subarray(0, at)]);
      const isPrefix = events.every((event, index) => JSON.stringify(event) === all[index]);
      return !isPrefix || ![whole.reading.outcome, 'interrupted'].includes(reading.outcome);
    });
    expect(wrong).toEqual([]);
  });

  test('A083: arriving in two pieces split anywhere, gives the same reading', () => {
    const same = JSON.stringify(whole);
    const wrong = offsetsIn(stdout).filter(
      (at) => JSON.stringify(read(createDialect(), [stdout.subarray(0, at), stdout.subarray(at)])) !== same,
    );
    expect(wrong).toEqual([]);
  });

  test('A083: arriving byte by byte, gives the same reading', () => {
    const bytes = Array.from(stdout, (byte) => Uint8Array.of(byte));
    expect(read(createDialect(), bytes)).toEqual(whole);
  });

  test('A083: with any garbage between its lines, gives the same reading and counts the garbage', () => {
    const lines = linesOf(stdout);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(lines.length), garbage(lines))), (inserted) => {
        const pieces = lines.flatMap((line, index) => [...garbageAt(inserted, index), line]);
        const { events, reading } = read(createDialect(), [...pieces, ...garbageAt(inserted, lines.length)]);
        expect(events).toEqual(whole.events);
        expect(reading).toEqual({ ...whole.reading, unrecognised: reading.unrecognised });
        expect(reading.unrecognised).toBe(whole.reading.unrecognised + inserted.length);
      }),
      { numRuns: 200 },
    );
  });

  test('A083: with a line of 50 MB in it, gives the same reading without keeping the line', () => {
    const megabyte = Buffer.alloc(1_000_000, '[');
    const reader = createReader(createDialect());
    const before = usedBytes();
    let most = 0;
    for (let sent = 0; sent < 50; sent += 1) {
      reader.push(megabyte);
      most = Math.max(most, usedBytes() - before);
    }
    reader.push(Uint8Array.of(newline));
    const events = reader.push(stdout);
    expect(events).toEqual(whole.events);
    expect(reader.finish(killed)).toEqual({ ...whole.reading, unrecognised: whole.reading.unrecognised + 1 });
    expect(most).toBeLessThan(40_000_000);
  });
});

/** Every offset near the end of a line, an escape or a byte that is not ASCII, and every seventh of the others. */
function offsetsIn(bytes: Uint8Array): readonly number[] {
  const isDelicate = (byte: number) => byte === newline || byte === 0x5c || byte >= 0x80;
  const offsets = Array.from({ length: bytes.byteLength + 1 }, (_, at) => at);
  return offsets.filter((at) => at % 7 === 0 || bytes.subarray(Math.max(0, at - 2), at + 2).some(isDelicate));
}

interface Read {
  readonly events: readonly AgentEvent[];
  readonly reading: AgentReading;
}

function read(dialect: StreamDialect, chunks: readonly Uint8Array[]): Read {
  const reader = createReader(dialect);
  const events = chunks.flatMap((chunk) => reader.push(chunk));
  return { events, reading: reader.finish(killed) };
}

function linesOf(stdout: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < stdout.byteLength; ) {
    const end = stdout.indexOf(newline, from);
    const next = end === -1 ? stdout.byteLength : end + 1;
    lines.push(stdout.subarray(from, next));
    from = next;
  }
  return lines;
}

type Inserted = readonly (readonly [before: number, garbage: Uint8Array])[];

function garbageAt(inserted: Inserted, index: number): readonly Uint8Array[] {
  return inserted.filter(([before]) => before === index).map(([, bytes]) => Uint8Array.of(...bytes, newline));
}

/** Bytes of all kinds, values that are no events, halves of lines, and two lines in one. */
function garbage(lines: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const line = fc.constantFrom(...lines);
  return fc
    .oneof(
      fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Uint8Array.of(0xff, ...bytes)),
      fc
        .constantFrom('\0\0\0', '{', '{}', '[]', '[[]]', '42', 'null', '{"type":7}', '{"type":"constructor"}', '<html>')
        .map(bytesOf),
      fc.jsonValue().map((value) => bytesOf(JSON.stringify([value]))),
      fc
        .tuple(line, fc.double({ min: 0.1, max: 0.9, noNaN: true }))
        .map(([whole, part]) => whole.subarray(0, whole.length * part)),
      fc.tuple(line, line).map(([one, other]) => Buffer.concat([one.subarray(0, one.length / 2), other])),
    )
    .map((bytes) => bytes.filter((byte) => byte !== newline));
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
