import { expect, test } from 'vitest';
import { changed } from '../testing/facts.ts';
import { startedStory } from '../testing/story.ts';
import { auditEntry } from './audit.ts';

test('B063: the audit log says who did what: iterations, changed files, decisions and commands', () => {
  const story = startedStory({ config: { mode: 'attended' } });
  story.advance();
  const sender = { user: 'ana', host: 'build', pid: 7, face: 'cli' } as const;
  story.command({ command: 'continue', sender }).run({ claimed: false, changes: changed(2) });
  story.advance();
  const entries = story.facts.flatMap((fact) => auditEntry(fact, { loopId: 'ralph-x', agent: 'claude' }) ?? []);
  expect(entries.map(({ actor, action }) => `${actor}: ${action}`)).toEqual([
    expect.stringMatching(/: loop\.started$/u),
    'ralphd: question.asked',
    'ana@build: command.accepted',
    'ana@build: question.answered',
    'ralphd: iteration.started',
    'claude: agent.finished',
    'ralphd: iteration.finished',
    'ralphd: question.asked',
  ]);
  expect(entries[3]).toMatchObject({ loopId: 'ralph-x', seq: 4, details: { decision: 'continue', by: 'person' } });
  expect(entries[5]?.details).toMatchObject({ iteration: 1, modified: expect.any(Array), count: 2 });
});
