import { agentNamed } from '../../agents/index.ts';
import { LoopError } from '../../base/index.ts';
import type { BroughtLine, LoadedConfig } from '../../config/index.ts';
import { planGate } from '../../gate/index.ts';
import type { AppContext } from '../agent-programs.ts';
import { listLoops } from '../read-loops.ts';
import { placeOf } from '../stores.ts';
import { grantLines, trustedFolder } from './consent.ts';
import { isGranted, type Subject } from './grants.ts';
import { loopSubject } from './loop-lines.ts';
import { agentLines, testLine, withScripts } from './project-lines.ts';

/** What a project, or one of its loops, brings, and whether the user trusts it. */
export interface Trusted extends Subject {
  readonly lines: readonly BroughtLine[];
  readonly isTrusted: boolean;
}

/** What the project in a folder brings, and each of its loops. Runs nothing. */
export function readTrust(loaded: LoadedConfig, { env }: Pick<AppContext, 'env'>): readonly Trusted[] {
  const { config, brought } = loaded;
  const place = placeOf(config, brought.folder);
  const withState = ({ lines, ...subject }: Omit<Trusted, 'isTrusted'>) => ({
    ...subject,
    lines,
    isTrusted: isGranted(subject, lines, env),
  });
  const lines = [
    ...withScripts(brought.lines, place.workingDirectory),
    ...foundTests(loaded, env),
    ...agentLines(agentFilesOf(config), place.workingDirectory),
  ];
  const { loops } = listLoops(place);
  const subjects = [
    { folder: trustedFolder(brought.folder), lines },
    ...loops.map(({ loop }) => loopSubject(loop, place)),
  ];
  return subjects.map(withState).filter((each) => each.lines.length > 0);
}

/** Remembers that the user trusts all of it; returns what was not trusted before. */
export function grantTrust(trusts: readonly Trusted[], env: AppContext['env']): readonly Trusted[] {
  const untrusted = trusts.filter(({ isTrusted }) => !isTrusted);
  for (const { isTrusted: _isTrusted, ...request } of untrusted) grantLines(request, env);
  return untrusted;
}

function agentFilesOf({ agent }: LoadedConfig['config']): readonly string[] {
  return agent === 'demo' ? [] : (agentNamed(agent).projectFiles ?? []);
}

function foundTests({ config, brought }: LoadedConfig, env: AppContext['env']): readonly BroughtLine[] {
  const { workingDirectory } = placeOf(config, brought.folder);
  try {
    return testLine(planGate(config, { workingDirectory, env }), workingDirectory);
  } catch (error) {
    // A loop would be refused for the same reason before anything runs.
    if (error instanceof LoopError) return [];
    throw error;
  }
}
