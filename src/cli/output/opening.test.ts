import { expect, test } from 'vitest';
import { createCommandLine } from '../testing/command-line.ts';
import { standInPath } from '../testing/stand-ins.ts';

test('the opening lines of run say everything that is on, and only that', async () => {
  const line = createCommandLine();
  line.write(
    'ralphd.yml',
    `model: opus
verify: [./check.sh]
iterationDelay: 0s
baseline: false
maxCostUsd: 5
hooks:
  - { name: notify, at: [on_error], run: 'true' }
  - { name: off, at: [on_error], run: 'true', enabled: false }
stopConditions:
  stop: [{ type: user_signal }]
  customScripts: ['false']
  failure: [{ type: no_progress, count: 9 }]
mode: hybrid
modeSchedule: [{ at: '22:00', mode: unattended, timeZone: UTC }]
ask: { breakpoints: [3, completion], autoApproveAfter: 1ms }
schedule: { hours: '00:00-24:00', blackout: ['2020-12-24'], timeZone: UTC }
`,
  );
  const env = { PATH: standInPath([]), ANTHROPIC_API_KEY: 'not-to-be-printed' };
  const all = await line.run(['run', 'Fix it', '--loop-id', 'ralph-fix-it-a1b2c3d4'], env);
  const opening = all.stderr.slice(0, all.stderr.indexOf('.ralph/loops/ralph-fix-it-a1b2c3d4') + 34);
  expect(opening).toMatchInlineSnapshot(`
    "ralphd ralph-fix-it-a1b2c3d4
      task     Fix it
      agent    claude, model opus, permissions: edit
      pays     API key (ANTHROPIC_API_KEY)
      done     the agent prints <promise>DONE</promise> and "./check.sh" passes
      guards   check.sh
      hooks    notify
      rules    2 stop conditions, 1 failure condition
      limits   100 iterations, $5.00, 30m per iteration
      mode     hybrid; unattended at 22:00; asks before iteration 3, before completion
      starts   00:00-24:00, except 2020-12-24 (UTC)
      state    .ralph/loops/ralph-fix-it-a1b2c3d4"
  `);
  expect(all.stderr).not.toContain('not-to-be-printed');
});
