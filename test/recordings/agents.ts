import type { StreamDialect } from '../../src/agents/_shared/reader.ts';
import { createAcpDialect } from '../../src/agents/acp/dialect.ts';
import { createClaudeDialect } from '../../src/agents/claude/dialect.ts';
import { createCodexDialect } from '../../src/agents/codex/dialect.ts';
import { createCopilotDialect } from '../../src/agents/copilot/dialect.ts';
import { createGeminiDialect } from '../../src/agents/gemini/dialect.ts';
import { createOpenCodeDialect } from '../../src/agents/opencode/dialect.ts';
import { acpExpectations } from './expectations/acp.ts';
import { claudeExpectations } from './expectations/claude.ts';
import { codexExpectations } from './expectations/codex.ts';
import { copilotExpectations } from './expectations/copilot.ts';
import { geminiExpectations } from './expectations/gemini.ts';
import { openCodeExpectations } from './expectations/opencode.ts';
import type { Expectations } from './recording.ts';

/** An agent whose stream is read, and what its recordings call for. */
export interface RecordedAgent {
  readonly name: string;
  readonly expectations: Expectations;
  readonly createDialect: () => StreamDialect;
  /** A recording of at most 20 kB in which much happens. */
  readonly eventful: readonly [version: string, name: string];
}

/** About when the recordings were made: a time of day in them means the one after it. */
const now = () => new Date('2026-11-15T22:12:00Z');

/** Every agent that there are recordings of. */
export const recordedAgents: readonly RecordedAgent[] = [
  {
    name: 'claude',
    expectations: claudeExpectations,
    createDialect: () => createClaudeDialect({ now }),
    eventful: ['2.1.325', 'write-dontask'],
  },
  {
    name: 'copilot',
    expectations: copilotExpectations,
    createDialect: createCopilotDialect,
    eventful: ['1.0.102', 'write-default'],
  },
  {
    name: 'codex',
    expectations: codexExpectations,
    // Its threads tell when they began.
    createDialect: () => createCodexDialect({ timeZone: 'UTC' }),
    eventful: ['0.166.0', 'write-workspace'],
  },
  {
    name: 'gemini',
    expectations: geminiExpectations,
    createDialect: createGeminiDialect,
    eventful: ['0.61.0', 'write-autoedit'],
  },
  {
    name: 'opencode',
    expectations: openCodeExpectations,
    createDialect: createOpenCodeDialect,
    eventful: ['1.18.33', 'write-ask-auto'],
  },
  {
    // A protocol that many agents speak: their names stand for versions.
    name: 'acp',
    expectations: acpExpectations,
    createDialect: () => createAcpDialect({ now, timeZone: 'UTC' }),
    eventful: ['claude', 'write'],
  },
];
