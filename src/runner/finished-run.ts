import {
  countMarkers,
  detectClaim,
  extractNotes,
  extractSummary,
  type Loop,
  marksIn,
  matchedPattern,
  outputMatches,
} from '../core/index.ts';
import type { FactData } from '../protocol/index.ts';
import type { AgentRun } from './ports/agent-port.ts';

/** The result of a run without the agent's text; an echo of its prompt does not count as a claim. */
export function toFinishedFact(loop: Loop, run: AgentRun, prompt: string) {
  const { claimText, text, sessionId, ...reported } = run;
  const { completionPromise: promise, promiseMatch: match, session } = loop.config;
  const summary = extractSummary(claimText);
  const notes = extractNotes(claimText);
  const markers = countMarkers(claimText);
  const matches = outputMatches(loop.config, text);
  const marks = marksIn(loop, text);
  return {
    ...reported,
    ...blamedOnDisk(loop, run),
    ...(sessionId === undefined || !session.persist ? {} : { sessionId }),
    claimed: promise !== null && detectClaim(claimText, { promise, match, prompt }),
    ...(summary === undefined ? {} : { summary }),
    ...(notes === undefined ? {} : { notes }),
    ...(markers === 0 ? {} : { markers }),
    ...(matches.length === 0 ? {} : { outputMatches: [...matches] }),
    ...(marks.length === 0 ? {} : { marks: [...marks] }),
    ...(session.strategy === 'continue' ? sessionSigns(loop.config, run, prompt) : {}),
  };
}

/** What a run shows about a session that is continued. */
function sessionSigns({ session }: Loop['config'], { text, usage }: AgentRun, prompt: string) {
  const rebootPattern = matchedPattern(session.reboot.patterns, text);
  return {
    ...(rebootPattern === undefined ? {} : { rebootPattern }),
    ...(usage?.context === undefined ? { estimatedTokens: estimateTokens(prompt, text, usage?.outputTokens) } : {}),
  };
}

const charactersPerToken = 4;

/** A lower bound: what tools returned is in the session as well, but not in the agent's text. */
function estimateTokens(prompt: string, text: string, outputTokens = 0): number {
  const answer = Math.max(outputTokens, text.length / charactersPerToken);
  return Math.ceil(prompt.length / charactersPerToken + answer);
}

/** An agent that cannot write dies in its own way, often before ralphd can end it: the full disk is to blame, not the agent. */
function blamedOnDisk({ commands: { requests } }: Loop, { outcome, ending }: AgentRun): Partial<AgentRun> {
  if (requests.pause?.reason !== 'environment' || outcome !== 'unknown') return {};
  const { message } = requests.pause;
  const hasDied = ending.kind === 'signalled' || (ending.kind === 'exited' && ending.code !== 0);
  return hasDied ? { outcome: 'transient', ...(message === undefined ? {} : { error: message }) } : {};
}

/** A run whose end nobody saw. */
export const lostRun: Omit<FactData<'agent.finished'>, 'iteration' | 'attempt'> = {
  ending: { kind: 'lost' },
  outcome: 'interrupted',
  error: 'ralphd ended while the agent was running; its remaining processes were ended',
  claimed: false,
  changes: { known: false, headMoved: false, modified: [], created: [], deleted: [], count: 0 },
  durationMs: 0,
};
