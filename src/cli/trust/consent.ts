import { createInterface } from 'node:readline/promises';
import { type AppContext, type Consent, trustProject } from '../../app/index.ts';
import { canAsk } from '../can-ask.ts';
import type { Invocation } from '../parse.ts';
import { appContext, type Surroundings } from '../surroundings.ts';
import { printBrought } from './brought-text.ts';

/** The context of a command that may run what a project brings. */
export function contextWithConsent(invocation: Invocation, surroundings: Surroundings): AppContext {
  return { ...appContext(surroundings), consent: consentFor(invocation, surroundings) };
}

/** Whoever decides: `--trust-project`, or the person at the terminal. */
export function consentFor({ options }: Pick<Invocation, 'options'>, surroundings: Surroundings): Consent {
  if (options['trust-project'] === true) return trustProject;
  return async (request) => {
    // The process that was started for the background reports the refusal to the one that was asked.
    if (surroundings.background !== undefined) return 'no';
    printBrought(surroundings.stderr, request);
    if (!canAsk(surroundings)) return 'no';
    const answer = await ask('\nTrust this and go on? You are asked again when it changes. y/N ', surroundings);
    return ['y', 'yes'].includes(answer.trim().toLowerCase()) ? 'always' : 'no';
  };
}

/** A line that the person types; empty when there is none, as after Ctrl-D or Ctrl-C. */
async function ask(question: string, { stdin, stderr }: Surroundings): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    return await Promise.race([lines.question(question), closed]);
  } finally {
    lines.close();
  }
}
