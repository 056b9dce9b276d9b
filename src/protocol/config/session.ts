import { choice, count, duration, group, list, text, toggle } from './settings.ts';

const rebootSchema = group({
  mode: choice(['graceful', 'immediate'])
    .default('graceful')
    .describe(
      'Whether an agent whose session reaches the redline finishes its iteration first ("graceful"), or is ended at once ("immediate"); its work is kept.',
    ),
  onDegradation: toggle()
    .default(true)
    .describe('Reboot when the latest five iterations of a session show that its work gets worse.'),
  afterIterations: count(1).optional().describe('Reboot after this many iterations in one session.'),
  patterns: list(text()).default([]).describe("Reboot when the agent's text matches one of these regular expressions."),
  minIterations: count(0)
    .default(3)
    .describe('Minimum number of iterations in a session before "onDegradation" or "patterns" reboots it.'),
  minInterval: duration()
    .prefault('5m')
    .describe('Minimum time between two reboots, unless a session is full or too old.'),
  maxPerHour: count(1, 100)
    .default(10)
    .describe('Maximum number of reboots within an hour, unless a session is full or too old.'),
  cooldown: duration()
    .prefault('60s')
    .describe('Wait after a failed reboot, multiplied by the number of failures in a row.'),
});

/** How the sessions of the agent are used, and when one is replaced. */
export const sessionSchema = group({
  strategy: choice(['fresh', 'continue'])
    .default('fresh')
    .describe('Whether each iteration starts a new session or continues the previous one up to the redline.'),
  timeout: duration({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .prefault('1h')
    .describe('Maximum age of a session that is continued.'),
  warningPercent: count(0, 100)
    .default(70)
    .describe("Usage of the model's context window, in percent, at which a reboot is recommended."),
  autoReboot: toggle()
    .default(true)
    .describe('Whether a session that is continued is rebooted automatically; otherwise only on command.'),
  reboot: rebootSchema.prefault({}).describe('When a session that is continued is rebooted before it is full.'),
  progressNotes: toggle()
    .default(true)
    .describe('Whether the end of "progress.md" in stateDir, if there is such a file, is quoted in every prompt.'),
  handOffBytes: count(2_000, 1_000_000)
    .default(50_000)
    .describe('Maximum size, in bytes, of the handover text for a new session after a reboot.'),
  handOffCommits: count(0, 50).default(5).describe('Number of recent commits listed in a handover; 0 for none.'),
  handOffTests: toggle().default(true).describe('Whether a handover includes the test results.'),
  handOffFiles: list(text())
    .max(20, { error: 'a list of at most 20 files' })
    .default([])
    .describe('Files in workingDir whose content a handover includes, as far as it fits.'),
  persist: toggle()
    .default(true)
    .describe('Whether the ids of sessions are recorded; must be true for the strategy "continue".'),
});
