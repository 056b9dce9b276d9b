import path from 'node:path';
import type { AgentAdapter } from '../../agents/index.ts';
import { childEnvironment, endByIdentity, endByMarker, supervise } from '../../process/index.ts';
import type { Ending, LoopConfig, ProcessIdentity } from '../../protocol/index.ts';
import type { AgentPort, AgentRun, AgentTask, AttemptKey } from '../../runner/index.ts';
import { nodeFiles, type OpenLoop, readEnd, writeFileDurably } from '../../store/index.ts';

/** How much of an agent's last words is looked at; all of them stay on disk. */
const readTailBytes = 256 * 1024;

/** What an agent works with. */
export interface AgentSetting {
  readonly adapter: AgentAdapter;
  readonly config: LoopConfig;
  readonly workingDirectory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly uuid: string;
  readonly open: OpenLoop;
}

/** Runs an agent through its adapter, with its files in the attempt's folder. */
export function createAgentPort(setting: AgentSetting): AgentPort {
  const { open, uuid, config } = setting;
  const fileOf = ({ iteration, attempt }: AttemptKey, name: string) =>
    path.join(open.iterationFolder(iteration, attempt), name);
  return {
    preparePrompt: (key, prompt) => writeFileDurably(nodeFiles, fileOf(key, 'prompt'), Buffer.from(prompt)),
    run: (task) => run(setting, task, { fileOf: (name) => fileOf(task, name), marker: markerOf(uuid, task) }),
    recover: (key, process) => endLeftovers(markerOf(uuid, key), process, config.iteration.killGrace),
  };
}

/** What every process of an attempt carries in its environment. */
export function markerOf(uuid: string, { iteration, attempt }: AttemptKey): string {
  return `${uuid}/${iteration}/${attempt}`;
}

/** Ends what an attempt may have left running. */
export async function endLeftovers(
  marker: string,
  process: ProcessIdentity | undefined,
  killGraceMs: number,
): Promise<void> {
  if (process !== undefined) await endByIdentity(process, marker, killGraceMs);
  await endByMarker(marker);
}

interface Place {
  readonly fileOf: (name: string) => string;
  readonly marker: string;
}

async function run(setting: AgentSetting, task: AgentTask, { fileOf, marker }: Place): Promise<AgentRun> {
  const { adapter, config, workingDirectory, env } = setting;
  const { session, sessionId } = task;
  const launch = adapter.launch({ config, session, ...(sessionId === undefined ? {} : { sessionId }) });
  const extra = { ...launch.env, ...config.iteration.env };
  const supervised = await supervise({
    command: launch.command,
    cwd: workingDirectory,
    env: childEnvironment(env, { agentSecrets: launch.secrets, extra }).env,
    marker,
    stdinPath: fileOf('prompt'),
    stdoutPath: fileOf('stdout'),
    stderrPath: fileOf('stderr'),
    timeoutMs: config.iteration.timeout,
    idleMs: config.iteration.idleTimeout,
    graceMs: config.iteration.killGrace,
    stopSignal: launch.stopSignal,
    signal: task.signal,
    killSignal: task.kill,
    onStarted: task.onStarted,
  });
  const ending = plainEnding(supervised.ending);
  const report = adapter.read({ stdout: readTail(fileOf('stdout')), stderr: readTail(fileOf('stderr')), ending });
  return { ...report, ending, prompt: readTail(fileOf('prompt')), durationMs: Math.round(supervised.durationMs) };
}

function plainEnding(ending: Awaited<ReturnType<typeof supervise>>['ending']): Ending {
  if (ending.kind !== 'not_started') return ending;
  return { kind: 'not_started', code: ending.code, message: ending.message };
}

function readTail(file: string): string {
  return readEnd(nodeFiles, file, readTailBytes).toString('utf8');
}
