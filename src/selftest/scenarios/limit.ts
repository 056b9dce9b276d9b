import { mustHold } from '../findings.ts';
import { finishedIterations, readJournal } from '../journal.ts';
import { mustBeCompleted } from '../project.ts';
import type { Scenario } from '../scenario.ts';

// After a reset a loop waits for a few more seconds, which depend on its id: with this one it waits for five.
const loopId = 'ralph-limit-001b9633';

/** In the words of Claude Code, because a plain program cannot report when a limit ends. */
const refusal = {
  type: 'result',
  subtype: 'success',
  is_error: true,
  terminal_reason: 'api_error',
  api_error_status: 429,
  api_error: 'usage_limit_reached',
  result: 'You have hit your limit',
};
const success = { type: 'result', subtype: 'success', is_error: false, result: '<promise>DONE</promise>' };

/** A provider that refuses requests for a moment. */
export const limit: Scenario = {
  name: 'limit',
  action: "the agent's provider reports a usage limit",
  promise: 'waits for the reset; it counts as no failure',
  play: async (stage) => {
    const project = stage.project('limit');
    project.script(
      'agent.sh',
      'if [ "$1" = --version ]; then echo "2.1.325 (Claude Code)"; exit 0; fi',
      'cat > /dev/null',
      'date +%s >> "$HOME/runs"',
      'if [ ! -e "$HOME/reset" ]; then',
      '  reset=$(($(date +%s) + 4)); echo $reset > "$HOME/reset"',
      `  echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'$reset'}}'`,
      `  echo '${JSON.stringify(refusal)}'`,
      '  exit 1',
      'fi',
      'touch done',
      `echo '${JSON.stringify(success)}'`,
    );
    project.script('check.sh', 'test -f done');
    project.settings({ baseline: false, verify: ['./check.sh'], agents: { claude: { command: './agent.sh' } } });
    const running = project.start([
      'run',
      'Self-test',
      '--trust-project',
      '--agent',
      'claude',
      '--loop-id',
      loopId,
      '--json',
    ]);
    await project.until('the wait', () => running.printed().some(({ type }) => type === 'wait.scheduled'));
    const { status } = await project.status();
    mustHold(status === 'running', `during the wait the loop is ${String(status)} instead of running`);
    mustBeCompleted(await running.ended);
    const [reset = 0] = project.homeLines('reset').map(Number);
    const [, second = 0, ...more] = project.homeLines('runs').map(Number);
    mustHold(second >= reset && more.length === 0, 'the agent was started before the reset, or more than twice');
    const facts = readJournal(project.loopFolder);
    mustHold(finishedIterations(facts) === 1, `${finishedIterations(facts)} iterations were counted instead of one`);
    const failed = facts.some(({ type, data }) => type === 'iteration.finished' && data['status'] !== 'completed');
    mustHold(!failed, 'the limit was counted as a failed iteration');
  },
};
