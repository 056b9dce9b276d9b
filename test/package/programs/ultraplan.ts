// A program written from the summary of ultraplan's loop module alone. The tests compile it strictly against the types of the
// package, from which it then imports, and run it in an empty folder.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import {
  buildContinuationPrompt,
  COMPLETION_TAG_PATTERN,
  canStartMode,
  clearRalphLoopState,
  DEFAULT_COMPLETION_PROMISE,
  DEFAULT_MAX_ITERATIONS,
  detectCompletion,
  endRalphLoop,
  escapeRegex,
  incrementIteration,
  isRalphLoopActive,
  type RalphLoopConfig,
  type RalphLoopState,
  readRalphLoopState,
  startRalphLoop,
  writeRalphLoopState,
} from '../../../src/ultraplan.ts';

const file = '.ultraplan/state/ralph-loop.json';

assert.equal(readRalphLoopState(), null);
assert.equal(isRalphLoopActive(), false);
console.log(DEFAULT_MAX_ITERATIONS, DEFAULT_COMPLETION_PROMISE);

startRalphLoop('Build it');
const started: RalphLoopState | null = readRalphLoopState();
assert(started !== null);
const { active, iteration, maxIterations, completionPromise, startedAt, prompt } = started;
assert(active && !Number.isNaN(Date.parse(startedAt)));
console.log(iteration, maxIterations, completionPromise, prompt, isRalphLoopActive(), canStartMode('planning').allowed);

const next: RalphLoopState = incrementIteration(started);
writeRalphLoopState(next);
assert.deepEqual(readRalphLoopState(), next);
assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), next);
const directive: string = buildContinuationPrompt(next);
for (const part of [String(next.iteration), String(maxIterations), '<promise>DONE</promise>', 'Build it']) {
  assert(directive.includes(part), part);
}
for (const text of ['<promise>DONE</promise>', '<Promise>done</Promise>', 'ok\n<PROMISE> DONE </PROMISE>']) {
  assert.equal(detectCompletion(text, completionPromise), true);
}
assert.equal(detectCompletion('<promise>NOT DONE</promise>', 'DONE'), false);
assert.equal(detectCompletion('<promise>AxB</promise>', 'A.B'), false);
assert(
  new RegExp(escapeRegex('a+b (c)')).test('a+b (c)') && new RegExp(COMPLETION_TAG_PATTERN).test('<promise>X</promise>'),
);

endRalphLoop();
console.log(existsSync(file), isRalphLoopActive(), canStartMode('planning').allowed);

const config: RalphLoopConfig = { maxIterations: 3, completionPromise: 'SHIPPED' };
startRalphLoop('Ship it', config);
console.log(readRalphLoopState()?.maxIterations, readRalphLoopState()?.completionPromise);
clearRalphLoopState();
assert.equal(readRalphLoopState(), null);
endRalphLoop();
