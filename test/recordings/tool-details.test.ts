import { describe, expect, test } from 'vitest';
import { createReader, type StreamDialect } from '../../src/agents/_shared/reader.ts';
import { recordedAgents } from './agents.ts';
import { loadRecording, recordedCases } from './recording.ts';

/** What each call of a tool in a recording is about, by the last that was reported of it. */
function detailsOf(dialect: StreamDialect, stdout: Uint8Array): ReadonlyMap<string, string | undefined> {
  const events = createReader(dialect).push(stdout);
  const uses = events.flatMap((event) => (event.type === 'tool_use' ? [[event.id, event.detail] as const] : []));
  return new Map(uses);
}

describe.each(recordedAgents)('the tools of $name', ({ name: agent, createDialect, eventful }) => {
  test('A061: every recorded call of a tool reveals its command or its file, on one short line', () => {
    const all = recordedCases(agent).flatMap(([version, name]) => {
      const { stdout } = loadRecording(agent, version, name);
      return [...detailsOf(createDialect(), stdout).values()].map((detail) => ({ version, name, detail }));
    });
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter(({ detail }) => detail === undefined)).toEqual([]);
    expect(all.filter(({ detail = '' }) => /\n/.test(detail) || detail.length > 300)).toEqual([]);
  });

  test('A061: the call that writes a file names the file', () => {
    const [version, name] = eventful;
    const { stdout } = loadRecording(agent, version, name);
    expect([...detailsOf(createDialect(), stdout).values()]).toContainEqual(expect.stringMatching(/hello\.txt$/));
  });
});
