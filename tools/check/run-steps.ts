import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Step } from './steps.ts';

/** How a run of steps ended, by step name. */
export interface StepsOutcome {
  readonly failed: readonly string[];
  readonly notRun: readonly string[];
}

interface Options {
  readonly root: string;
  /** Where the steps have their temporary files. */
  readonly temporaryFolder: string;
  /** Continue with further steps after a failure. */
  readonly goOn: boolean;
}

const width = 2;

/** Runs the steps, at most two at a time, and prints one line for each as it ends. */
export async function runSteps(steps: readonly Step[], options: Options): Promise<StepsOutcome> {
  const waiting = [...steps];
  const running = new Map<Step, Promise<void>>();
  const failed: string[] = [];

  const start = (step: Step): void => {
    waiting.splice(waiting.indexOf(step), 1);
    const ended = runStep(step, options).then((passed) => {
      running.delete(step);
      if (!passed) failed.push(step.name);
    });
    running.set(step, ended);
  };

  for (;;) {
    if (failed.length === 0 || options.goOn) {
      for (const step of waiting.filter((candidate) => isReady(candidate, steps, [...waiting, ...running.keys()]))) {
        if (running.size < width) start(step);
      }
    }
    if (running.size === 0) return { failed, notRun: waiting.map((step) => step.name) };
    await Promise.race(running.values());
  }
}

function isReady(step: Step, all: readonly Step[], unfinished: readonly Step[]): boolean {
  const chosen = (step.after ?? []).filter((name) => all.some((other) => other.name === name));
  return chosen.every((name) => !unfinished.some((other) => other.name === name));
}

async function runStep(step: Step, options: Options): Promise<boolean> {
  const startedAt = performance.now();
  let output = '';
  let passed = true;
  for (const command of step.commands) {
    const result = await runCommand(command, options);
    output += result.output;
    passed = result.passed;
    if (!passed) break;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${passed ? 'ok    ' : 'failed'}  ${step.name.padEnd(10)}${seconds.padStart(6)} s`);
  if (!passed) console.log(output);
  return passed;
}

async function runCommand(
  command: readonly string[],
  { root, temporaryFolder }: Options,
): Promise<{ passed: boolean; output: string }> {
  const [file = '', ...args] = command;
  const { promise, resolve } = Promise.withResolvers<{ passed: boolean; output: string }>();
  const searchPath = [path.dirname(process.execPath), path.join(root, 'node_modules', '.bin'), process.env['PATH']];
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: searchPath.join(path.delimiter), NO_COLOR: '1', TMPDIR: temporaryFolder },
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('error', (error) => resolve({ passed: false, output: `${file}: ${error.message}\n` }));
  child.on('close', (code) => resolve({ passed: code === 0, output: Buffer.concat(chunks).toString() }));
  return promise;
}
