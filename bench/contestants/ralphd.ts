import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Contestant } from '../contestant.ts';
import { launcher } from '../time-node.ts';

export const contestant: Contestant = {
  name: 'ralphd',
  prepare: ({ folder, agent, iterations }) => {
    const rules = 'maxNoProgressIterations: 0, maxIterationFailureStreak: 0, maxSameErrorStreak: 0';
    const lines = ['agent: command', `agentCommand: ${JSON.stringify(agent)}`, 'trustPromise: true', 'baseline: false'];
    lines.push('onLimit: pause', 'iterationDelay: 0s', `stopConditions: { ${rules} }`, '');
    writeFileSync(path.join(folder, 'ralphd.yml'), lines.join('\n'));
    return [process.execPath, launcher, 'run', 'x', '-n', String(iterations), '--trust-project'];
  },
};
