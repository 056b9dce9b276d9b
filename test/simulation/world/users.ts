import type { LoopCommand } from '../../../src/core/index.ts';
import type { Breakpoint } from '../../../src/protocol/index.ts';
import type { Random } from '../random.ts';

/** What the owner is doing when a command may arrive. */
export type Occasion =
  | 'append'
  | 'ending'
  | 'baseline'
  | 'hooks'
  | 'agent'
  | 'conditions'
  | 'gate'
  | 'wait'
  | 'paused'
  | 'asked'
  | 'ended';

export interface Users {
  /** The commands that arrive on this occasion; usually none. */
  interfere(occasion: Occasion): readonly LoopCommand[];
}

type Word = LoopCommand['command'] | 'pauseNow' | 'guideOnce' | 'dropAll' | 'chatter';

const working: readonly (readonly [Word, number])[] = [
  ['pause', 3],
  ['pauseNow', 3],
  ['interrupt', 2],
  ['resume', 2],
  ['stop', 0.5],
  ['abort', 1],
  ['skip', 3],
  ['reboot', 3],
  ['guide', 3],
  ['guideOnce', 3],
  ['drop', 2],
  ['dropAll', 0.5],
  ['retry', 1],
  ['suspend', 1],
  ['mode', 5],
  ['note', 0.5],
  ['breakpoint', 0.7],
  ['rollback', 0.3],
  ['continue', 0.2],
  ['chatter', 0.05],
];

const waiting: readonly (readonly [Word, number])[] = [...working, ['retry', 8]];
const resting: readonly (readonly [Word, number])[] = [...working, ['resume', 25]];
const wordsFor: { readonly [On in Occasion]?: readonly (readonly [Word, number])[] } = {
  agent: [...working, ['abort', 2]],
  wait: waiting,
  paused: resting,
  asked: [...working, ['continue', 30], ['skip', 15], ['rollback', 35]],
  ended: resting,
};
const odds: { readonly [On in Occasion]?: number } = { paused: 0.85, asked: 1, ending: 0.3, ended: 0.3 };

/** Users who send a limited number of commands, so that every loop can finish. */
export function createUsers(random: Random, patience: number): Users {
  let left = patience;
  let sent = 0;
  const often = random.pick([0.03, 0.1, 0.3]);

  const chat = (id: string, once: boolean): LoopCommand => ({ id, command: 'guide', text: `(hint ${id})`, once });
  const write = (word: Word): LoopCommand[] => {
    sent += 1;
    const id = `command-${sent}`;
    switch (word) {
      case 'pause':
        return [{ id, command: 'pause' }];
      case 'pauseNow':
        return [{ id, command: 'pause', now: true }];
      case 'interrupt':
        return [{ id, command: 'interrupt', signal: 'SIGINT' }];
      case 'suspend':
        return [{ id, command: 'suspend', text: 'the disk is full' }];
      case 'guide':
        return [{ id, command: 'guide', text: random.chance(0.05) ? ' ' : `(hint ${sent})` }];
      case 'guideOnce':
        return [{ id, command: 'guide', text: `(hint ${sent})`, once: true }];
      case 'drop':
        return [{ id, command: 'drop', number: random.int(1, 4) }];
      case 'dropAll':
        return [{ id, command: 'drop' }];
      case 'chatter':
        return Array.from({ length: 60 }, (_, n) => chat(`${id}.${n}`, n % 2 === 0));
      case 'mode': {
        const mode = random.pick(['unattended', 'attended', 'hybrid'] as const);
        return [{ id, command: 'mode', mode, when: random.pick(['now', 'iteration', 'pause'] as const) }];
      }
      case 'note':
        return [{ id, command: 'note', kind: 'issue', text: random.chance(0.1) ? ' ' : `(note ${sent})` }];
      case 'breakpoint': {
        const breakpoint = random.pick<Breakpoint>([random.int(1, 5), 'test_regression', 'completion']);
        return [{ id, command: 'breakpoint', breakpoint, remove: random.chance(0.3) }];
      }
      case 'continue':
        return [{ id, command: 'continue', ...(random.chance(0.6) ? { text: `(task ${sent})` } : {}) }];
      case 'resume':
      case 'stop':
      case 'abort':
      case 'skip':
      case 'reboot':
      case 'rollback':
      case 'retry':
        return [{ id, command: word }];
    }
  };

  return {
    interfere: (occasion) => {
      // Somebody always answers eventually.
      if (left <= 0 && occasion === 'asked') return write('continue');
      if (left <= 0 || !random.chance(odds[occasion] ?? often)) return [];
      const commands: LoopCommand[] = [];
      const words = wordsFor[occasion] ?? working;
      do {
        left -= 1;
        commands.push(...write(random.weighted(words)));
      } while (left > 0 && random.chance(0.25));
      return commands;
    },
  };
}
